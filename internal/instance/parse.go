package instance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Parse reads an instance document of any release. It returns either its details, or why it is not valid.
//
// Names of members are case-sensitive, and unknown members are ignored. Of a member that appears more than once, the
// last counts. Every required field that is missing, every field that is null, of another type or out of range, and a
// list of more than 100 expiry options is a fault.
func Parse(document []byte) (*Details, *InvalidDocument) {
	var whole json.RawMessage
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, newNotJSON(document, err)
	}
	if !utf8.Valid(document) { // encoding/json would replace what is not valid
		return nil, &InvalidDocument{NotJSON: "not valid UTF-8"}
	}
	members, err := parseObject(whole)
	if err != nil {
		return nil, &InvalidDocument{Faults: []Fault{newFault(WholeDocument, whole, err)}}
	}
	var invalid InvalidDocument
	details := readDetails(object{members: members, invalid: &invalid})
	if len(invalid.Faults) > 0 {
		return nil, &invalid
	}
	return details, nil
}

// readDetails reads the fields in their documented order, which is also that of the faults.
func readDetails(root object) *Details {
	details := &Details{
		FileMaxSizeBytes:  read(root, "fileMaxSize", parseLimit),
		ChunkSizeBytes:    read(root, "chunkSize", parseLimit),
		RequirePassword:   read(root, "requirePassword", parseBoolean),
		APIVersion:        read(root, "apiVersion", parseVersion),
		FileMaxAgeSeconds: read(root, "fileMaxAge", parseAge),
	}
	if root.has("maxTransfersInMerge") {
		details.MaxTransfersInMerge = read(root, "maxTransfersInMerge", parseLimit)
	} else {
		details.MaxTransfersInMerge = documentedMergeLimit(details.APIVersion)
	}
	details.RecommendedExpireTimes = readExpireTimes(root, details.APIVersion)
	return details
}

const (
	maxExpireTimes       = 100 // instances have about eight
	maxMinutes     int64 = math.MaxInt64 / secondsPerMinute
)

// readExpireTimes reads the expiry options. The unit of a value depends on its own option: with inSeconds, it is in
// minutes, and without, in seconds (the documentation of the service, "Expiry entry"). Release 1.1.1 is the exception.
func readExpireTimes(root object, version string) []ExpireTime {
	entries := read(root, "recommendedExpireTimes", parseArray)
	if len(entries) > maxExpireTimes {
		problem := fmt.Sprintf("expected at most %d entries, found %d", maxExpireTimes, len(entries))
		root.invalid.add(Fault{Path: "recommendedExpireTimes", Problem: problem})
		entries = entries[:maxExpireTimes]
	}
	options := make([]ExpireTime, len(entries))
	someHaveSeconds := false
	for i, raw := range entries {
		path := fmt.Sprintf("recommendedExpireTimes[%d]", i)
		members, err := parseObject(raw)
		if err != nil {
			root.invalid.add(newFault(path, raw, err))
			continue
		}
		entry := object{members: members, prefix: path + ".", invalid: root.invalid}
		options[i].Label = read(entry, "label", parseString)
		if entry.has("inSeconds") {
			someHaveSeconds = true
			options[i].InSeconds = read(entry, "inSeconds", parseWholeNumber)
			read(entry, "value", parseWholeNumber) // only checked
		} else {
			options[i].InSeconds = read(entry, "value", parseWholeNumber)
		}
	}
	// After a fault, a value may be unknown.
	if len(root.invalid.Faults) > 0 || someHaveSeconds || !looksLikeMinutes(options, version) {
		return options
	}
	for i, option := range options {
		if option.InSeconds > maxMinutes {
			root.invalid.add(Fault{
				Path:    fmt.Sprintf("recommendedExpireTimes[%d].value", i),
				Problem: fmt.Sprintf("expected a whole number from 0 to %d, found a number", maxMinutes),
				Found:   strconv.FormatInt(option.InSeconds, 10),
			})
		}
		options[i].InSeconds *= secondsPerMinute
	}
	return options
}

// looksLikeMinutes reports whether the values of options without inSeconds are minutes, which is a fault of release
// 1.1.1 of the service. Its shortest option is half an hour, so a value below 60 shows that this is the release, and
// not another build that reports its version.
func looksLikeMinutes(options []ExpireTime, version string) bool {
	isShort := func(option ExpireTime) bool { return option.InSeconds < secondsPerMinute }
	return version == "1.1.1" && slices.ContainsFunc(options, isShort)
}

// object is a JSON object of the document.
type object struct {
	members map[string]json.RawMessage
	prefix  string           // beginning of the members' paths: "" or "recommendedExpireTimes[3]."
	invalid *InvalidDocument // collects the faults of the document
}

func (o object) has(name string) bool { return o.members[name] != nil }

// read returns the value of a member. If the member is missing or parse refuses it, read adds a fault and returns zero.
func read[T any](from object, name string, parse func(json.RawMessage) (T, error)) (value T) {
	path := from.prefix + name
	if !from.has(name) {
		from.invalid.add(Fault{Path: path, Problem: "required, but missing"})
		return value
	}
	from.invalid.HasFields = true
	value, err := parse(from.members[name])
	if err != nil {
		from.invalid.add(newFault(path, from.members[name], err))
	}
	return value
}
