package hook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy/internal/hook"
)

const whole = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/a \"b\" é😀","lines":[1,22,{"x":null}],"content":"text\né\\"},"n":-1.5e3}`

func TestEveryBeginningOfAPayloadCanBeClosed(t *testing.T) {
	for n := 1; n <= len(whole); n++ {
		closed, ok := hook.Close([]byte(whole[:n]))
		if !ok || !json.Valid(closed) {
			t.Fatalf("%s\nbecame %s", whole[:n], closed)
		}
	}
}

func TestTheReceivedPartOfACutPayloadIsKept(t *testing.T) {
	for from, want := range map[string]string{
		`{"a":"x\u00e`:     `{"a":"x"}`,
		`{"a":"x\`:         `{"a":"x"}`,
		"{\"a\":\"x\xc3":   `{"a":"x"}`,
		`{"a":1,"b":12`:    `{"a":1}`,
		`{"a":[true,fal`:   `{"a":[true]}`,
		`{"a":"x","na`:     `{"a":"x"}`,
		`{"a":"x","name":`: `{"a":"x"}`,
		`{"a":{"b":"c`:     `{"a":{"b":"c"}}`,
		`[{"a":"b"},`:      `[{"a":"b"}]`,
	} {
		if got, ok := hook.Close([]byte(from)); !ok || string(got) != want {
			t.Errorf("%s became %s, %v; want %s", from, got, ok, want)
		}
	}
	for _, nothing := range []string{"", "x", "12", `nul`} {
		if got, ok := hook.Close([]byte(nothing)); ok {
			t.Errorf("%q became %s", nothing, got)
		}
	}
}

// A prefix of valid JSON that begins with an object or array becomes valid JSON.
func FuzzClose(f *testing.F) {
	f.Add(whole, 40)
	f.Add(`[[["a",{"b":"😀"}]]]`, 12)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if !json.Valid([]byte(text)) ||
			!strings.HasPrefix(strings.TrimSpace(text), "{") && !strings.HasPrefix(strings.TrimSpace(text), "[") {
			_, _ = hook.Close([]byte(text)) // it must not panic
			return
		}
		start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		n = start + 1 + max(n, 0)%(len(text)-start)
		if closed, ok := hook.Close([]byte(text[:n])); !ok || !json.Valid(closed) {
			t.Errorf("%q became %q, %v", text[:n], closed, ok)
		}
	})
}
