package provider

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// expireTimeType is the type of an element of recommended_expire_times.
var expireTimeType = expireTimesType.ElementType

// call calls a function of the provider.
func call(t *testing.T, name string, resultType tftypes.Type, arguments ...tftypes.Value) (tftypes.Value, *tfprotov6.FunctionError) {
	t.Helper()
	encoded := make([]*tfprotov6.DynamicValue, len(arguments))
	for i, argument := range arguments {
		value := dynamicValue(t, argument)
		encoded[i] = &value
	}
	server := newProtocolServer(t, New("test")())
	resp, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: encoded})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Error != nil {
		return tftypes.Value{}, resp.Error
	}
	result, err := resp.Result.Unmarshal(resultType)
	if err != nil {
		t.Fatal(err)
	}
	return result, nil
}

// TestSignatures pins what users call.
func TestSignatures(t *testing.T) {
	t.Parallel()
	const (
		entry   = `tftypes.Object["in_minutes":tftypes.Number, "in_seconds":tftypes.Number, "label":tftypes.String]`
		details = `tftypes.Object["api_version":tftypes.String, "api_version_major":tftypes.Number, "api_version_minor":tftypes.Number, ` +
			`"api_version_patch":tftypes.Number, "chunk_size":tftypes.Number, "file_max_age":tftypes.Number, "file_max_size":tftypes.Number, ` +
			`"max_transfers_in_merge":tftypes.Number, "recommended_expire_times":tftypes.List[` + entry + `], "require_password":tftypes.Bool]`
	)
	resp, err := newProtocolServer(t, New("test")()).GetFunctions(t.Context(), &tfprotov6.GetFunctionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for name, function := range resp.Functions {
		if function.VariadicParameter != nil {
			t.Errorf("%s takes any number of arguments", name)
		}
		var parameters []string
		for _, parameter := range function.Parameters {
			if parameter.AllowNullValue || parameter.AllowUnknownValues {
				t.Errorf("%s of %s may be null or unknown", parameter.Name, name)
			}
			parameters = append(parameters, parameter.Name+" "+parameter.Type.String())
		}
		got[name] = "(" + strings.Join(parameters, ", ") + ") " + function.Return.Type.String()
	}
	mustEqual(t, "the signatures", got, map[string]string{
		"parse_instance":     "(document tftypes.String) " + details,
		"select_expire_time": "(expire_times tftypes.List[" + entry + "], max_seconds tftypes.Number) " + entry,
	})
}

func TestParseInstanceGivesWhatTheDataSourceGives(t *testing.T) {
	t.Parallel()
	documents := map[string]instancetest.Document{
		"newer": instancetest.Newer(), "older": instancetest.Older(), "mixed": instancetest.Mixed(),
		// What gives a warning there is read silently here.
		"contradicting": instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{
			instancetest.NewerEntry("1 hour", 3600).With("value", 61),
		}),
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDocument(document))
			config := configOf(t, instanceType(), map[string]tftypes.Value{"base_url": text(server.URL())})
			state, _ := newProtocolServer(t, New("test")()).readAll(t.Context(), t, "filetransfer_instance", config)
			read := attributesOf(t, state, instanceType())

			result, functionError := call(t, "parse_instance", detailsType, text(document.JSON()))

			if functionError != nil {
				t.Fatal(functionError.Text)
			}
			for name, value := range elementsOf(t, result) {
				if !value.Equal(read[name]) {
					t.Errorf("%s is %s, and %s of the data source", name, value, read[name])
				}
			}
		})
	}
}

func TestParseInstanceErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document string
		want     []string
	}{
		"every fault": {
			instancetest.Newer().With("fileMaxSize", nil).Without("chunkSize").JSON(),
			[]string{"This is not an instance document:", "  - fileMaxSize: expected an integer from 0 to 9223372036854775807, found null", "  - chunkSize: expected this field"},
		},
		"not JSON": {"<html>", []string{"This is not a JSON document:", "byte 0"}},
		"empty":    {"", []string{"an empty document"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, functionError := call(t, "parse_instance", detailsType, text(test.document))
			if functionError == nil {
				t.Fatal("no error")
			}
			if functionError.FunctionArgument == nil || *functionError.FunctionArgument != 0 {
				t.Errorf("the error is on argument %v, want 0", functionError.FunctionArgument)
			}
			for _, want := range test.want {
				if !strings.Contains(functionError.Text, want) {
					t.Errorf("the error lacks %q: %s", want, functionError.Text)
				}
			}
		})
	}
}

func expireTime(label string, seconds int64) tftypes.Value {
	return tftypes.NewValue(expireTimeType, map[string]tftypes.Value{
		"label": text(label), "in_seconds": int64Value(seconds), "in_minutes": int64Value(seconds / 60),
	})
}

func expireTimeWith(name string, value any) tftypes.Value {
	fields := map[string]tftypes.Value{"label": text("1 hour"), "in_seconds": int64Value(3600), "in_minutes": int64Value(60)}
	fields[name] = tftypes.NewValue(fields[name].Type(), value)
	return tftypes.NewValue(expireTimeType, fields)
}

func number(t *testing.T, value string) tftypes.Value {
	t.Helper()
	parsed, _, err := big.ParseFloat(value, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return tftypes.NewValue(tftypes.Number, parsed)
}

func TestSelectExpireTime(t *testing.T) {
	t.Parallel()
	hour, day, week := expireTime("1 hour", 3600), expireTime("1 day", 86400), expireTime("1 week", 604800)
	tests := map[string]struct {
		times      []tftypes.Value
		maxSeconds string
		want       tftypes.Value
	}{
		"in order":                      {[]tftypes.Value{hour, day, week}, "100000", day},
		"any order":                     {[]tftypes.Value{week, hour, day}, "100000", day},
		"exactly the maximum":           {[]tftypes.Value{hour, day, week}, "86400", day},
		"one second less":               {[]tftypes.Value{hour, day, week}, "86399", hour},
		"a fraction below":              {[]tftypes.Value{hour, day}, "86399.999", hour},
		"a maximum beyond 64 bits":      {[]tftypes.Value{hour, week}, "1e30", week},
		"the first of equals":           {[]tftypes.Value{expireTime("24 hours", 86400), day}, "90000", expireTime("24 hours", 86400)},
		"an option of no length at all": {[]tftypes.Value{expireTime("now", 0), hour}, "0", expireTime("now", 0)},
		"beyond 53 bits":                {[]tftypes.Value{expireTime("a", 9007199254740993), expireTime("b", 9007199254740992)}, "9007199254740992", expireTime("b", 9007199254740992)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, functionError := call(t, "select_expire_time", expireTimeType,
				tftypes.NewValue(expireTimesType, test.times), number(t, test.maxSeconds))
			if functionError != nil {
				t.Fatal(functionError.Text)
			}
			if !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestSelectExpireTimeErrors(t *testing.T) {
	t.Parallel()
	hour := expireTime("1 hour", 3600)
	tests := map[string]struct {
		times        []tftypes.Value
		maxSeconds   string
		wantArgument int64
		want         string
	}{
		"none within":     {[]tftypes.Value{expireTime("1 day", 86400), hour}, "3599.5", maxSecondsArgument, `No expiry option is at most 3599.5 seconds long: the shortest, "1 hour", has 3600 seconds`},
		"no options":      {nil, "3600", expireTimesArgument, "The list is empty"},
		"null entry":      {[]tftypes.Value{hour, tftypes.NewValue(expireTimeType, nil)}, "3600", expireTimesArgument, "The entry at index 1 is null"},
		"null label":      {[]tftypes.Value{expireTimeWith("label", nil)}, "3600", expireTimesArgument, "The entry at index 0 has no label"},
		"null in_seconds": {[]tftypes.Value{hour, expireTimeWith("in_seconds", nil)}, "3600", expireTimesArgument, "The entry at index 1 has no in_seconds"},
		"null in_minutes": {[]tftypes.Value{expireTimeWith("in_minutes", nil)}, "3600", expireTimesArgument, "The entry at index 0 has no in_minutes"},
		"fraction": {[]tftypes.Value{expireTimeWith("in_seconds", big.NewFloat(1.5))}, "3600", expireTimesArgument,
			"The entry at index 0 has an in_seconds of 1.5, which is not a whole number"},
		"fraction of a minute": {[]tftypes.Value{hour, expireTimeWith("in_minutes", big.NewFloat(-0.25))}, "3600", expireTimesArgument,
			"The entry at index 1 has an in_minutes of -0.25, which is not a whole number"},
		"more than 64 bit": {[]tftypes.Value{expireTimeWith("in_seconds", big.NewFloat(1e30))}, "3600", expireTimesArgument,
			"The entry at index 0 has an in_seconds of 1e+30, which is not a whole number of 64 bits"},
		"a maximum with many digits": {[]tftypes.Value{hour}, "-1e300", maxSecondsArgument, "No expiry option is at most -1e+300 seconds long"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, functionError := call(t, "select_expire_time", expireTimeType,
				tftypes.NewValue(expireTimesType, test.times), number(t, test.maxSeconds))
			if functionError == nil {
				t.Fatal("no error")
			}
			if functionError.FunctionArgument == nil || *functionError.FunctionArgument != test.wantArgument {
				t.Errorf("the error is on argument %v, want %d", functionError.FunctionArgument, test.wantArgument)
			}
			if !strings.Contains(functionError.Text, test.want) {
				t.Errorf("the error lacks %q: %s", test.want, functionError.Text)
			}
		})
	}
}

func TestSelectExpireTimeOfUnknownsIsUnknown(t *testing.T) {
	t.Parallel()
	tests := map[string]tftypes.Value{
		"entry":      tftypes.NewValue(expireTimeType, tftypes.UnknownValue),
		"in_seconds": expireTimeWith("in_seconds", tftypes.UnknownValue),
	}
	for name, unknown := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, functionError := call(t, "select_expire_time", expireTimeType,
				tftypes.NewValue(expireTimesType, []tftypes.Value{expireTime("1 hour", 3600), unknown}), number(t, "4000"))
			if functionError != nil {
				t.Fatal(functionError.Text)
			}
			if got.IsKnown() {
				t.Errorf("got %s, want unknown: the longest option is not known yet", got)
			}
		})
	}
}

func TestFunctionTypesAreThoseOfTheDataSource(t *testing.T) {
	t.Parallel()
	attribute := instanceSchema().Attributes["recommended_expire_times"].GetType().TerraformType(t.Context())
	for what, element := range map[string]types.ObjectType{"take": expireTimeArgument, "return": expireTimeObject} {
		if of := (types.ListType{ElemType: element}).TerraformType(t.Context()); !attribute.Equal(of) {
			t.Errorf("recommended_expire_times is %s, and the functions %s %s", attribute, what, of)
		}
	}
}
