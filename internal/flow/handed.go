package flow

import (
	"slices"
	"strings"

	"mcpproxy"
)

// handed records which sensitive values a session has sent to which receivers, in calls that were allowed and
// answered. Sending a value to the same receivers again discloses nothing new.
type handed struct {
	table[struct{}]
	offered map[string][]key // by calls without an answer so far
}

const (
	maxHanded  = 1 << 12
	maxOffered = 256 // calls without an answer
)

// keys returns one key for each sensitive value of a call. A key stands for the value together with its receivers.
// keys returns nil for a call that has no server and names no receivers.
func (p Transfer) keys(known []Secret, to []mcpproxy.Destination) []key {
	var whom []string
	for _, d := range to {
		about := d.Kind == kindName && strings.HasSuffix(d.Path, "name") // the person whom the call is about
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

// offer records the values of a call until [handed.answered] is called for it.
func (h *handed) offer(call string, keys []key) {
	if len(keys) == 0 {
		return
	}
	if h.offered == nil || len(h.offered) >= maxOffered { // most of these calls were stopped, so no answer will come
		h.offered = map[string][]key{}
	}
	h.offered[call] = keys
}

// answered moves the values of a call to the recorded ones, because the call was made.
func (h *handed) answered(call string) {
	for _, k := range h.offered[call] {
		h.put(k, struct{}{}, maxHanded)
	}
	delete(h.offered, call)
}

// again reports whether all values were sent to the same receivers before.
func (h *handed) again(keys []key) bool {
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(k key) bool { return !h.has(k) })
}

// asKnown marks the edges that move only sensitive values which the receiver already has, and returns all edges.
func asKnown(edges []mcpproxy.Edge) []mcpproxy.Edge {
	for i := range edges {
		if e := &edges[i]; len(e.Sensitive) > 0 && !e.Beside && e.Literal() {
			e.Own, e.Risk = true, mcpproxy.RiskNone
		}
	}
	return edges
}
