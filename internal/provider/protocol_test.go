package provider_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

var update = flag.Bool("update", false, "write the files in testdata that tests compare messages with")

// arguments are those of a block, by name. A value is a string, a bool, a number, a [texts], the arguments of a nested
// block, or unknown. Arguments that are not there are null.
type arguments map[string]any

// texts is a map of strings, such as request_headers. A text may also be nil or unknown.
type texts map[string]any

const unknown = tftypes.UnknownValue

// session is a provider to which tests send what Terraform sends. Tests that need no CLI run in a second, and
// terraform-plugin-testing can show neither warnings nor deferrals.
type session struct {
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

func newSession(t testing.TB) session {
	t.Helper()
	server, err := acctest.ProtoV6ProviderFactories["filetransfer"]()
	must(t, err)
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	must(t, err)
	return session{server, schemas}
}

// configured returns a session with a configured provider, which must not have diagnostics.
func configured(t testing.TB, provider arguments) session {
	t.Helper()
	s := newSession(t)
	if text := s.configure(t, provider); text != "" {
		t.Fatalf("the provider cannot be configured:\n%s", text)
	}
	return s
}

// configure configures the provider, and returns its diagnostics as text.
func (s session) configure(t testing.TB, provider arguments) string {
	t.Helper()
	resp, err := s.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4", Config: dynamicValue(t, s.schemas.Provider.ValueType(), provider),
	})
	must(t, err)
	return textOf(resp.Diagnostics)
}

// validate validates a block, which is "provider" or the type of a data source or a resource, and returns the
// diagnostics as text, sorted: they come in any order.
func (s session) validate(t testing.TB, block string, config arguments) string {
	t.Helper()
	var diagnostics []*tfprotov6.Diagnostic
	if schema := s.schemas.DataSourceSchemas[block]; schema != nil {
		resp, err := s.server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
			TypeName: block, Config: dynamicValue(t, schema.ValueType(), config),
		})
		must(t, err)
		diagnostics = resp.Diagnostics
	} else if schema := s.schemas.ResourceSchemas[block]; schema != nil {
		resp, err := s.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: block, Config: dynamicValue(t, schema.ValueType(), config),
		})
		must(t, err)
		diagnostics = resp.Diagnostics
	} else {
		resp, err := s.server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{
			Config: dynamicValue(t, s.schemas.Provider.ValueType(), config),
		})
		must(t, err)
		diagnostics = resp.Diagnostics
	}
	slices.SortFunc(diagnostics, func(a, b *tfprotov6.Diagnostic) int {
		return strings.Compare(textOf([]*tfprotov6.Diagnostic{a}), textOf([]*tfprotov6.Diagnostic{b}))
	})
	return textOf(diagnostics)
}

// read reads filetransfer_instances if there are base_urls, or else filetransfer_instance. It returns the state, which
// is nil if there is none, the diagnostics as text, and whether the read is deferred.
func (s session) read(
	ctx context.Context, t testing.TB, source arguments, deferralAllowed bool,
) (state map[string]tftypes.Value, text string, deferred bool) {
	t.Helper()
	name := "filetransfer_instance"
	if source["base_urls"] != nil {
		name = "filetransfer_instances"
	}
	schema := s.schemas.DataSourceSchemas[name].ValueType()
	resp, err := s.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: dynamicValue(t, schema, source),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: deferralAllowed},
	})
	must(t, err)
	value, err := resp.State.Unmarshal(schema)
	must(t, err)
	if value.IsKnown() && !value.IsNull() {
		must(t, value.As(&state))
	}
	return state, textOf(resp.Diagnostics), isDeferred(resp.Deferred) && !value.IsKnown()
}

func isDeferred(deferred *tfprotov6.Deferred) bool {
	return deferred != nil && deferred.Reason == tfprotov6.DeferredReasonProviderConfigUnknown
}

// requireRead reads a data source, which must have no diagnostics.
func (s session) requireRead(t testing.TB, source arguments) map[string]tftypes.Value {
	t.Helper()
	state, text, _ := s.read(t.Context(), t, source, false)
	if text != "" {
		t.Fatalf("the read has diagnostics:\n%s", text)
	}
	return state
}

func dynamicValue(t testing.TB, schema tftypes.Type, config any) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := tfprotov6.NewDynamicValue(schema, newValue(schema, config))
	must(t, err)
	return &value
}

// newValue returns a value of a type, which may be one already. It panics if the type does not have an argument.
func newValue(valueType tftypes.Type, value any) tftypes.Value {
	members := make(map[string]tftypes.Value)
	switch value := value.(type) {
	case tftypes.Value:
		return value
	case arguments:
		memberTypes := valueType.(tftypes.Object).AttributeTypes
		for name := range value {
			if memberTypes[name] == nil {
				panic("there is no argument " + name)
			}
		}
		for name, memberType := range memberTypes {
			members[name] = newValue(memberType, value[name])
		}
		return tftypes.NewValue(valueType, members)
	case texts:
		for name, text := range value {
			members[name] = tftypes.NewValue(tftypes.String, text)
		}
		return tftypes.NewValue(valueType, members)
	default:
		return tftypes.NewValue(valueType, value)
	}
}

// textOf returns diagnostics as text, with the argument at which each is.
func textOf(diagnostics []*tfprotov6.Diagnostic) string {
	var messages []string
	for _, diagnostic := range diagnostics {
		heading, path := "Warning", ""
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			heading = "Error"
		}
		for _, step := range diagnostic.Attribute.Steps() {
			switch step := step.(type) {
			case tftypes.AttributeName:
				path += "." + string(step)
			default:
				path += fmt.Sprintf("[%q]", step)
			}
		}
		if path != "" {
			heading += " at " + path[1:]
		}
		messages = append(messages, heading+": "+diagnostic.Summary+"\n\n"+diagnostic.Detail+"\n")
	}
	return strings.Join(messages, "\n")
}

// requireGolden compares messages with a file in testdata. With the flag -update, it writes the file instead. Rows that
// -run leaves out are not compared.
func requireGolden(t *testing.T, file string, messages map[string]string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(messages)) {
			fmt.Fprintf(&text, "=== %s ===\n\n%s\n", name, messages[name])
		}
		must(t, os.WriteFile(path, []byte(text.String()), 0o600))
		return
	}
	content, err := os.ReadFile(path)
	must(t, err)
	golden := make(map[string]string)
	for row := range strings.SplitSeq("\n"+string(content), "\n=== ") {
		name, text, _ := strings.Cut(row, " ===\n\n")
		if _, ran := messages[name]; name != "" && (ran || !strings.Contains(flag.Lookup("test.run").Value.String(), "/")) {
			golden[name] = strings.TrimRight(text, "\n")
		}
	}
	for name, message := range messages {
		messages[name] = strings.TrimRight(message, "\n")
	}
	if diff := cmp.Diff(golden, messages); diff != "" {
		t.Errorf("%s differs, want (-), got (+). If the new messages are right, use -update.\n%s", path, diff)
	}
}

// requireNone checks that a text has no secret, and no sign that its parts do not fit together.
func requireNone(t *testing.T, name, text string, secrets ...string) {
	t.Helper()
	for _, part := range append(secrets, "hunter2", "..\n", ". .", "  \n", "%!", "bug in the provider", "\x1b") {
		if strings.Contains(text, part) {
			t.Errorf("%s: %q is in the text:\n%s", name, part, text)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
