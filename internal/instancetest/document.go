package instancetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Raw is JSON text that [Document.With] takes as it stands, for the forms Go's encoder does not write: Raw("1.577e10"), Raw("20000000.0"),
// or text that is not JSON at all.
type Raw string

// Document is an instance document, or an expiry entry in one: a JSON object whose members keep their order. The zero Document is the empty
// object. A Document never changes; With and Without return copies.
type Document struct{ members []member }

// member holds its value as JSON text, so that a document delivers exactly what its writer asked for.
type member struct{ name, json string }

// expireTimes are the suggestions in the service's documentation.
var expireTimes = []instance.ExpireTime{
	{Label: "30 minutes", InSeconds: 1800}, {Label: "1 hour", InSeconds: 3600}, {Label: "6 hours", InSeconds: 21600},
	{Label: "12 hours", InSeconds: 43200}, {Label: "1 day", InSeconds: 86400}, {Label: "1 week", InSeconds: 604800},
	{Label: "2 weeks", InSeconds: 1209600}, {Label: "1 month", InSeconds: 2592000},
}

// Newer returns a document of the newer shape: maxTransfersInMerge is there, and the entries carry inSeconds, so their value is in minutes.
func Newer() Document {
	return Document{}.
		With("fileMaxSize", int64(64424509440)).
		With("chunkSize", 20000000).
		With("requirePassword", true).
		With("apiVersion", "2.1.5").
		With("fileMaxAge", "2592000").
		With("maxTransfersInMerge", 50).
		With("recommendedExpireTimes", entries(NewerEntry))
}

// NewerDetails returns what Newer means.
func NewerDetails() instance.Details {
	return instance.Details{
		FileMaxSizeBytes:    64424509440,
		ChunkSizeBytes:      20000000,
		RequirePassword:     true,
		APIVersion:          instance.Version{Text: "2.1.5", Major: 2, Minor: 1, Patch: 5},
		FileMaxAgeSeconds:   2592000,
		MaxTransfersInMerge: 50,

		RecommendedExpireTimes: slices.Clone(expireTimes),
	}
}

// NewerAttributes is what the provider makes of Newer, as JSON.
const NewerAttributes = `{
  "file_max_size": 64424509440,
  "chunk_size": 20000000,
  "require_password": true,
  "api_version": "2.1.5",
  "api_version_major": 2,
  "api_version_minor": 1,
  "api_version_patch": 5,
  "file_max_age": 2592000,
  "max_transfers_in_merge": 50,
  "recommended_expire_times": [
    {"label": "30 minutes", "in_seconds": 1800, "in_minutes": 30},
    {"label": "1 hour", "in_seconds": 3600, "in_minutes": 60},
    {"label": "6 hours", "in_seconds": 21600, "in_minutes": 360},
    {"label": "12 hours", "in_seconds": 43200, "in_minutes": 720},
    {"label": "1 day", "in_seconds": 86400, "in_minutes": 1440},
    {"label": "1 week", "in_seconds": 604800, "in_minutes": 10080},
    {"label": "2 weeks", "in_seconds": 1209600, "in_minutes": 20160},
    {"label": "1 month", "in_seconds": 2592000, "in_minutes": 43200}
  ]
}`

// Older returns a document of the older shape: no maxTransfersInMerge, and the entries' value is in seconds. Its apiVersion is none of
// those that early builds with minutes in value share.
func Older() Document {
	return Document{}.
		With("fileMaxSize", int64(21474836480)).
		With("chunkSize", 10000000).
		With("requirePassword", false).
		With("apiVersion", "1.3.2").
		With("fileMaxAge", "2592000").
		With("recommendedExpireTimes", entries(OlderEntry))
}

// Mixed returns a document as releases between the shapes deliver it: the entries carry inSeconds while maxTransfersInMerge is absent, and
// fileMaxAge is a number. Its apiVersion is below 2.0.0, so that a reader which decides units by version gets them wrong.
func Mixed() Document {
	return Document{}.
		With("fileMaxSize", int64(64424509440)).
		With("chunkSize", 20000000).
		With("requirePassword", true).
		With("apiVersion", "1.5.0").
		With("fileMaxAge", 2592000).
		With("recommendedExpireTimes", entries(NewerEntry))
}

// NewerEntry returns an expiry entry of the newer shape: inSeconds is seconds, and value is whole minutes.
func NewerEntry(label string, seconds int64) Document {
	return Document{}.With("label", label).With("inSeconds", seconds).With("value", seconds/60)
}

// OlderEntry returns an expiry entry of the older shape: value is seconds.
func OlderEntry(label string, seconds int64) Document {
	return Document{}.With("label", label).With("value", seconds)
}

func entries(entry func(label string, seconds int64) Document) []Document {
	list := make([]Document, 0, len(expireTimes))
	for _, e := range expireTimes {
		list = append(list, entry(e.Label, e.InSeconds))
	}
	return list
}

// With returns a copy in which the member has the value: in its place when the document has it, else at the end. The value is a [Raw], a
// Document, a slice of Documents, or anything encoding/json takes. With panics on a value that encoding/json refuses, as that is a fault of
// the caller's program.
func (d Document) With(name string, value any) Document {
	m := member{name: name, json: encode(value)}
	members := slices.Clone(d.members)
	if i := d.index(name); i >= 0 {
		members[i] = m
		return Document{members}
	}
	return Document{append(members, m)}
}

// Without returns a copy that lacks the member. A document that never had it is returned as it was.
func (d Document) Without(name string) Document {
	i := d.index(name)
	if i < 0 {
		return d
	}
	return Document{slices.Delete(slices.Clone(d.members), i, i+1)}
}

// JSON returns the document as compact JSON text.
func (d Document) JSON() string {
	texts := make([]string, 0, len(d.members))
	for _, m := range d.members {
		texts = append(texts, encode(m.name)+":"+m.json)
	}
	return "{" + strings.Join(texts, ",") + "}"
}

func (d Document) index(name string) int {
	return slices.IndexFunc(d.members, func(m member) bool { return m.name == name })
}

// encode writes the types of this package itself, because encoding/json would check and reformat what they hold.
func encode(value any) string {
	switch v := value.(type) {
	case Raw:
		return string(v)
	case Document:
		return v.JSON()
	case []Document:
		texts := make([]string, 0, len(v))
		for _, document := range v {
			texts = append(texts, document.JSON())
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the service does not escape <, > and &
	if err := e.Encode(value); err != nil {
		panic(fmt.Sprintf("instancetest: a document's value: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
