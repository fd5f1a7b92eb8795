package wire_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy/internal/wire"
)

func ExampleEncodeHeader() {
	fmt.Println(wire.EncodeHeader("get weather"))
	fmt.Println(wire.EncodeHeader("wetter für Köln"))
	// Output:
	// get weather
	// =?base64?d2V0dGVyIGbDvHIgS8O2bG4=?=
}

func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ =?]*(=\?base64\?)?[a-z ]*(\?=)?`)).Draw(t, "s")
		v := wire.EncodeHeader(s)
		for i := range len(v) {
			if v[i] < 0x20 || v[i] >= 0x7f {
				t.Fatalf("%q holds a byte no header carries", v)
			}
		}
		if got, ok := wire.DecodeHeader(" " + v + "\t"); !ok || got != s {
			t.Fatalf("%q went out as %q and came back as %q", s, v, got)
		}
	})
}

func TestDecodeHeaderRefusesBrokenEncodings(t *testing.T) {
	for v, want := range map[string]bool{
		"=?base64?%%%?=":  false,
		"=?base64?YQ==":   true,
		"plain":           true,
		"=?base64?YQ==?=": true,
	} {
		if _, ok := wire.DecodeHeader(v); ok != want {
			t.Errorf("%q: well formed is %v", v, ok)
		}
	}
}

func TestParamHeaders(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"count":{"type":"integer","x-mcp-header":"Count"},
		"dry":{"type":"boolean","x-mcp-header":"Dry"},
		"list":{"type":"array","x-mcp-header":"List"},
		"plain":{"type":"string"},
		"inner":{"type":"object","properties":{"tenant":{"x-mcp-header":"Tenant"}}}}}`
	cases := []struct {
		name, arguments string
		want            http.Header
	}{
		{
			"strings, numbers and booleans are mirrored",
			`{"region":"eu","count":12345678901234567890,"dry":false}`,
			http.Header{
				"Mcp-Param-Region": {"eu"},
				"Mcp-Param-Count":  {"12345678901234567890"},
				"Mcp-Param-Dry":    {"false"},
			},
		},
		{"what a header cannot carry is encoded", `{"region":"Köln\r\nX: 1"}`,
			http.Header{"Mcp-Param-Region": {wire.EncodeHeader("Köln\r\nX: 1")}}},
		{"members of nested objects are mirrored", `{"inner":{"tenant":"t"}}`, http.Header{"Mcp-Param-Tenant": {"t"}}},
		{"null and arrays are not", `{"region":null,"list":["x"]}`, http.Header{}},
		{"arguments nobody asked for are not", `{"plain":"x","other":"y"}`, http.Header{}},
		{"no arguments give no headers", ``, http.Header{}},
		{"arguments that are no object give no headers", `["eu"]`, http.Header{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, wire.ParamHeaders([]byte(schema), []byte(c.arguments))); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := wire.ParamHeaders(nil, []byte(`{"region":"eu"}`)); len(got) != 0 {
		t.Errorf("without a schema: %v", got)
	}
}

func TestSetHeaders(t *testing.T) {
	m := wire.NewRequest(wire.IntID(1), "tools/call", []byte(`{"name":"größe","arguments":{}}`))
	m.Header = http.Header{"Mcp-Param-Region": {"eu"}}
	got := http.Header{}
	wire.SetHeaders(got, m)
	want := http.Header{
		"Mcp-Protocol-Version": {"2026-07-28"},
		"Mcp-Method":           {"tools/call"},
		"Mcp-Name":             {wire.EncodeHeader("größe")},
		"Mcp-Param-Region":     {"eu"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNameOf(t *testing.T) {
	cases := []struct{ name, method, params, want string }{
		{"a tool call names its tool", "tools/call", `{"name":"t"}`, "t"},
		{"a prompt is named", "prompts/get", `{"name":"p"}`, "p"},
		{"a resource goes by its URI", "resources/read", `{"uri":"file:///x","name":"n"}`, "file:///x"},
		{"other methods have no name", "tools/list", `{"name":"t"}`, ""},
		{"a name that is no string counts as none", "tools/call", `{"name":5}`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := wire.NameOf(c.method, []byte(c.params)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	failed := func(code int) *wire.Message {
		return wire.NewError(wire.IntID(1), &wire.RPCError{Code: code, Message: "m"})
	}
	cases := []struct {
		name string
		m    *wire.Message
		want int
	}{
		{"a result is 200", wire.NewResult(wire.IntID(1), []byte(`{}`)), 200},
		{"an unknown method is 404", failed(wire.CodeMethodNotFound), 404},
		{"a malformed request is 400", failed(wire.CodeInvalidRequest), 400},
		{"a header that says otherwise is 400", failed(wire.CodeHeaderMismatch), 400},
		{"an unknown revision is 400", failed(wire.CodeUnsupported), 400},
		{"a denial is an ordinary answer", failed(wire.CodeDenied), 200},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := wire.Status(c.m); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
	upstream := failed(wire.CodeMethodNotFound)
	upstream.HTTPStatus = 503
	if got := wire.Status(upstream); got != 503 {
		t.Errorf("the status a response came with is lost: %d", got)
	}
}

func TestKnownVersion(t *testing.T) {
	for _, v := range append([]string{wire.Latest}, wire.StatefulVersions...) {
		if !wire.KnownVersion(v) {
			t.Errorf("%s is not known", v)
		}
	}
	for _, v := range []string{"", "2024-01-01", "2026-07-28 "} {
		if wire.KnownVersion(v) {
			t.Errorf("%q is known", v)
		}
	}
}
