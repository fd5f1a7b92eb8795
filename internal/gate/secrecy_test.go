package gate_test

import (
	"context"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/text"
)

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower = "abcdefghijklmnopqrstuvwxyz"
	digit = "0123456789"
)

// kinds of secrets: what surrounds the random part, its alphabet and its length.
var kinds = map[string]struct {
	before, alphabet string
	n                int
	after            string
}{
	"github":    {"ghp_", upper + lower + digit, 36, ""},
	"aws":       {"AKIA", upper + "234567", 16, ""},
	"gcp":       {"AIza", upper + lower + digit, 35, ""},
	"anthropic": {"sk-ant-api03-", upper + lower + digit, 48, ""},
	"gitlab":    {"glpat-", upper + lower + digit, 20, ""},
	"stripe":    {"sk_live_", upper + lower + digit, 24, ""},
	"slack":     {"https://hooks.slack.com/services/", upper + lower + digit, 44, ""},
	"postgres":  {"postgres://admin:", upper + lower + digit, 24, "@db.internal:5432/main"},
	"azure":     {"AccountKey=", upper + lower + digit, 86, "=="},
	"pem":       {"-----BEGIN PRIVATE KEY-----\n", upper + lower + digit, 64, "\n-----END PRIVATE KEY-----"},
}

func random(seed uint64, n int, alphabet string) string {
	r := rand.New(rand.NewPCG(seed, 26))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// disguises are encodings that a reader does not notice or can read.
var disguises = map[string]func(string) string{
	"plain":      func(s string) string { return s },
	"full-width": fullwidth,
	"zero-width": func(s string) string { return s[:len(s)/2] + "\u200b" + s[len(s)/2:] },
	"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base32":     func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"percent":    percent,
	"base64 of percent": func(s string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(percent(s)))
	},
}

// mirrored are disguises for single words.
var mirrored = map[string]func(string) string{
	"reversed": backwards,
	"rot13":    func(s string) string { return strings.Map(rot13, s) },
	"spaced":   func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
}

// isWord reports whether a kind of secret is one word, not a URL or several lines.
func isWord(kind string) bool {
	return !slices.Contains([]string{"slack", "postgres", "azure", "pem"}, kind)
}

func fullwidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r + 0xFEE0
		}
		return r
	}, s)
}

// plan is one call and its result with a secret somewhere in it.
type plan struct {
	call   *mcpproxy.Call
	result mcpproxy.Result
}

func harmless() plan {
	return plan{call("github", "create_file", `{"path":"a"}`), mcpproxy.Result{Raw: json.RawMessage(content("ok"))}}
}

func with(change func(*plan)) plan {
	p := harmless()
	change(&p)
	return p
}

func arguments(raw string) plan {
	return with(func(p *plan) { p.call.Arguments = json.RawMessage(raw) })
}

func results(raw string) plan {
	return with(func(p *plan) { p.result.Raw = json.RawMessage(raw) })
}

func intent(i mcpproxy.Intent) plan { return with(func(p *plan) { p.call.Intent = i }) }

// escaped writes every character of a JSON string as an escape.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

// places are the positions at which a secret can be.
var places = map[string]func(s string) plan{
	"an argument":                 func(s string) plan { return arguments(object("text", s)) },
	"a sentence in an argument":   func(s string) plan { return arguments(object("text", "use "+s+" now")) },
	"an argument's name":          func(s string) plan { return arguments(object(s, "x")) },
	"a name above other names":    func(s string) plan { return arguments(`{"a":{` + quoted(s) + `:[{"b":` + quoted(gitToken) + `}]}}`) },
	"an array":                    func(s string) plan { return arguments(`{"a":[1,[` + quoted(s) + `]]}`) },
	"JSON in an argument":         func(s string) plan { return arguments(object("text", object("inner", s))) },
	"JSON in JSON in an argument": func(s string) plan { return arguments(object("text", object("inner", object("core", s)))) },
	"a name in JSON in JSON":      func(s string) plan { return arguments(object("text", object("inner", object(s, "x")))) },
	"escapes in an argument":      func(s string) plan { return arguments(`{"text":` + escaped(s) + `}`) },
	"escapes in JSON in JSON":     func(s string) plan { return arguments(object("text", `{"a":`+escaped(s)+`}`)) },
	"twice in an argument":        func(s string) plan { return arguments(object(s, s+" and "+s)) },
	"a result":                    func(s string) plan { return results(content(s)) },
	"a result's name":             func(s string) plan { return results(`{"structuredContent":` + object(s, "x") + `}`) },
	"JSON in a result":            func(s string) plan { return results(content(object("key", s))) },
	"a result's _meta":            func(s string) plan { return results(`{"content":[],"_meta":` + object("k", s) + `}`) },
	"a result that is an error": func(s string) plan {
		return with(func(p *plan) { p.result.Raw, p.result.IsError = json.RawMessage(content("bad key "+s)), true })
	},
	"the error of a lost connection": func(s string) plan {
		return with(func(p *plan) { p.result = mcpproxy.Result{Err: errors.New("refused: " + s)} })
	},
	"the intent's reason":        func(s string) plan { return intent(mcpproxy.Intent{Reason: "because " + s}) },
	"the intent's justification": func(s string) plan { return intent(mcpproxy.Intent{Justification: "see " + s}) },
	"the intent's destination":   func(s string) plan { return intent(mcpproxy.Intent{DestinationType: s}) },
	"the intent's sensitivity":   func(s string) plan { return intent(mcpproxy.Intent{DataSensitivity: s}) },
	"the address of a resource":  resource,
	"a tool's name":              func(s string) plan { return with(func(p *plan) { p.call.Tool = s }) },
	"arguments of a denied call": func(s string) plan { p := arguments(object("text", s)); p.call.Server = "slack"; return p },
	"arguments that are unread":  func(s string) plan { return arguments(`{` + quoted(s) + `:1,` + quoted(s) + `:2}`) },
	"a result that is unread":    func(s string) plan { return results(`{` + quoted(s) + `:1,` + quoted(s) + `:2}`) },
	"an argument and its result": func(s string) plan { p := arguments(object("a", s)); p.result.Raw = []byte(content(s)); return p },
	"the method of a method call": func(s string) plan {
		p := arguments(`{"a":1,"a":2}`)
		p.call.Tool, p.call.Kind = s, mcpproxy.KindMethod
		return p
	},
}

func resource(s string) plan {
	p := arguments(object("uri", "https://x.example/?token="+s))
	p.call.Kind, p.call.Tool = mcpproxy.KindResource, "https://x.example/?token="+s
	return p
}

// reveals reports whether body can be found in a JSON text, in any encoding.
func reveals(t *rapid.T, what, body string) bool {
	doc, err := text.Parse([]byte(what), "")
	if err != nil {
		t.Fatalf("%v: %s", err, what)
	}
	return slices.ContainsFunc(doc.Views(), func(v *text.View) bool { return strings.Contains(v.Text, body) })
}

// Promise 5: secrets are masked before they reach the disk, an event, or the agent.
func TestSecretsNeverLeaveTheGate(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(keys(kinds)).Draw(t, "kind")
		kind := kinds[name]
		body := random(rapid.Uint64().Draw(t, "seed"), kind.n, kind.alphabet)
		disguise := disguises[rapid.SampledFrom(keys(disguises)).Draw(t, "disguise")]
		if isWord(name) && rapid.Bool().Draw(t, "mirrored") {
			disguise = mirrored[rapid.SampledFrom(keys(mirrored)).Draw(t, "how")]
		}
		secret := disguise(kind.before + body + kind.after)
		for _, place := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys(places)), 1, 6, rapid.ID).Draw(t, "places") {
			for where, what := range h.traces(t, places[place](secret)) {
				if reveals(t, what, body) {
					t.Fatalf("a secret from %s is in %s:\n%s", place, where, what)
				}
			}
		}
	})
}

// traces returns everything that remains of a call.
func (h *rig) traces(t *rapid.T, p plan) map[string]string {
	h.mu.Lock()
	h.events = nil
	h.mu.Unlock()
	_, v := h.gate.Do(
		context.Background(),
		p.call,
		func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return &p.result },
	)
	verdict, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"the verdict": string(verdict)}
	// Records are written in order, so this record is written after the call's.
	if err := h.log.Append(context.Background(), ledgertest.Record("after "+v.ID)); err != nil {
		t.Fatal(err)
	}
	record := h.stored(v.ID)
	if record == nil {
		t.Fatal("no record")
	}
	b, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	out["the file"] = string(b)
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, e := range h.events {
		out[fmt.Sprint("event ", i, " ", e.name)] = e.json
	}
	return out
}

func keys[V any](m map[string]V) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all) // rapid replays by position
	return all
}
