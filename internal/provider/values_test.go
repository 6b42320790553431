package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestValuesOfAnObjectAreACopy: a new state is made of those of a configuration.
func TestValuesOfAnObjectAreACopy(t *testing.T) {
	t.Parallel()
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"base_url": tftypes.String}}
	config := valueOf(t, object, args{"base_url": "https://files.example.org"})
	elementsOf(config)["base_url"] = stringValue("changed")
	mustEqual(t, "base_url", plain(t, config).(args)["base_url"], "https://files.example.org")
}
