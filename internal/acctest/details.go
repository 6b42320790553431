package acctest

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// NewerDetails returns checks of the details of instancetest.Newer(), by attribute, but for those that differ.
func NewerDetails(differences map[string]knownvalue.Check) map[string]knownvalue.Check {
	var attributes map[string]any
	if err := json.Unmarshal([]byte(instancetest.NewerAttributes), &attributes); err != nil {
		panic(err)
	}
	checks := checksOf(attributes)
	maps.Copy(checks, differences)
	return checks
}

func checksOf(values map[string]any) map[string]knownvalue.Check {
	checks := make(map[string]knownvalue.Check)
	for name, value := range values {
		checks[name] = checkOf(value)
	}
	return checks
}

// checkOf returns a check that a value is as in JSON.
func checkOf(value any) knownvalue.Check {
	switch value := value.(type) {
	case nil:
		return knownvalue.Null()
	case bool:
		return knownvalue.Bool(value)
	case float64:
		return knownvalue.Int64Exact(int64(value))
	case string:
		return knownvalue.StringExact(value)
	case map[string]any:
		return knownvalue.ObjectExact(checksOf(value))
	case []any:
		elements := make([]knownvalue.Check, len(value))
		for i, element := range value {
			elements[i] = checkOf(element)
		}
		return knownvalue.ListExact(elements)
	}
	panic(fmt.Sprintf("no check of %T", value))
}

// ExpireTime checks one of recommended_expire_times.
func ExpireTime(label string, seconds int64) knownvalue.Check {
	return checkOf(map[string]any{"label": label, "in_seconds": float64(seconds), "in_minutes": float64(seconds / 60)})
}
