package definition_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy/internal/scan/definition"
)

func TestAnHonestDefinitionKeepsItsBytes(t *testing.T) {
	for _, raw := range []string{
		`{"name":"find_order","description":"Finds an order.\nGives its state.","inputSchema":{"type":"object"}}`,
		`{ "name" : "tea.ready" , "n": 12345678901234567890 }`,
		//lint:ignore ST1018 a raw string holds the bytes that must stay
		`{"name":"سلام","description":"می‌خواهم 👩‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿"}`,
		`{"name":"x","_meta":{"a/b":[null,true,1e3]},"icons":[{"src":"https://a.example/i.png"}]}`,
	} {
		got, changed := definition.Clean(json.RawMessage(raw))
		if changed || string(got) != raw {
			t.Errorf("Clean(%s) = %s, %v", raw, got, changed)
		}
	}
}

// Shows: RFC-19.
func TestInvisibleTextIsRemovedFromADefinition(t *testing.T) {
	long := strings.Repeat("word ", 10_000)
	for _, c := range []struct{ name, raw, want string }{
		{"zero width", `{"name":"a","description":"one\u200btwo"}`, `{"name":"a","description":"onetwo"}`},
		{"tag characters", `{"name":"a","description":"hi\udb40\udc41\udb40\udc42"}`, `{"name":"a","description":"hi"}`},
		{"terminal codes", `{"name":"a","title":"\u001b[8mquiet\u001b[0m"}`, `{"name":"a","title":"quiet"}`},
		{"direction", `{"name":"a","description":"x\u202egpj.exe"}`, `{"name":"a","description":"xgpj.exe"}`},
		{"names", `{"name":"send mail\u200b!"}`, `{"name":"send_mail_"}`},
		{"empty names", `{"name":"\u200b"}`, `{"name":"unnamed"}`},
		{"member names", `{"name":"a","inputSchema":{"properties":{"q\u200b":{}}}}`, `{"name":"a","inputSchema":{"properties":{"q":{}}}}`},
		{"scripts in icons", `{"name":"a","icons":[{"src":"javascript:alert(1)"}]}`, `{"name":"a","icons":[{"src":""}]}`},
		{"over-long text", `{"name":"a","description":"` + long + `"}`, ""},
		{"two members of one name", `{"name":"a","name":"b"}`, `{"name":"b","description":"This definition could not be read.","inputSchema":{"type":"object"}}`},
		{"members that become the same", `{"name":"a","p":{"q\u200b":1,"q":2}}`, `{"name":"a","p":{"q (2)":1,"q":2}}`},
		{"not JSON", `{"name":`, `{"name":"unnamed","description":"This definition could not be read.","inputSchema":{"type":"object"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changed := definition.Clean(json.RawMessage(c.raw))
			if !changed {
				t.Error("nothing was changed")
			}
			if c.want != "" && string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.want == "" && len(got) >= len(c.raw)/2 {
				t.Errorf("%d bytes are left of %d", len(got), len(c.raw))
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte(`{"name":"a","description":"one\u200btwo"}`))
	f.Add([]byte(`{"name":"\u001b]8;;x\u0007\u200d\ufe0f","title":"\udb40\udc41"}`))
	f.Add([]byte(`{"a":"{\"b\":\"\u200b\"}"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, changed := definition.Clean(raw)
		if !changed && !bytes.Equal(once, raw) {
			t.Fatalf("changed in silence: %q to %q", raw, once)
		}
		if changed && !json.Valid(once) {
			t.Fatalf("not JSON: %q to %q", raw, once)
		}
		if twice, again := definition.Clean(once); again || !bytes.Equal(twice, once) {
			t.Fatalf("cleaning again changes %q to %q", once, twice)
		}
	})
}
