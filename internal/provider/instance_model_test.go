package provider

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestNewDetailsModel(t *testing.T) {
	t.Parallel()
	newer := instancetest.NewerDetails()
	model := nullModel[instanceModel](t, instanceState())
	model.detailsModel = newDetailsModel(&newer)
	var want map[string]json.RawMessage
	if err := json.Unmarshal([]byte(instancetest.NewerAttributes), &want); err != nil {
		t.Fatal(err)
	}
	if len(model.values()) != len(want) || len(detailsTypes) != len(want) {
		t.Errorf("there are %d values, and %d attributes, want %d", len(model.values()), len(detailsTypes), len(want))
	}
	state := withModel(t, instanceState(), &model)
	for name, wantJSON := range want {
		attribute := model.values()[name]
		requireNoDiagnostics(t, state.GetAttribute(t.Context(), path.Root(name), &attribute))
		if value := model.values()[name]; !attribute.Equal(value) {
			t.Errorf("values has %s = %s, and the attribute is %s", name, value, attribute)
		}
		requireJSON(t, name, attribute.String(), string(wantJSON)) // the framework writes values as JSON
	}
}

func TestExpireTimesValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options []instance.ExpireTime
		want    string
	}{
		"none": {want: `[]`},
		"minutes are rounded down": {
			options: []instance.ExpireTime{{Label: "a", InSeconds: 119}, {Label: "b", InSeconds: 59}},
			want:    `[{"label": "a", "in_seconds": 119, "in_minutes": 1}, {"label": "b", "in_seconds": 59, "in_minutes": 0}]`,
		},
		"a label that is not in NFC": { // Terraform stores it in NFC
			options: []instance.ExpireTime{{Label: "1 anne\u0301e", InSeconds: 31536000}},
			want:    `[{"label": "1 ann\u00e9e", "in_seconds": 31536000, "in_minutes": 525600}]`,
		},
	}
	for name, test := range tests {
		requireJSON(t, name, expireTimesValue(test.options).String(), test.want)
	}
}

// requireJSON compares two texts in JSON.
func requireJSON(t *testing.T, name, got, want string) {
	t.Helper()
	var gotValue, wantValue any
	if err := errors.Join(json.Unmarshal([]byte(got), &gotValue), json.Unmarshal([]byte(want), &wantValue)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(wantValue, gotValue); diff != "" {
		t.Errorf("%s differs, want (-), got (+):\n%s", name, diff)
	}
}
