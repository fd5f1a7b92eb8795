package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
)

// A text that many origins contain is not a flow, unless it is a secret.
func TestSharedAndPublicTexts(t *testing.T) {
	token := "token " + gitToken
	for name, c := range map[string]struct {
		text     string
		internal int // internal origins that contain the text
		external int // external origins that contain it, before the internal ones
		after    int // external origins that contain it, after the internal ones
		want     int // edges to an external destination
	}{
		"a text of one origin is a flow":                    {prose, 1, 0, 0, 1},
		"a text of two origins is a flow from both":         {prose, 2, 0, 0, 2},
		"a text of eight origins is not a flow":             {prose, 8, 0, 0, 0},
		"a text that was public first is not a flow":        {prose, 1, 1, 0, 0},
		"a text that became public is not a flow":           {prose, 1, 0, 1, 0},
		"a secret of eight origins is a flow from the last": {token, 8, 0, 0, 1},
		"an external result does not make a secret public":  {token, 1, 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			read := func(n int, class mcpproxy.Class) {
				for i := range n {
					a.reads(fmt.Sprint("server", i), class, `{"i":`+fmt.Sprint(i)+`,"text":`+quoted(c.text)+`}`)
				}
			}
			read(c.external, external)
			read(c.internal, internal)
			read(c.after, external)
			out := slices.DeleteFunc(
				a.sends("slack", external, says(c.text)),
				func(e mcpproxy.Edge) bool { return e.Type != mcpproxy.InternalToExternal },
			)
			if len(out) != c.want {
				t.Errorf("%d edges, want %d: %+v", len(out), c.want, out)
			}
		})
	}
}

func TestASecretInAnExternalResultIsStillAFlow(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("web", external, content("leaked: "+gitToken))
	a.reads("vault", internal, content("token: "+gitToken))
	edges := a.sends("slack", external, says(gitToken))
	if len(edges) == 0 || edges[0].From.Server != "vault" || edges[0].Risk != mcpproxy.RiskCritical {
		t.Errorf("the worst edge does not come first: %+v", edges)
	}
}

// Shows: edge 6.
func TestOnlyTheFirstBytesOfAResultAreTracked(t *testing.T) {
	l := limits
	l.MaxBytes = 1000
	a := newAgent(t, l)
	before, after := key(1, 30, alphanumeric), key(2, 30, alphanumeric)
	a.reads("files", internal, content(before+" "+strings.Repeat("lorem ipsum ", 200)+after))
	if len(a.sends("slack", external, says("x "+before))) != 1 {
		t.Error("a key within the limit was not tracked")
	}
	if len(a.sends("slack", external, says("x "+after))) != 0 {
		t.Error("a key beyond the limit was tracked")
	}
}

// Shows: FR-013.
func TestTheLengthLimitIsConfigurable(t *testing.T) {
	l := limits
	l.MinLength = 40
	a := newAgent(t, l)
	a.reads("files", internal, `{"a":"`+plainKey+`","b":`+quoted(prose)+`}`)
	if edges := a.sends("slack", external, says(prose[10:45])); len(edges) != 0 {
		t.Errorf("35 characters matched below a limit of 40: %+v", edges)
	}
	if len(a.sends("slack", external, says(plainKey))) != 1 {
		t.Error("a key shorter than the limit was not tracked")
	}
	if len(a.sends("slack", external, says(prose))) != 1 {
		t.Error("a text longer than the limit was not tracked")
	}
}

func TestDisabledTrackingFindsNothing(t *testing.T) {
	l := limits
	l.Enabled = false
	a := newAgent(t, l)
	a.reads("vault", internal, content(gitToken))
	if edges := a.sends("slack", external, says(gitToken)); edges != nil {
		t.Errorf("disabled tracking found %+v", edges)
	}
	a.tracker.SetLimits(limits)
	if edges := a.sends("slack", external, says(gitToken)); len(edges) != 0 {
		t.Errorf("a result that was read while tracking was disabled was tracked: %+v", edges)
	}
	a.reads("vault", internal, content(gitToken))
	if len(a.sends("slack", external, says(gitToken))) != 1 {
		t.Error("no edge after tracking was enabled again")
	}
}

// The package guarantees an edge if an argument repeats an unbroken word of at least 20 characters from an internal
// result.
func TestEveryLongKeyIsFound(t *testing.T) {
	alphabets := map[string]string{
		"letters and digits": alphanumeric,
		"lower case":         alphanumeric[26:],
		"hexadecimal":        "0123456789abcdef",
		"base64":             alphanumeric + "+/",
		"base64url":          alphanumeric + "-_",
	}
	for name, alphabet := range alphabets {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				n := rapid.IntRange(20, 80).Filter(func(n int) bool { return n != 40 && n != 64 }).Draw(rt, "length")
				secret := "k" + key(rapid.Uint64().Draw(rt, "seed"), n-1, alphabet)
				if pieces := strings.Split(secret, "/"); len(slices.MaxFunc(pieces, byLength)) < 16 {
					rt.Skip("short pieces between slashes read as a path")
				}
				wrap := rapid.SampledFrom([]string{"%s", "key = %s", "a\n\"%s\",\nb", "(%s)", " %s "})
				change := map[string]func(string) string{
					"upper": strings.ToUpper,
					"lower": strings.ToLower,
					"same":  strings.TrimSpace,
				}
				a := newAgent(t, limits)
				a.reads("files", internal, content(fmt.Sprintf(wrap.Draw(rt, "origin"), secret)))
				args := fmt.Sprintf(
					wrap.Draw(rt, "arguments"),
					change[rapid.SampledFrom([]string{"same", "upper", "lower"}).Draw(rt, "case")](secret),
				)
				if len(a.sends("slack", external, says(args))) == 0 {
					rt.Fatalf("the key %s was not found in %q", secret, args)
				}
			})
		})
	}
}

func byLength(a, b string) int { return len(a) - len(b) }

// A key that no origin contains is never an edge.
func TestUnrelatedKeysAreNoFlow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := newAgent(t, limits)
		seed := rapid.Uint64Range(0, 1<<62).Draw(rt, "seed")
		a.reads("files", internal, content("key = "+key(seed, 32, alphanumeric)))
		if edges := a.sends("slack", external, says("key = "+key(seed+1, 32, alphanumeric))); len(edges) != 0 {
			rt.Fatalf("unrelated keys matched: %+v", edges)
		}
	})
}
