package acctest

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// ExpectKnownValues is [statecheck.ExpectKnownValue] for several attributes of a resource.
func ExpectKnownValues(address string, values map[string]knownvalue.Check) []statecheck.StateCheck {
	var checks []statecheck.StateCheck
	for name, value := range values {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), value))
	}
	return checks
}

// planCheck makes a plan check of a function.
type planCheck func(plan *tfjson.Plan) error

func (check planCheck) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	resp.Error = check(req.Plan)
}

// Run runs a function when plans are checked, such as before an apply.
func Run(run func() error) plancheck.PlanCheck {
	return planCheck(func(*tfjson.Plan) error { return run() })
}

// expectOnly checks that these attributes of a resource are of some kind in a plan, and no others.
func expectOnly(
	address, kind string, names []string, isOfKind func(before, after, unknown any) bool,
) plancheck.PlanCheck {
	return planCheck(func(plan *tfjson.Plan) error {
		i := slices.IndexFunc(plan.ResourceChanges, func(c *tfjson.ResourceChange) bool { return c.Address == address })
		if i < 0 {
			return fmt.Errorf("%s is not in the plan", address)
		}
		change := plan.ResourceChanges[i].Change
		before, _ := change.Before.(map[string]any)
		after, _ := change.After.(map[string]any)
		unknown, _ := change.AfterUnknown.(map[string]any)
		all := make(map[string]bool)
		for _, attributes := range []map[string]any{before, after, unknown} {
			for name := range attributes {
				all[name] = true
			}
		}
		maps.DeleteFunc(all, func(name string, _ bool) bool { return !isOfKind(before[name], after[name], unknown[name]) })
		got := slices.Sorted(maps.Keys(all))
		if want := slices.Sorted(slices.Values(names)); !slices.Equal(got, want) {
			return fmt.Errorf("%s of %s are %q in the plan, want %q", kind, address, got, want)
		}
		return nil
	})
}

// ExpectUnknownOnly checks that these attributes of a resource are unknown in a plan, and all others known.
func ExpectUnknownOnly(address string, names ...string) plancheck.PlanCheck {
	return expectOnly(address, "the unknown attributes", names, func(_, _, unknown any) bool { return unknown == true })
}

// ExpectChangedOnly checks that a plan changes these attributes of a resource, and no others. An unknown one counts as
// changed.
func ExpectChangedOnly(address string, names ...string) plancheck.PlanCheck {
	return expectOnly(address, "the attributes that change", names, func(before, after, unknown any) bool {
		return unknown == true || !reflect.DeepEqual(before, after)
	})
}

// NewerDetails returns checks of the details of instancetest.Newer(), by attribute, but for those that differ.
func NewerDetails(differences map[string]knownvalue.Check) map[string]knownvalue.Check {
	checks := map[string]knownvalue.Check{
		"file_max_size":          knownvalue.Int64Exact(64424509440),
		"chunk_size":             knownvalue.Int64Exact(20000000),
		"require_password":       knownvalue.Bool(true),
		"api_version":            knownvalue.StringExact("2.1.5"),
		"file_max_age":           knownvalue.Int64Exact(2592000),
		"max_transfers_in_merge": knownvalue.Int64Exact(50),
		"recommended_expire_times": knownvalue.ListExact([]knownvalue.Check{
			ExpireTime("30 minutes", 1800), ExpireTime("1 hour", 3600), ExpireTime("6 hours", 21600),
			ExpireTime("12 hours", 43200), ExpireTime("1 day", 86400), ExpireTime("1 week", 604800),
			ExpireTime("2 weeks", 1209600), ExpireTime("1 month", 2592000),
		}),
	}
	maps.Copy(checks, differences)
	return checks
}

// ExpireTime checks one of recommended_expire_times.
func ExpireTime(label string, seconds int64) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"label":      knownvalue.StringExact(label),
		"in_seconds": knownvalue.Int64Exact(seconds),
		"in_minutes": knownvalue.Int64Exact(seconds / 60),
	})
}
