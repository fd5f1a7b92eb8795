package bundle

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// The values of [Difference].Way: how a bundle's value differs from another bundle's.
const (
	Stricter = "stricter"
	Weaker   = "weaker"
	Other    = "changed" // the values are not ordered by strictness
)

// Difference is one thing in which a bundle differs from another one.
type Difference struct {
	Key string `json:"key"`
	Was string `json:"was"` // as JSON; "" if the bundle did not have it
	Is  string `json:"is"`  // as JSON; "" if the bundle does not have it
	Way string `json:"way"`
}

// Diff returns the differences between the bundle old and the bundle next, sorted by key.
func Diff(old, next *Bundle) ([]Difference, error) {
	was, err := old.items()
	if err != nil {
		return nil, err
	}
	is, err := next.items()
	if err != nil {
		return nil, err
	}
	out := []Difference{}
	names := map[string]bool{}
	for name := range was {
		names[name] = true
	}
	for name := range is {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, had := was[name]
		b, has := is[name]
		if had && has && reflect.DeepEqual(a.value, b.value) {
			continue
		}
		d := Difference{
			Key: name,
			Was: shown(a.value, had),
			Is:  shown(b.value, has),
			Way: Other,
		}
		switch {
		case !had:
			d.Way = b.added
		case !has:
			d.Way = removed(a.added)
		default:
			d.Way = a.key.way(a.value, b.value)
		}
		out = append(out, d)
	}
	return out, nil
}

// item is one value of a bundle, as Diff compares it.
type item struct {
	key   Key
	value any
	added string // Difference.Way if only the new bundle has the item
}

// items returns the items of a bundle by name.
func (b *Bundle) items() (map[string]item, error) {
	said, err := b.said()
	if err != nil {
		return nil, err
	}
	out := map[string]item{
		"name":    {value: b.Name, added: Other},
		"version": {value: float64(b.Version), added: Other},
		"expires": {value: b.Expires.UTC().Format(time.RFC3339), added: Other},
	}
	for name, v := range said {
		k := table[name]
		list, isList := v.([]any)
		switch {
		case k.Order == Beside && isList:
			for i, element := range list {
				out[name+"."+named(element, i)] = item{k, element, Other}
			}
		default:
			out[name] = item{k, v, Other}
		}
	}
	if b.Servers != nil {
		out["servers"] = item{value: "listed", added: Stricter}
		for _, s := range *b.Servers {
			// A list of servers forbids all others, so it is stricter; each entry of it allows one more.
			out["servers."+s.Name] = item{value: plainValue(s), added: Weaker}
		}
	}
	for i, a := range b.Approvals {
		out["approvals."+strconv.Itoa(i+1)+"."+a.Server+":"+a.Tool] = item{value: plainValue(a), added: Weaker}
	}
	return out, nil
}

// named returns the name of an element of a list, or its number.
func named(element any, i int) string {
	if o, ok := element.(map[string]any); ok {
		if name, ok := o["name"].(string); ok {
			return name
		}
	}
	return strconv.Itoa(i + 1)
}

// plainValue returns v as encoding/json decodes it: maps, lists and scalars.
func plainValue(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// shown returns a value as JSON.
func shown(v any, there bool) string {
	if !there {
		return ""
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// removed returns the Way of removing an item, given the Way of adding it.
func removed(added string) string {
	switch added {
	case Stricter:
		return Weaker
	case Weaker:
		return Stricter
	}
	return added
}

// way reports whether a key's value is stricter or weaker than its old value.
func (k Key) way(was, is any) string {
	if k.Name == "" || k.Order == Fixed || k.Order == Beside {
		return Other
	}
	strictest, err := k.stricter(was, is)
	switch {
	case err != nil:
		return Other
	case reflect.DeepEqual(strictest, is):
		return Stricter
	case reflect.DeepEqual(strictest, was):
		return Weaker
	}
	return Other
}

// needs are the keys on which rules depend. If the bundle does not set such a key, a user can set it
// so that rules no longer match.
var needs = []struct{ key, why string }{
	{"security.hooks.enabled", "a user can switch off the hooks, which check calls of agents' own tools"},
	{"security.hooks.fail_open", "calls of agents' own tools are allowed while mcpproxy is not running"},
	{"security.pii_detection.enabled", "a user can switch off the detection of secrets and personal data"},
	{"security.flow_tracking.enabled", "a user can switch off the tracking of data flows"},
	{"security.home", "a user can declare what belongs to the organisation"},
	{"security.classification.default_unknown", "a user can declare unknown servers internal"},
	{"security.classification.server_overrides", "a user can declare any server internal"},
	{"security.classification.tool_overrides", "a user can declare any tool internal"},
}

// Gaps returns a sentence for each key that the rules of a bundle depend on and that the bundle
// does not set.
func (b *Bundle) Gaps() []string {
	said := b.Said()
	decides := func(name string) bool { return table[name].Open != nil || table[name].Order == Beside }
	if !slices.ContainsFunc(said, decides) {
		return nil
	}
	var out []string
	for _, n := range needs {
		if !slices.Contains(said, n.key) {
			out = append(out, "the bundle does not set "+n.key+": "+n.why)
		}
	}
	return out
}

// Unverified returns the bundle in a signed document or a source, without checking the signature.
// Use it to compare and test bundles, never to apply one.
func Unverified(raw []byte) (*Bundle, error) {
	var d document
	if json.Unmarshal(raw, &d) == nil && d.Format == Format {
		if len(raw) > MaxSize {
			return nil, tooLarge()
		}
		return parse(d.Payload)
	}
	return Build(raw)
}
