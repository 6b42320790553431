package provider_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

var update = flag.Bool("update", false, "write the files in testdata that tests compare messages with")

// arguments are those of a block, by name. A value is a string, a bool, a number, a [texts], the arguments of a nested block, or unknown.
// Arguments that are not there are null.
type arguments map[string]any

// texts is a map of strings, such as request_headers. A text may also be nil or unknown.
type texts map[string]any

const unknown = tftypes.UnknownValue

// session is a provider to which tests send what Terraform sends.
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

// validate validates a block of a configuration, which is "provider" or the type of a data source or a resource, and returns the
// diagnostics as text.
func (s session) validate(t testing.TB, block string, config arguments) string {
	t.Helper()
	if block == "provider" {
		resp, err := s.server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{
			Config: dynamicValue(t, s.schemas.Provider.ValueType(), config),
		})
		must(t, err)
		return sortedTextOf(resp.Diagnostics)
	}
	if schema, ok := s.schemas.DataSourceSchemas[block]; ok {
		resp, err := s.server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
			TypeName: block, Config: dynamicValue(t, schema.ValueType(), config),
		})
		must(t, err)
		return sortedTextOf(resp.Diagnostics)
	}
	resp, err := s.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: block, Config: dynamicValue(t, s.schemas.ResourceSchemas[block].ValueType(), config),
	})
	must(t, err)
	return sortedTextOf(resp.Diagnostics)
}

// read reads filetransfer_instances if there are base_urls, or else filetransfer_instance. It returns the state, which is nil if there is
// an error, and the diagnostics as text.
func (s session) read(ctx context.Context, t testing.TB, source arguments) (state map[string]tftypes.Value, text string) {
	t.Helper()
	resp, of := s.readResponse(ctx, t, source, false)
	value, err := resp.State.Unmarshal(of)
	must(t, err)
	if !value.IsNull() {
		must(t, value.As(&state))
	}
	return state, textOf(resp.Diagnostics)
}

func (s session) readResponse(
	ctx context.Context, t testing.TB, source arguments, deferralAllowed bool,
) (*tfprotov6.ReadDataSourceResponse, tftypes.Type) {
	t.Helper()
	name := "filetransfer_instance"
	if source["base_urls"] != nil {
		name = "filetransfer_instances"
	}
	of := s.schemas.DataSourceSchemas[name].ValueType()
	resp, err := s.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: dynamicValue(t, of, source),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: deferralAllowed},
	})
	must(t, err)
	return resp, of
}

func dynamicValue(t testing.TB, of tftypes.Type, config arguments) *tfprotov6.DynamicValue {
	t.Helper()
	if config == nil {
		config = arguments{}
	}
	value, err := tfprotov6.NewDynamicValue(of, valueOf(of, config))
	must(t, err)
	return &value
}

// valueOf returns a value as one of a type. It panics if the type does not have an argument.
func valueOf(of tftypes.Type, value any) tftypes.Value {
	members := make(map[string]tftypes.Value)
	switch value := value.(type) {
	case arguments:
		types := of.(tftypes.Object).AttributeTypes
		for name := range value {
			if types[name] == nil {
				panic("there is no argument " + name)
			}
		}
		for name, memberType := range types {
			members[name] = valueOf(memberType, value[name])
		}
		return tftypes.NewValue(of, members)
	case texts:
		for name, text := range value {
			members[name] = tftypes.NewValue(tftypes.String, text)
		}
		return tftypes.NewValue(of, members)
	default:
		return tftypes.NewValue(of, value)
	}
}

// textOf returns diagnostics as text, with the argument at which each is.
func textOf(diagnostics []*tfprotov6.Diagnostic) string {
	return strings.Join(textsOf(diagnostics), "\n")
}

// sortedTextOf is textOf for diagnostics of a validation, which come in any order.
func sortedTextOf(diagnostics []*tfprotov6.Diagnostic) string {
	return strings.Join(slices.Sorted(slices.Values(textsOf(diagnostics))), "\n")
}

func textsOf(diagnostics []*tfprotov6.Diagnostic) (messages []string) {
	for _, d := range diagnostics {
		heading := "Warning"
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			heading = "Error"
		}
		if path := pathOf(d.Attribute); path != "" {
			heading += " at " + path
		}
		messages = append(messages, heading+": "+d.Summary+"\n\n"+d.Detail+"\n")
	}
	return messages
}

func pathOf(path *tftypes.AttributePath) string {
	text := ""
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			text += "." + string(step)
		case tftypes.ElementKeyString:
			text += fmt.Sprintf("[%q]", string(step))
		default:
			text += fmt.Sprintf("[%v]", step)
		}
	}
	return strings.TrimPrefix(text, ".")
}

// requireGolden compares messages with a file in testdata. With the flag -update, it writes the file instead. Rows that -run leaves out
// count as unchanged.
func requireGolden(t *testing.T, file string, messages map[string]string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	golden, err := os.ReadFile(path)
	must(t, err)
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		rows := regexp.MustCompile(`(?m)^=== (.*) ===\n\n`).FindAllSubmatchIndex(golden, -1)
		for i, row := range rows {
			end := len(golden)
			if i+1 < len(rows) {
				end = rows[i+1][0]
			}
			if name := string(golden[row[2]:row[3]]); messages[name] == "" {
				messages[name] = strings.TrimSuffix(string(golden[row[1]:end]), "\n")
			}
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(messages)) {
		fmt.Fprintf(&text, "=== %s ===\n\n%s\n", name, messages[name])
	}
	if *update {
		must(t, os.WriteFile(path, []byte(text.String()), 0o600))
		return
	}
	if diff := cmp.Diff(strings.Split(string(golden), "\n"), strings.Split(text.String(), "\n")); diff != "" {
		t.Errorf("%s differs, want (-), got (+). If the new messages are right, run the test with -update.\n%s", path, diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
