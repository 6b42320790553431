package instance

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TrimByteOrderMark returns document without a byte order mark, which JSON does not allow (RFC 8259, section 8.1).
func TrimByteOrderMark(document []byte) []byte {
	return bytes.TrimPrefix(document, []byte("\uFEFF"))
}

// The fields of an instance document and of an expiry option.
var (
	documentFields = []string{
		"fileMaxSize", "chunkSize", "requirePassword", "apiVersion", "fileMaxAge", "maxTransfersInMerge",
		"recommendedExpireTimes",
	}
	entryFields = []string{"label", "inSeconds", "value"}
)

// Parse reads an instance document of any release.
//
// Names of members are case-sensitive, and unknown members are ignored. The unit of an expiry option depends on whether it has inSeconds,
// not on apiVersion, except for release 1.1.1, which reports minutes without inSeconds.
//
// The error is always a [*DocumentError], and the details are then nil. A document that is not JSON, or has a duplicate member at any
// depth, has only that fault. Otherwise every required field that is missing, every field that is null, of another type or out of range,
// and a list of more than 100 expiry options is a fault.
func Parse(document []byte) (*Details, error) {
	document = TrimByteOrderMark(document)
	// Check all of it first: text such as "404 not found" begins with a JSON number.
	var whole jsontext.Value
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, syntaxError(document, err)
	}
	var invalid DocumentError
	root, ok := readValue(&invalid, WholeDocument, whole, documentType)
	invalid.HasNoField = !slices.ContainsFunc(documentFields, func(name string) bool { return root[name] != nil })
	if !ok {
		return nil, &invalid
	}
	details := readDetails(object{members: root, invalid: &invalid})
	if len(invalid.Faults) > 0 {
		return nil, &invalid
	}
	return details, nil
}

// readDetails reads the fields in their documented order, which is also that of the faults.
func readDetails(root object) *Details {
	details := &Details{
		FileMaxSizeBytes:  required(root, "fileMaxSize", limitType),
		ChunkSizeBytes:    required(root, "chunkSize", limitType),
		RequirePassword:   required(root, "requirePassword", booleanType),
		APIVersion:        required(root, "apiVersion", versionType),
		FileMaxAgeSeconds: required(root, "fileMaxAge", ageType),
	}
	details.MaxTransfersInMerge = documentedMergeLimit(details.APIVersion)
	if limit := optional(root, "maxTransfersInMerge", limitType); limit != nil {
		details.MaxTransfersInMerge = *limit
	}
	entries := readEntries(root.invalid, required(root, "recommendedExpireTimes", arrayType))
	// After a fault, an entry may be missing, or its value be unknown.
	if len(root.invalid.Faults) == 0 && valuesAreMinutes(entries, details.APIVersion) {
		addSeconds(root.invalid, entries)
	}
	details.RecommendedExpireTimes = newExpireTimes(entries)
	return details
}

// object is a JSON object of the document.
type object struct {
	members map[string]jsontext.Value
	// prefix begins the paths of the members: "" or "recommendedExpireTimes[3].".
	prefix  string
	invalid *DocumentError
}

// required returns the value of a member. If the member is missing or invalid, it adds a fault and returns zero.
func required[T any](from object, name string, as valueType[T]) (value T) {
	if _, ok := from.members[name]; !ok {
		from.invalid.add(Fault{Path: from.prefix + name, Problem: "required, but missing"})
	} else if found := optional(from, name, as); found != nil {
		value = *found
	}
	return value
}

// optional returns the value of a member, or nil if the member is missing. If it is invalid, optional adds a fault and returns nil.
func optional[T any](from object, name string, as valueType[T]) *T {
	if member, ok := from.members[name]; ok {
		if value, ok := readValue(from.invalid, from.prefix+name, member, as); ok {
			return &value
		}
	}
	return nil
}

// readValue reads a JSON value as a type. If it is not of that type, readValue adds a fault and returns false.
func readValue[T any](invalid *DocumentError, path string, found jsontext.Value, as valueType[T]) (value T, ok bool) {
	value, err := as.read(found)
	if err == nil {
		return value, true
	}
	expected := as.expected
	if errors.Is(err, strconv.ErrRange) {
		expected = upTo(expected, math.MaxInt64)
	}
	kind := cmp.Or(kindsInWords[found.Kind()], found.Kind().String())
	fault := Fault{Path: path, Problem: "expected " + expected + ", found " + kind}
	switch text, err := readString(found); {
	case err == nil:
		fault.Found = text
	case found.Kind() == jsontext.KindNumber:
		fault.Found = string(found)
	case found.Kind() == jsontext.KindNull:
		fault.Problem += as.nullMeans
	}
	invalid.add(fault)
	return value, false
}

// upTo adds the largest number to a description of numbers.
func upTo(expected string, largest int64) string {
	return fmt.Sprintf("%s up to %d", expected, largest)
}

// kindsInWords has the kinds of JSON values whose names are not null, true and false.
var kindsInWords = map[jsontext.Kind]string{
	jsontext.KindString: "a string", jsontext.KindNumber: "a number",
	jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "an array",
}
