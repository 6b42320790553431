package instancetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Raw is text that [Document.With] takes as it stands, such as "20000000.0", or what is not JSON at all.
type Raw string

// Document is an instance document, or an expiry entry in one. It never changes; With and Without return copies.
type Document struct{ members []member }

// member holds its value as JSON text, so that a document delivers exactly what its writer asked for.
type member struct{ name, json string }

// expireTimes are the suggestions in the service's documentation.
var expireTimes = []instance.ExpireTime{
	{Label: "30 minutes", InSeconds: 1800}, {Label: "1 hour", InSeconds: 3600}, {Label: "6 hours", InSeconds: 21600},
	{Label: "12 hours", InSeconds: 43200}, {Label: "1 day", InSeconds: 86400}, {Label: "1 week", InSeconds: 604800},
	{Label: "2 weeks", InSeconds: 1209600}, {Label: "1 month", InSeconds: 2592000},
}

// Newer returns a document of the newer shape, with maxTransfersInMerge and inSeconds, so that values are in minutes.
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
		APIVersion:          "2.1.5",
		FileMaxAgeSeconds:   2592000,
		MaxTransfersInMerge: 50,

		RecommendedExpireTimes: slices.Clone(expireTimes),
	}
}

// Older returns a document of the older shape, without maxTransfersInMerge and inSeconds: values are in seconds.
func Older() Document {
	return Document{}.
		With("fileMaxSize", int64(21474836480)).
		With("chunkSize", 10000000).
		With("requirePassword", false).
		With("apiVersion", "1.3.2").
		With("fileMaxAge", "2592000").
		With("recommendedExpireTimes", entries(func(label string, seconds int64) Document {
			return Document{}.With("label", label).With("value", seconds)
		}))
}

// Mixed returns a document as releases between the shapes deliver it. A reader that decides units by version gets it
// wrong.
func Mixed() Document {
	return Newer().Without("maxTransfersInMerge").With("apiVersion", "1.5.0").With("fileMaxAge", 2592000)
}

// NewerEntry returns an expiry entry of the newer shape: inSeconds is seconds, and value is whole minutes.
func NewerEntry(label string, seconds int64) Document {
	return Document{}.With("label", label).With("inSeconds", seconds).With("value", seconds/60)
}

func entries(entry func(label string, seconds int64) Document) (list []Document) {
	for _, e := range expireTimes {
		list = append(list, entry(e.Label, e.InSeconds))
	}
	return list
}

// With returns a copy in which the member has the value: in its place when the document has it, else at the end. The
// value is a [Raw], a Document, a slice of Documents, or anything encoding/json takes.
func (d Document) With(name string, value any) Document {
	members := slices.Clone(d.members)
	if i := slices.IndexFunc(members, func(m member) bool { return m.name == name }); i >= 0 {
		members[i].json = encode(value)
		return Document{members}
	}
	return Document{append(members, member{name, encode(value)})}
}

// Without returns a copy that lacks the member.
func (d Document) Without(name string) Document {
	return Document{slices.DeleteFunc(slices.Clone(d.members), func(m member) bool { return m.name == name })}
}

// JSON returns the document as compact JSON text.
func (d Document) JSON() string {
	var texts []string
	for _, m := range d.members {
		texts = append(texts, encode(m.name)+":"+m.json)
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// encode writes the types of this package itself, because encoding/json would check and reformat what they hold.
func encode(value any) string {
	switch v := value.(type) {
	case Raw:
		return string(v)
	case Document:
		return v.JSON()
	case []Document:
		var texts []string
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
