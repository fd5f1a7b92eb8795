package adversary

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Shows: RFC-28.
func TestEveryAttackIsComplete(t *testing.T) {
	seen := map[string]bool{}
	names := regexp.MustCompile(`^[a-z]+(\.[a-z0-9_]+){1,2}$`)
	parts := map[Who]bool{
		Scanner: true,
		Trust:   true,
		Gate:    true,
		Content: true,
		Gateway: true,
	}
	for _, a := range Catalogue() {
		if seen[a.Name] || !names.MatchString(a.Name) || !strings.HasPrefix(a.Name, a.Category+".") {
			t.Errorf("%s: the name is taken or not of the form category.what.how", a.Name)
		}
		seen[a.Name] = true
		if !strings.HasSuffix(a.Summary, ".") || len(a.Expected) == 0 {
			t.Errorf("%s: summary %q, expected %v", a.Name, a.Summary, a.Expected)
		}
		for _, n := range a.Expected {
			if !parts[n.Who] {
				t.Errorf("%s: nobody is called %q", a.Name, n.Who)
			}
		}
		if reflect.DeepEqual(a.Harm, a.Benign) {
			t.Errorf("%s: the variant does the same", a.Name)
		}
		for _, act := range []Act{a.Harm, a.Benign} {
			if len(act.Steps()) == 0 || !slices.Contains(faults, act.Fault.Kind) {
				t.Errorf("%s: steps %v, fault %q", a.Name, act.Steps(), act.Fault.Kind)
			}
			for _, tool := range act.Tools {
				if !json.Valid(tool.Definition) || tool.Answer != nil && !json.Valid(tool.Answer) ||
					name(tool.Definition) == "" {
					t.Errorf("%s: bad tool %s", a.Name, tool.Definition)
				}
			}
		}
	}
	for _, c := range Categories() {
		if !slices.ContainsFunc(Catalogue(), func(a Attack) bool { return a.Category == c }) {
			t.Errorf("nothing is of the category %s", c)
		}
	}
}

// A benign variant contains no text of any attack.
func TestABenignVariantContainsNoInstruction(t *testing.T) {
	harmful := slices.Concat(orders, nameOrders, resultOrders, []string{token, "collector.example", "webhook.site"})
	for _, a := range Catalogue() {
		all := saysAll(t, a.Benign)
		for _, order := range harmful {
			for _, d := range disguises {
				if strings.Contains(all, d.wear(order)) {
					t.Errorf("the variant of %s says %q, %s", a.Name, order, d.how)
				}
			}
		}
	}
}

// saysAll returns every string that a server sends, one on each line.
func saysAll(t *testing.T, a Act) string {
	t.Helper()
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for k, x := range v {
				b.WriteString(k + "\n")
				walk(x)
			}
		}
	}
	read := func(raw json.RawMessage) {
		var v any
		if raw == nil {
			return
		}
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		walk(v)
	}
	b.WriteString(a.Instructions + "\n")
	for _, x := range a.Tools {
		read(x.Definition)
		read(x.Answer)
	}
	for _, x := range a.Prompts {
		read(x.Definition)
		read(x.Answer)
	}
	for _, x := range a.Resources {
		read(x.Definition)
		read(x.Answer)
	}
	return b.String()
}

func TestHonestToolsAreAllDifferent(t *testing.T) {
	seen := map[string]string{}
	for _, h := range honestTools() {
		for _, s := range []string{h.Name, h.Description, h.Answer} {
			if other, twice := seen[s]; twice || s == "" {
				t.Errorf("%s and %s both say %q", h.Name, other, s)
			}
			seen[s] = h.Name
		}
	}
}

func TestADisguiseHidesTheTextAndDiffersFromTheOthers(t *testing.T) {
	for _, d := range disguises[1:] {
		for _, order := range orders {
			worn := d.wear(order)
			if d.name != "ansi" && d.name != "comment" && strings.Contains(worn, order) {
				t.Errorf("%s hides nothing: %q", d.name, worn)
			}
			if worn == order {
				t.Errorf("%s changes nothing", d.name)
			}
		}
	}
}

func TestAnUnknownAttackIsAnErrorThatHelps(t *testing.T) {
	for given, want := range map[string]string{
		"":               "--list",
		"nonsense":       "--list",
		"read_only":      "lie.read_only.delete",
		"rugpull":        "rugpull.",
		"poisoning.name": "poisoning.name.plain",
	} {
		if _, err := Find(given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want it to name %s", given, err, want)
		}
	}
	if a, err := Find("lie.agent.force"); err != nil || a.Category != "lie" {
		t.Errorf("got %v, %v", a, err)
	}
}
