package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

func TestArgumentsFitTheirSchema(t *testing.T) {
	for name, s := range map[string]string{
		"texts":        `{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"string","minLength":20},"b":{"type":"string","maxLength":2},"c":{"enum":["x","y"]}}}`,
		"numbers":      `{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"integer","minimum":5.5},"b":{"type":"number","exclusiveMaximum":0},"c":{"type":"integer","exclusiveMinimum":3}}}`,
		"lists":        `{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":2,"items":{"type":"object","required":["n"],"properties":{"n":{"type":"boolean"}}}}}}`,
		"references":   `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","required":["y"],"properties":{"y":{"type":"string"}}}}}`,
		"alternatives": `{"type":"object","required":["a","b"],"properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer"}]},"b":{"type":["null","string"]}}}`,
		"constants":    `{"type":"object","required":["a","b"],"properties":{"a":{"const":7},"b":{"type":"string","default":"d"}}}`,
	} {
		var schema jsonschema.Schema
		if err := json.Unmarshal([]byte(s), &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(schemaOf([]byte(s)).arguments(nil))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(args, &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%s: %s: %v", name, args, err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}`))
	f.Add(
		[]byte(
			`{"required":["a"],"properties":{"a":{"type":"array","minItems":1e300,"items":{"$ref":"#/properties/a"}}}}`,
		),
	)
	f.Add(
		[]byte(
			`{"required":["a"],"properties":{"a":{"type":"array","minItems":1e3,"items":{"$ref":"#/properties/a"}}}}`,
		),
	)
	f.Add([]byte(`{"$ref":"#/$ref","anyOf":[{"anyOf":[]}]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		s := schemaOf(schema)
		if args, err := json.Marshal(s.arguments(nil)); err == nil && len(args) > 1<<20 {
			t.Errorf("%d bytes of arguments", len(args))
		}
		s.carrier()
		for _, p := range s.properties() {
			s.property(p).free()
			for _, h := range hostiles {
				h.fits(s.property(p))
			}
		}
		canonical(schema)
		if d := canonical(schema); canonical(schema) != d {
			t.Error("the canonical form changes")
		}
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add(
		[]byte(`{"content":[{"type":"text","text":"at run (/srv/x.js:1:2)"}],"isError":true}`),
		[]byte(`{"code":-32602,"message":"no"}`),
		200,
	)
	f.Add([]byte(`[`), []byte(`{"message":7}`), 500)
	f.Fuzz(func(t *testing.T, result, failure []byte, status int) {
		for _, a := range []raw.Answer{{Result: result, Status: status}, {Error: failure, Status: status}, {Body: result, Status: status}} {
			if first, second := shape(a), shape(a); first != second {
				t.Error("the shape changes")
			}
			if failedToAnswer(a) == "" && !a.OK() && a.Error == nil && (a.Status < 400 || a.Status >= 500) {
				t.Error("nothing is taken for an answer")
			}
			injected(a, injections[0].pattern)
			scopeOf(a)
			codeOf(a)
			if s := shown(errorText(a)); strings.ContainsAny(s, "\x00\x1b\n\u202e") || len([]rune(s)) > maxShown {
				t.Errorf("shown is %q", s)
			}
			leaked(seenError{"x", errorText(a), ""})
		}
	})
}

func TestErrorsAreCheckedForLeaksExceptTheCallersOwnText(t *testing.T) {
	for text, want := range map[string]string{
		"Error\n    at run (/srv/notes/index.js:12:5)":                          "a stack trace",
		"Traceback (most recent call last):":                                    "a stack trace",
		"cannot open '/home/deploy/x.db'":                                       "a path of the server",
		`C:\Users\deploy\x.db is locked`:                                        "a path of the server",
		"dial 10.0.0.5:5432":                                                    "an internal address",
		"connect ECONNREFUSED 127.0.0.1:5432":                                   "an internal address",
		"ERROR: relation does not exist (SQLSTATE 42P01)":                       "a database's own message",
		"there is no such note: see https://docs.example/home/deploy or /notes": "",
		"cannot open /tmp/said/by/the/caller":                                   "",
		"Invalid arguments: expected string, received number (version 10.2.1)":  "",
	} {
		var kinds []string
		for _, d := range leaked(seenError{"a call", text, `{"path":"/tmp/said/by/the/caller"}`}) {
			kinds = append(kinds, d.Kind)
		}
		if want == "" && len(kinds) > 0 || want != "" && !slices.Contains(kinds, want) {
			t.Errorf("%q tells %v, want %q", text, kinds, want)
		}
	}
}

// A server must not be able to fill the probe's memory with errors or with lists.
func TestTheMemoryForErrorsIsBounded(t *testing.T) {
	r := &runner{current: &Result{}}
	long := strings.Repeat("x", 1<<20)
	for range 300 {
		r.learn("a call", long, raw.Answer{Status: 400, Body: []byte(long)})
	}
	total := 0
	for _, e := range r.errors {
		if len(e.text) > maxHeard || len(e.sent) > maxHeard {
			t.Fatalf("of one error %d and %d bytes are kept", len(e.text), len(e.sent))
		}
		total += len(e.text) + len(e.sent)
	}
	if total == 0 || total > maxKept {
		t.Errorf("%d bytes are kept", total)
	}
}

func TestListsAreReadUpToASizeLimit(t *testing.T) {
	pages := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages++
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(
			w,
			`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s"}],"nextCursor":"x"}}`,
			wire.Member(body, "id"),
			strings.Repeat("x", 300),
		)
	}))
	defer s.Close()
	conn, err := raw.Connect(t.Context(), Target{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	left := 1000
	r := &runner{ctx: t.Context(), conn: conn, options: Options{CallTimeoutMS: 10000}}
	all, endless, err := r.list("tools/list", "tools", &left)
	if err != nil || pages != 3 || len(all) != 2 || !strings.Contains(endless, "32 MB") {
		t.Errorf("%d pages, %d entries, %q, %v", pages, len(all), endless, err)
	}
}

// Ordering ten thousand tools takes no noticeable time.
func TestManyToolsAreSortedByTheirRequiredArguments(t *testing.T) {
	r := &runner{}
	for i := range 10000 {
		needs := strings.Repeat(`"a",`, i%3) + `"b"`
		r.surface.tools = append(
			r.surface.tools,
			parseTool([]byte(fmt.Sprintf(`{"name":"read_%d","inputSchema":{"required":[%s]}}`, i%5000, needs))),
		)
	}
	out := r.callable(10000)
	if len(out) != 5000 || out[0].name != "read_0" || out[0].cost > out[1].cost || out[4999].cost < out[4998].cost {
		t.Errorf("%d tools, the first %s", len(out), out[0].name)
	}
}

func TestPredictableSessionIDsAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		ids  []string
		want string
	}{
		"random":           {[]string{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "e4eaaaf2-d142-11e1-b3e4-080027620cdd"}, ""},
		"the same":         {[]string{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"}, "the same"},
		"counted":          {[]string{"00000000000000000000000000000001", "00000000000000000000000000000002"}, "positions"},
		"counted in hex":   {[]string{"0000000000000000000000000000000f", "00000000000000000000000000000010"}, "positions"},
		"short":            {[]string{"abc", "xyz"}, "3 characters"},
		"no header's":      {[]string{"3f2504e0-4f89-41d3-9a0c 0305e82c3301", "x"}, "a header must not"},
		"a time, a number": {[]string{"session-1772366400-000001", "session-1772366400-000002"}, "positions"},
	} {
		if got := predictable(c.ids); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Shows: PS-5.
func TestThePercentileIsTheNearestRank(t *testing.T) {
	many := make([]float64, 100)
	for i := range many {
		many[i] = float64(100 - i)
	}
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{1, 2}, 2}, {many, 95}, {many[:20], 99}} {
		if got := percentile(c.values, 95); got != c.want {
			t.Errorf("of %d values it is %v, want %v", len(c.values), got, c.want)
		}
	}
}

// Shows: PS-2.
func TestTimestampsAndOrderDoNotCountAsDrift(t *testing.T) {
	a := canonical(
		[]byte(
			`{"name":"x","description":"As of 2026-03-01T12:00:00Z","_meta":{"updatedAt":1},"inputSchema":{"properties":{"timestamp":{"type":"string"}}}}`,
		),
	)
	b := canonical(
		[]byte(
			`{"_meta":{"updatedAt":2},"description":"As of 2026-03-02T13:00:01.5Z","name":"x","inputSchema":{"properties":{"timestamp":{"type":"string"}}}}`,
		),
	)
	if a != b {
		t.Errorf("%s\n%s", a, b)
	}
	c := canonical([]byte(`{"name":"x","inputSchema":{"properties":{"timestamp":{"type":"number"}}}}`))
	if c == canonical([]byte(`{"name":"x","inputSchema":{"properties":{"timestamp":{"type":"string"}}}}`)) {
		t.Errorf("a parameter that is called timestamp does not count: %s", c)
	}
}
