package instance

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ExpireTime is an expiry option: a lifetime that the instance suggests.
type ExpireTime struct {
	// Label is the localized name of the duration.
	Label string
	// InSeconds is the duration in seconds.
	InSeconds int64
	// Ambiguity says why the unit of the duration is uncertain, and how it was read. It is empty if the unit is certain. Of the document,
	// it contains only numbers.
	Ambiguity string
}

// InMinutes returns the duration in minutes, rounded down.
func (e ExpireTime) InMinutes() int64 { return e.InSeconds / secondsPerMinute }

const secondsPerMinute = 60

// maxExpireTimes is the maximum number of expiry options. Instances have about eight.
const maxExpireTimes = 100

// entry is an expiry option as delivered.
type entry struct {
	label     string
	inSeconds *int64 // nil if absent
	value     int64
}

func (e entry) hasSeconds() bool { return e.inSeconds != nil }

// readEntries reads the expiry options, without those that are no objects.
func readEntries(invalid *DocumentError, values []jsontext.Value) []entry {
	if len(values) > maxExpireTimes {
		invalid.add(Fault{
			Path:    "recommendedExpireTimes",
			Problem: fmt.Sprintf("expected at most %d entries, found %d", maxExpireTimes, len(values)),
		})
		values = values[:maxExpireTimes]
	}
	entries := make([]entry, 0, len(values))
	for i, value := range values {
		path := entryPath(i)
		if members, ok := readValue(invalid, path, value, entryType); ok {
			option := object{members: members, prefix: path + ".", invalid: invalid}
			entries = append(entries, entry{
				label:     required(option, "label", stringType),
				inSeconds: optional(option, "inSeconds", integerType),
				value:     required(option, "value", integerType),
			})
		}
	}
	return entries
}

// valuesAreMinutes reports whether the values of entries are in minutes although none has inSeconds, which is a fault of release 1.1.1 of
// the service. Its shortest option is half an hour, so a value below 60 shows that this is the release, and not another build that reports
// its version.
func valuesAreMinutes(entries []entry, version Version) bool {
	return version.Text == "1.1.1" && !slices.ContainsFunc(entries, entry.hasSeconds) &&
		slices.ContainsFunc(entries, func(e entry) bool { return e.value < secondsPerMinute })
}

// addSeconds gives entries whose values are in minutes the inSeconds that they lack. It adds a fault for each whose seconds would be beyond
// int64.
func addSeconds(invalid *DocumentError, entries []entry) {
	const maxMinutes = math.MaxInt64 / secondsPerMinute
	for i, e := range entries {
		if e.value > maxMinutes {
			invalid.add(Fault{
				Path:    entryPath(i) + ".value",
				Problem: "expected " + upTo(integerType.expected, maxMinutes) + ", found a number",
				Found:   strconv.FormatInt(e.value, 10),
			})
		}
		seconds := e.value * secondsPerMinute
		entries[i].inSeconds = &seconds
	}
}

// newExpireTimes returns the expiry options. The unit of a value depends on the shape of its entry, as in the documentation of the service:
// with inSeconds, the value is in minutes. Without it, the value is in seconds.
func newExpireTimes(entries []entry) []ExpireTime {
	someHaveSeconds := slices.ContainsFunc(entries, entry.hasSeconds)
	options := make([]ExpireTime, 0, len(entries))
	for _, e := range entries {
		option := ExpireTime{Label: e.label, InSeconds: e.value}
		switch {
		case e.hasSeconds():
			option.InSeconds = *e.inSeconds
			if option.InMinutes() != e.value {
				option.Ambiguity = fmt.Sprintf("its inSeconds is %d and was used, but its value is %d minutes", *e.inSeconds, e.value)
			}
		case someHaveSeconds:
			option.Ambiguity = fmt.Sprintf(
				"its value is %d, without the inSeconds that other options have, and was read as seconds", e.value)
		case e.value < secondsPerMinute:
			option.Ambiguity = fmt.Sprintf("its value is %d, without inSeconds, and was read as seconds", e.value)
		}
		options = append(options, option)
	}
	return options
}

func entryPath(index int) string { return fmt.Sprintf("recommendedExpireTimes[%d]", index) }
