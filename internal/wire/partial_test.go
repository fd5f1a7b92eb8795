package wire_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/wire"
)

func TestAPartialMessageIsReadAsFarAsItIsValid(t *testing.T) {
	call := wire.Partial{Method: "tools/call", Name: "post"}
	for name, c := range map[string]struct {
		raw  string
		want wire.Partial
	}{
		"nothing":                   {``, wire.Partial{}},
		"no JSON":                   {`hello`, wire.Partial{}},
		"an array":                  {`["method"]`, wire.Partial{}},
		"a duplicate name":          {`{"method":"tools/call","params":{"name":"post","name":"other"}}`, call},
		"a duplicate deep inside":   {`{"method":"tools/call","params":{"name":"post","arguments":{"a":1,"a":2}}}`, call},
		"one that is cut short":     {`{"method":"tools/call","params":{"name":"post","arguments":{"a":`, call},
		"a name in the arguments":   {`{"method":"tools/call","params":{"name":"call_tool_read","arguments":{"name":"a:b"}},}`, wire.Partial{Method: "tools/call", Name: "call_tool_read", Inner: "a:b"}},
		"a resource":                {`{"method":"resources/read","params":{"uri":"note://1"},`, wire.Partial{Method: "resources/read", Name: "note://1"}},
		"invalid UTF-8":             {"{\"x\":\"\xff\",\"method\":\"tools/call\",\"params\":{\"name\":\"post\"}}", call},
		"members of other objects":  {`{"params":{"x":{"name":"no"},"_meta":{"method":"no"}},"result":{"method":"no"}}`, wire.Partial{}},
		"a method that is a number": {`{"method":1,"params":{"name":{}}}`, wire.Partial{}},
	} {
		if got := wire.PartialOf([]byte(c.raw)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func FuzzPartial(f *testing.F) {
	f.Add([]byte(`{"method":"tools/call","params":{"name":"post","name":"other","arguments":{"name":"a:b"}}}`))
	f.Add([]byte(`{"method":"tools/call","params":{"name":"` + strings.Repeat("x", 500)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		g := wire.PartialOf(raw)
		for _, s := range []string{g.Method, g.Name, g.Inner} {
			if len(s) > 256 {
				t.Errorf("a text of %d bytes", len(s))
			}
		}
		m, err := wire.Parse(raw)
		if err == nil && len(raw) < 64<<10 && len(m.Method) <= 256 && g.Method != m.Method {
			t.Errorf("the method is %q, the partial message %q", m.Method, g.Method)
		}
	})
}
