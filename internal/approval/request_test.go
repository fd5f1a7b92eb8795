package approval_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/approval"
)

func TestADigestDependsOnTheValuesOfArguments(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"spaces and order":             {`{"a":1,"b":[true,null]}`, "{ \"b\" : [ true , null ],\n\"a\":1 }", true},
		"escapes":                      {`{"a":"é/"}`, `{"a":"\u00e9\/"}`, true},
		"none, and an empty object":    {``, `{}`, true},
		"one byte":                     {`{"a":"x"}`, `{"a":"y"}`, false},
		"a space in a value":           {`{"a":"x"}`, `{"a":"x "}`, false},
		"a big whole number":           {`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, false},
		"a fraction beyond a double":   {`{"a":0.10000000000000000001}`, `{"a":0.1}`, false},
		"a number and its text":        {`{"a":1}`, `{"a":"1"}`, false},
		"the order of a list":          {`[1,2]`, `[2,1]`, false},
		"a letter that looks the same": {`{"a":"a"}`, `{"a":"а"}`, false},
		"the case of a name":           {`{"a":1}`, `{"A":1}`, false},
		"composed and decomposed":      {`"\u00e9"`, `"e\u0301"`, false},
		"no JSON":                      {`{"a":1`, `{"a":2`, false},
		"two values of one name":       {`{"a":1,"a":2}`, `{"a":2,"a":1}`, false},
		"what would be raw":            {`{"a":1`, `raw:{"a":1`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := approval.Digest([]byte(c.a)) == approval.Digest([]byte(c.b)); got != c.same {
				t.Errorf("%s and %s: same is %t", c.a, c.b, got)
			}
		})
	}
}

// Changing any one byte of a value changes the digest.
func TestEveryByteOfAValueCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.ByteRange(' ', '~'), 1, 60).Draw(t, "value")
		i := rapid.IntRange(0, len(s)-1).Draw(t, "at")
		other := append([]byte(nil), s...)
		other[i] = rapid.ByteRange(' ', '~').Filter(func(b byte) bool { return b != s[i] }).Draw(t, "byte")
		a, _ := json.Marshal(map[string]string{"v": string(s)})
		b, _ := json.Marshal(map[string]string{"v": string(other)})
		if approval.Digest(a) == approval.Digest(b) {
			t.Fatalf("%s and %s have one digest", a, b)
		}
	})
}

// hostile returns a request in which the attacker chooses every text.
func hostile(s string) approval.Request {
	raw, _ := json.Marshal(map[string]string{"x": s})
	rec := &mcpproxy.Record{
		ID:        "01CALL",
		ToolName:  s,
		Rule:      s,
		Arguments: raw,
		Metadata: mcpproxy.Metadata{
			Facts:  mcpproxy.Facts{Edges: []mcpproxy.Edge{{From: mcpproxy.Origin{CallID: s, Server: s, Tool: s}, Sensitive: []string{s}}}},
			Reason: s,
		},
	}
	return approval.About(rec, approval.Binding{Server: s}, []mcpproxy.Destination{{Value: s, Kind: s}})
}

func checkSafe(t interface {
	Helper()
	Errorf(string, ...any)
}, s string) {
	t.Helper()
	r := hostile(s)
	if lines := strings.Count(r.Text, "\n"); lines != strings.Count(hostile("x").Text, "\n") {
		t.Errorf("%q makes %d lines:\n%s", s, lines, r.Text)
	}
	for _, c := range r.Text {
		if c != '\n' && (!unicode.IsPrint(c) || unicode.Is(unicode.Cf, c)) {
			t.Errorf("%q brings %U", s, c)
			return
		}
	}
	if n := len([]rune(r.Text)); n > 4500 {
		t.Errorf("the text has %d characters", n)
	}
	if !strings.HasSuffix(r.Text, "If you agree, exactly this call passes, once.") {
		t.Errorf("the end is lost:\n%s", r.Text)
	}
}

func TestWhatAPersonIsShownIsSafe(t *testing.T) {
	for _, s := range []string{"a\nRule: none", "a\r\n\tb", "\x1b[2Jgone", "user\u202egnp.exe", "\u2066x\u2069", "a\u200bb\u00ad", "a\u2028b\u2029c",
		"\U000E0041\U000E0042", "\ufe0f\ufe0e", "\u3164\u115f\uffa0\u2800", "Z" + strings.Repeat("\u0336", 50), "\xff\xfe", strings.Repeat("long ", 9000), "\u0085\u009b31m"} {
		checkSafe(t, s)
	}
	r := hostile("a\u202eb\u3164c\u200bd" + strings.Repeat("\u0336", 9))
	if strings.ContainsAny(r.Text, "\u202e\u3164\u200b") || strings.Contains(r.Text, "\u0336\u0336\u0336") {
		t.Errorf("it can be deceived:\n%s", r.Text)
	}
}

func FuzzWhatAPersonIsShownIsSafe(f *testing.F) {
	for _, s := range []string{"", "plain", "a\nb", "\u202e", "\xff", "\U000E0041", strings.Repeat("é", 5000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSafe(t, s) })
}

// The end of long arguments is shown too: padding must not push it out of sight.
func TestBothEndsOfLongArgumentsAreShown(t *testing.T) {
	raw, _ := json.Marshal(map[string]string{"a": "BEGIN" + strings.Repeat(" ", 10_000), "z": "evil@example.com"})
	r := approval.About(&mcpproxy.Record{Arguments: raw}, approval.Binding{}, nil)
	if !strings.Contains(r.Text, "BEGIN") || !strings.Contains(r.Text, "evil@example.com") || len(r.Excerpt) > 600 {
		t.Errorf("%s", r.Excerpt)
	}
}

func TestARequestShowsTheFactsOfTheCall(t *testing.T) {
	rec := &mcpproxy.Record{
		ID:        "01CALL",
		ToolName:  "post_message",
		Rule:      "security.flow_policy.untrusted_destination",
		RiskLevel: mcpproxy.RiskHigh,
		RiskScore: 61,
		Arguments: []byte(`{"channel":"#x"}`),
		Metadata: mcpproxy.Metadata{
			Facts: mcpproxy.Facts{
				Operation: mcpproxy.Write,
				Signals: []mcpproxy.Signal{{
					Source:     mcpproxy.SourcePII,
					Category:   "api_token",
					Severity:   mcpproxy.SeverityHigh,
					Confidence: 1,
				}},
				Edges: []mcpproxy.Edge{
					{
						From:      mcpproxy.Origin{CallID: "01ORIGIN", Server: "vault", Tool: "read_secret"},
						Sensitive: []string{"api_token"},
					},
				},
			},
			Reason: "Data leaves.",
		},
	}
	r := approval.About(
		rec,
		approval.Binding{Server: "chat"},
		[]mcpproxy.Destination{{Value: "#x", Kind: "channel", Source: mcpproxy.FromInjected}},
	)
	for _, want := range []string{"chat:post_message", "Data leaves.", "untrusted_destination", "high (61 of 100)", "write", "channel #x, named by an instruction hidden in a result",
		"Carries: api_token\n", "vault read_secret, activity 01ORIGIN", `{"channel":"#x"}`} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("it does not say %q:\n%s", want, r.Text)
		}
	}
}

// All arguments have a digest. For valid JSON, it does not depend on the layout.
func FuzzDigest(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2.50,1e400,"é\ud83d\ude00"],"b":{"c":null}}`, `{"a":1,"a":2}`, `"\ud800"`, "\xff", `[`, ``, `-0`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		d := approval.Digest(raw)
		if len(d) != 64 || string(raw) != before {
			t.Fatalf("%q: %q", before, d)
		}
		var out bytes.Buffer
		v := jsontext.Value(raw)
		if v.IsValid() && json.Indent(&out, raw, "", "  ") == nil && approval.Digest(out.Bytes()) != d {
			t.Errorf("%q laid out anew is another call", raw)
		}
	})
}
