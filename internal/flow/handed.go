package flow

import (
	"slices"
	"strings"

	"mcpproxy"
)

// handed is which sensitive values a session has handed to whom: a call that was let through and has an answer. To
// hand them to the same ones again tells nobody anything new.
type handed struct {
	table[struct{}]
	offered map[string][]key // by the call whose answer is awaited
}

const (
	maxHanded  = 1 << 12
	maxOffered = 256 // calls without an answer
)

// keys are one for each sensitive value of a call. A key stands for the value and its receivers. There are no keys
// if the call does not say who receives the values.
func (p Transfer) keys(known []Secret, to []mcpproxy.Destination) []key {
	var whom []string
	for _, d := range to {
		about := d.Kind == kindName && strings.HasSuffix(d.Path, "name") // whom the call is about
		if d.Kind != kindArgument && !about {
			whom = append(whom, d.Kind+" "+d.Value)
		}
	}
	if p.Call.Server == "" && len(whom) == 0 {
		return nil
	}
	slices.Sort(whom)
	place := p.Call.Server + "\x00" + strings.Join(slices.Compact(whom), "\x00") + "\x00"
	var out []key
	for _, s := range slices.Concat(p.Secrets, known) {
		if k := keyOf(inHanded, place+s.Value); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// offer notes what a call would hand over, until [handed.answered].
func (h *handed) offer(call string, keys []key) {
	if len(keys) == 0 {
		return
	}
	if h.offered == nil || len(h.offered) >= maxOffered { // most of these were stopped
		h.offered = map[string][]key{}
	}
	h.offered[call] = keys
}

// answered notes that a call was made.
func (h *handed) answered(call string) {
	for _, k := range h.offered[call] {
		h.put(k, struct{}{}, maxHanded)
	}
	delete(h.offered, call)
}

// again reports whether all values were handed to the same ones before.
func (h *handed) again(keys []key) bool {
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(k key) bool { return !h.has(k) })
}

// asKnown are edges with those marked that move nothing but sensitive values which their receiver has already.
func asKnown(edges []mcpproxy.Edge) []mcpproxy.Edge {
	for i := range edges {
		if e := &edges[i]; len(e.Sensitive) > 0 && !e.Beside && e.Match != "shards" && e.Match != "shell" {
			e.Own, e.Risk = true, mcpproxy.RiskNone
		}
	}
	return edges
}
