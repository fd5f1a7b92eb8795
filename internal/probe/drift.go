package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/wire"
)

const helpDrift = "Declare the same tools as long as the server runs, and announce changes with a new version for people to approve. If the tools depend on what the user does, set require_schema_stability=false."

// driftDelay is the time between two consecutive lists.
const driftDelay = 150 * time.Millisecond

// driftDetail holds the hashes of the definitions: at the start of the run, after all other calls,
// and a moment later.
type driftDetail struct {
	Hashes  []string `json:"hashes"`
	Drift   bool     `json:"drift"`
	Changed []string `json:"changed,omitempty"`
}

// testDrift compares the server's definitions before, during and after its use.
func testDrift(r *runner, out *Result) {
	if wire.Member(r.conn.Hello, "capabilities", "tools") == nil &&
		wire.Member(r.conn.Hello, "capabilities", "prompts") == nil {
		out.skip("the server declares neither tools nor prompts")
		return
	}
	first := forms(r.surface)
	detail := driftDetail{Hashes: []string{hashForms(first)}}
	if r.surface.endless != "" {
		out.fail("the lists do not end: " + r.surface.endless)
	}
	for n := range 2 {
		if n == 1 && !r.options.DryRun {
			select {
			case <-time.After(driftDelay):
			case <-r.ctx.Done():
			}
		}
		again, ok := r.declaredAgain(out)
		if !ok {
			out.Details = detail
			return
		}
		now := forms(again)
		detail.Hashes = append(detail.Hashes, hashForms(now))
		for _, c := range changed(first, now) {
			if !slices.Contains(detail.Changed, c) {
				detail.Changed = append(detail.Changed, c)
			}
		}
	}
	detail.Drift = len(detail.Changed) > 0
	out.Details = detail
	stable := !detail.Drift
	if !r.options.DryRun {
		r.figures.stable = &stable
	}
	text := fmt.Sprintf(
		"the server's definitions changed during the run: %s",
		strings.Join(detail.Changed[:min(5, len(detail.Changed))], ", "),
	)
	switch {
	case stable:
	case *r.thresholds.RequireSchemaStability:
		out.fail(text)
	default:
		out.note(text)
	}
}

// declaredAgain reads the lists again.
func (r *runner) declaredAgain(out *Result) (surface, bool) {
	if r.plan("tools/list", "") {
		return r.surface, true
	}
	r.allow()
	err := r.revive()
	var s surface
	if err == nil {
		s, err = r.declared()
	}
	if r.ctx.Err() != nil {
		panic(errStopped)
	}
	if err != nil {
		out.fail("the list of tools cannot be read again: " + shown(err.Error()))
		return s, false
	}
	return s, true
}

// forms returns the definitions by kind and name, in a form that does not depend on the order of
// lists and members, nor on timestamps.
func forms(s surface) map[string]string {
	out := map[string]string{}
	add := func(kind string, raw json.RawMessage) {
		name := wire.String(raw, "name")
		key := kind + " " + name
		for n := 2; out[key] != ""; n++ {
			key = fmt.Sprintf("%s %s (%d)", kind, name, n)
		}
		out[key] = canonical(raw)
	}
	for _, t := range s.tools {
		add("tool", t.raw)
	}
	for _, p := range s.prompts {
		add("prompt", p)
	}
	return out
}

var (
	timeMember = lazyregexp.New(
		`(?i)^_?(time(stamp)?|(last_?)?(updated|modified|generated|created|checked|seen|fetched)(_?at|_?on|_?time)?|date|now|uptime)$`,
	)
	timeText = lazyregexp.New(
		`(\d{4}-\d\d-\d\d[T ]|\b)\d?\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?|\b1[5-9]\d{8}(\d{3})?\b`,
	)
)

// canonical returns a JSON value with sorted members and without timestamps. Members of
// "properties" have names that the server chooses, so they are all kept.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var strip func(v any, named bool) any
	strip = func(v any, named bool) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if _, text := e.(map[string]any); !named && !text && timeMember().MatchString(k) {
					delete(v, k)
					continue
				}
				v[k] = strip(e, k == "properties")
			}
		case []any:
			for i := range v {
				v[i] = strip(v[i], false)
			}
		case string:
			return timeText().ReplaceAllString(v, "TIME")
		}
		return v
	}
	out, _ := json.Marshal(strip(v, false)) // cannot fail: it was decoded from JSON
	return string(out)
}

func hashForms(all map[string]string) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(h, "%d:%s%d:%s", len(key), key, len(all[key]), all[key])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// changed names the definitions that differ.
func changed(before, after map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(before)) {
		switch form, still := after[key]; {
		case !still:
			out = append(out, shown(key)+" is gone")
		case form != before[key]:
			out = append(out, shown(key)+" differs")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[key]; !was {
			out = append(out, shown(key)+" is new")
		}
	}
	return out
}
