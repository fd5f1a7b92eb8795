package wire_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/wire"
)

func ExampleParse() {
	m, err := wire.Parse([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"},"extra":1}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Method, string(m.ID), wire.String(m.Params, "name"))
	fmt.Println(string(m.WithID([]byte(`"a"`)).Raw))
	// Output:
	// tools/call 7 echo
	// {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo"},"extra":1}
}

func TestParseTellsKindsOfMessagesApart(t *testing.T) {
	cases := []struct {
		name, raw                       string
		request, notification, response bool
	}{
		{"a request has a method and an id", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, true, false, false},
		{"a notification has a method and no id", `{"jsonrpc":"2.0","method":"notifications/x"}`, false, true, false},
		{"a result is a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, false, false, true},
		{"a null result is a response", `{"jsonrpc":"2.0","id":1,"result":null}`, false, false, true},
		{"an error is a response", `{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"m"}}`, false, false, true},
		{"params may be an array", `{"jsonrpc":"2.0","id":-5,"method":"m","params":[1]}`, true, false, false},
		{
			"white space around the message is fine",
			" \t\r\n{\"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\":\"m\" } \n",
			true,
			false,
			false,
		},
		{
			"keys spelled with escapes are the same keys",
			`{"jsonrpc":"2.0","i\u0064":1,"method":"m"}`,
			true,
			false,
			false,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, err := wire.Parse([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if m.IsRequest() != c.request || m.IsNotification() != c.notification || m.IsResponse() != c.response {
				t.Errorf("request %v, notification %v, response %v", m.IsRequest(), m.IsNotification(), m.IsResponse())
			}
			if string(m.Raw) != c.raw {
				t.Errorf("Raw = %q, want the sender's bytes", m.Raw)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":` + strings.Repeat(
			"[",
			n,
		) + strings.Repeat(
			"]",
			n,
		) + `}}`
	}
	cases := []struct{ name, raw string }{
		{"an empty message", ``},
		{"a message cut short", `{"jsonrpc":"2.0","id":1,"method":"m"`},
		{"a duplicate top-level key", `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`},
		{"a duplicate top-level key spelled with an escape", `{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"b"}`},
		{"a duplicate unknown key", `{"jsonrpc":"2.0","id":1,"method":"m","x":1,"x":1}`},
		{"a duplicate key in params", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","name":"b"}}`},
		{"a duplicate key deep inside", `{"jsonrpc":"2.0","id":1,"result":{"a":[{"b":{"c":1,"c":2}}]}}`},
		{"Method in another case", `{"jsonrpc":"2.0","id":1,"method":"m","Method":"n"}`},
		{"PARAMS in another case", `{"jsonrpc":"2.0","id":1,"method":"m","PARAMS":{}}`},
		{"ID in another case", `{"jsonrpc":"2.0","ID":1,"method":"m"}`},
		{"Result in another case", `{"jsonrpc":"2.0","id":1,"Result":{},"result":{}}`},
		{"Error in another case", `{"jsonrpc":"2.0","id":1,"result":{},"Error":{}}`},
		{"JSONRPC in another case", `{"jsonrpc":"2.0","JSONRPC":"2.0","id":1,"method":"m"}`},
		{
			"params with a long s, which folds to params",
			`{"jsonrpc":"2.0","id":1,"method":"m","params":{},"paramſ":{}}`,
		},
		{"result with an escaped long s", `{"jsonrpc":"2.0","id":1,"result":{},"re\u017fult":{}}`},
		{"data after the message", `{"jsonrpc":"2.0","id":1,"method":"m"} {}`},
		{"garbage after the message", `{"jsonrpc":"2.0","id":1,"method":"m"}x`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"m"}]`},
		{"a bare string", `"method"`},
		{"nesting 10,001 deep", deep(10001)},
		{"invalid UTF-8 in a value", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"x\":\"\xff\"}}"},
		{"invalid UTF-8 in a key", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"\xc3\":1}"},
		{"a lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":"\ud800"}}`},
		{"a byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"m"}`},
		{"a missing jsonrpc", `{"id":1,"method":"m"}`},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"m"}`},
		{"jsonrpc as a number", `{"jsonrpc":2.0,"id":1,"method":"m"}`},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"m"}`},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"m"}`},
		{"a boolean as id", `{"jsonrpc":"2.0","id":true,"method":"m"}`},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`},
		{"a number as method", `{"jsonrpc":"2.0","id":1,"method":1}`},
		{"a string as params", `{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}`},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`},
		{"a string as error", `{"jsonrpc":"2.0","id":1,"error":"x"}`},
		{"both result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`},
		{"both method and result", `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`},
		{"neither method nor result", `{"jsonrpc":"2.0","id":1}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := wire.Parse([]byte(c.raw)); err == nil {
				t.Errorf("accepted %.120q", c.raw)
			}
		})
	}
	if _, err := wire.Parse([]byte(deep(5000))); err != nil {
		t.Errorf("nesting 5,000 deep is refused: %v", err)
	}
}

func TestParseLenientFindsTheIDOfAMalformedAnswer(t *testing.T) {
	raw := []byte("{\"jsonrpc\":\"2.0\",\"id\":41,\"result\":{\"a\":\"\xff\",\"a\":2}}")
	if _, err := wire.Parse(raw); err == nil {
		t.Fatal("Parse accepted it")
	}
	m, err := wire.ParseLenient(raw)
	if err != nil || string(m.ID) != "41" {
		t.Errorf("ParseLenient: %v, %v", m, err)
	}
}

func TestBuildersMakeMessagesThatParse(t *testing.T) {
	id := []byte(`"x"`)
	cases := []struct {
		name string
		m    *wire.Message
		want string
	}{
		{
			"a request",
			wire.NewRequest(wire.IntID(-3), "a\"b", []byte(`{"k":1}`)),
			`{"jsonrpc":"2.0","id":-3,"method":"a\"b","params":{"k":1}}`,
		},
		{"a request without params", wire.NewRequest(id, "m", nil), `{"jsonrpc":"2.0","id":"x","method":"m"}`},
		{"a notification", wire.NewNotification("n", nil), `{"jsonrpc":"2.0","method":"n"}`},
		{"a result", wire.NewResult(id, []byte(`[]`)), `{"jsonrpc":"2.0","id":"x","result":[]}`},
		{
			"an error",
			wire.NewError(id, &wire.RPCError{Code: -1, Message: "m"}),
			`{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"m"}}`,
		},
		{
			"an error to nobody",
			wire.NewError(nil, &wire.RPCError{Code: -32700, Message: "m"}),
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if string(c.m.Raw) != c.want {
				t.Errorf("got  %s\nwant %s", c.m.Raw, c.want)
			}
			if c.name != "an error to nobody" { // which has no id
				parsed, err := wire.Parse(c.m.Raw)
				diff := cmp.Diff(parsed, c.m, cmp.Exporter(func(reflect.Type) bool { return true }))
				if err != nil || diff != "" {
					t.Errorf("reading it again: %v\n%s", err, diff)
				}
			}
			if c.m.Error != nil && wire.Code(c.m) == 0 {
				t.Errorf("Error = %s, which has no code", c.m.Error)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(
		[]byte(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":12345678901234567890}}}`,
		),
	)
	f.Add([]byte(" {\"jsonrpc\":\"2.0\",\"result\":null,\"id\":\"\\u0041\"}\r\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"},"x":[[]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		m, err := wire.Parse(raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("Parse changed its input")
		}
		if err != nil {
			return
		}
		if lenient, err := wire.ParseLenient(
			raw,
		); err != nil || !bytes.Equal(lenient.ID, m.ID) ||
			lenient.Method != m.Method {
			t.Errorf("ParseLenient disagrees: %v", err)
		}
		if m.ID == nil {
			return
		}
		there := m.WithID([]byte(`"another id"`))
		if back := there.WithID(m.ID); !bytes.Equal(back.Raw, raw) {
			t.Errorf("changing the id and back gave %q", back.Raw)
		}
		again, err := wire.Parse(there.Raw)
		if err != nil {
			t.Fatalf("with another id: %v", err)
		}
		if !bytes.Equal(again.Params, there.Params) || !bytes.Equal(again.Result, there.Result) ||
			!bytes.Equal(again.Error, there.Error) {
			t.Errorf("the spans moved: %q", there.Raw)
		}
	})
}

// The messages that were read before have no effect on how a message is read.
func TestAMessageIsReadTheSameAfterABadOne(t *testing.T) {
	good := []byte(`{"a":{"b":[1,2]},"c":"d"}`)
	want, err := wire.Members(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`{"a":1,"a":2}`, `{"a":{"x":[`, `{"a":1} x`, `[1]`, strings.Repeat(`{"a":`, 3000)} {
		if _, err := wire.Members([]byte(bad)); err == nil {
			t.Errorf("%.20q was read", bad)
		}
		if got, err := wire.Members(good); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("after %.20q: %v %v", bad, got, err)
		}
	}
}
