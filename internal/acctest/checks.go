package acctest

import (
	"context"
	"errors"
	"fmt"
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

// changeOf returns what a plan says about a resource.
func changeOf(plan *tfjson.Plan, address string) (*tfjson.Change, error) {
	for _, change := range plan.ResourceChanges {
		if change.Address == address {
			return change.Change, nil
		}
	}
	return nil, fmt.Errorf("%s is not in the plan", address)
}

// ExpectUnknownOnly checks that these attributes of a resource are unknown in a plan, and all others known.
func ExpectUnknownOnly(address string, names ...string) plancheck.PlanCheck {
	return planCheck(func(plan *tfjson.Plan) error {
		change, err := changeOf(plan, address)
		if err != nil {
			return err
		}
		after, _ := change.AfterUnknown.(map[string]any)
		for _, name := range names {
			if after[name] != true {
				err = errors.Join(err, fmt.Errorf("%s of %s is known in the plan", name, address))
			}
		}
		for name, unknown := range after {
			if unknown == true && !slices.Contains(names, name) {
				err = errors.Join(err, fmt.Errorf("%s of %s is unknown in the plan", name, address))
			}
		}
		return err
	})
}

// ExpectPriorValue checks what an attribute of a resource is before a plan is applied.
func ExpectPriorValue(address string, path tfjsonpath.Path, want knownvalue.Check) plancheck.PlanCheck {
	return planCheck(func(plan *tfjson.Plan) error {
		change, err := changeOf(plan, address)
		if err != nil {
			return err
		}
		before, err := tfjsonpath.Traverse(change.Before, path)
		if err != nil {
			return err
		}
		return want.CheckValue(before)
	})
}

// Run runs a function when plans are checked: in PreApply before the apply, in PostApplyPreRefresh after it.
func Run(run func() error) plancheck.PlanCheck {
	return planCheck(func(*tfjson.Plan) error { return run() })
}

// ExpectChangedOnly checks that a plan changes these attributes of a resource, and no others. An unknown one counts as changed.
func ExpectChangedOnly(address string, names ...string) plancheck.PlanCheck {
	return planCheck(func(plan *tfjson.Plan) error {
		change, err := changeOf(plan, address)
		if err != nil {
			return err
		}
		before, _ := change.Before.(map[string]any)
		after, _ := change.After.(map[string]any)
		unknown, _ := change.AfterUnknown.(map[string]any)
		var changed []string
		for name := range before {
			if unknown[name] == true || !reflect.DeepEqual(before[name], after[name]) {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		if slices.Sort(names); !slices.Equal(changed, names) {
			return fmt.Errorf("the plan changes %q of %s, want %q", changed, address, names)
		}
		return nil
	})
}
