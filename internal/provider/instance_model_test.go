package provider_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// documentedTimes are the expiry options of the documents of instancetest.
var documentedTimes = []any{
	expireTime("30 minutes", 1800), expireTime("1 hour", 3600), expireTime("6 hours", 21600), expireTime("12 hours", 43200),
	expireTime("1 day", 86400), expireTime("1 week", 604800), expireTime("2 weeks", 1209600), expireTime("1 month", 2592000),
}

func expireTime(label string, seconds int64) object {
	return object{"label": label, "in_seconds": seconds, "in_minutes": seconds / 60}
}

// newer is what is read of instancetest.Newer(). A detail that this document does not have is null.
var newer = eachDetail(nil).with(object{
	"file_max_size": int64(64424509440), "chunk_size": int64(20000000), "require_password": true,
	"api_version": "2.1.5", "api_version_major": int64(2), "api_version_minor": int64(1), "api_version_patch": int64(5),
	"file_max_age": int64(2592000), "max_transfers_in_merge": int64(50), "recommended_expire_times": documentedTimes,
})

// eachDetail returns a value for each detail.
func eachDetail(value any) object {
	details := make(object)
	for name := range acctest.NewerDetails(nil) {
		details[name] = value
	}
	return details
}

// everyDetail returns a value for each attribute that an instance is read for.
func everyDetail(value any) object { return eachDetail(value).with(object{"response_body": value}) }

func versionArgs(text string, major, minor, patch int64) object {
	return object{"api_version": text, "api_version_major": major, "api_version_minor": minor, "api_version_patch": patch}
}

// documents are documents whose values are of every kind, and what is read of each that differs from newer. The parser's
// tests have every form of a document.
var documents = func() map[string]struct {
	document string
	want     object
} {
	with := instancetest.Newer().With
	times := func(entries ...instancetest.Document) instancetest.Document {
		return with("recommendedExpireTimes", append([]instancetest.Document{}, entries...))
	}
	return map[string]struct {
		document string
		want     object
	}{
		"newer": {instancetest.Newer().JSON(), nil},
		"older": {instancetest.Older().JSON(), versionArgs("1.3.2", 1, 3, 2).with(object{
			"file_max_size": int64(21474836480), "chunk_size": int64(10000000), "require_password": false,
			"max_transfers_in_merge": int64(10),
		})},
		"mixed":       {instancetest.Mixed().JSON(), versionArgs("1.5.0", 1, 5, 0).with(object{"max_transfers_in_merge": int64(10)})},
		"pre-release": {with("apiVersion", "2.1.5-rc.1+build").JSON(), object{"api_version": "2.1.5-rc.1+build"}},
		"largest": {
			with("fileMaxSize", instancetest.Raw("9223372036854775807")).JSON(), object{"file_max_size": int64(9223372036854775807)},
		},
		"zeros": {
			with("fileMaxSize", 0).With("chunkSize", 0).With("fileMaxAge", "0").With("maxTransfersInMerge", 0).JSON(),
			object{"file_max_size": int64(0), "chunk_size": int64(0), "file_max_age": int64(0), "max_transfers_in_merge": int64(0)},
		},
		"no options": {times().JSON(), object{"recommended_expire_times": []any{}}},
		"labels and order as delivered": {
			times(instancetest.NewerEntry("1 año", 31536000), instancetest.NewerEntry(`"∞" 分`, 15770000000),
				instancetest.NewerEntry("90 s", 90), instancetest.NewerEntry("", 0)).JSON(),
			object{"recommended_expire_times": []any{
				expireTime("1 año", 31536000), expireTime(`"∞" 分`, 15770000000), expireTime("90 s", 90), expireTime("", 0),
			}},
		},
		"unknown fields": {
			with("newField", instancetest.Document{}.With("deep", []int{1})).With("FileMaxSize", "not ours").JSON(), nil,
		},
		"byte order mark": {"\ufeff" + instancetest.Newer().JSON(), object{"response_body": instancetest.Newer().JSON()}},
	}
}()

// everyDocument starts an instance for each of documents, and returns their base URLs.
func everyDocument(t *testing.T) object {
	t.Helper()
	baseURLs := make(object)
	for name, test := range documents {
		baseURLs[name] = instancetest.New(t, instancetest.WithDocument(test.document)).URL()
	}
	return baseURLs
}
