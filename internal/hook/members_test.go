package hook

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsReadWithoutADecoder(t *testing.T) {
	long := strings.Repeat("words of a long text, ", 30)
	for _, raw := range []string{`{}`, ` { } `, `{"a":1}`, "{\n\t\"a\" : [ ] , \"b\":{}}\r\n", `{"a":-0.5e+10,"b":[true,false,null,{"c":{"c":1,"c":2}}]}`,
		`{"a":"` + long + `\n\"\\\/\b\f\r\t\u00e9é😀` + long + `","b":"x"}`, "{\"a\":\"\xff broken\"}", `{"a":1E5,"b":0}`} {
		got, ok := members([]byte(raw))
		want, err := decoded([]byte(raw))
		if !ok || err != nil {
			t.Errorf("%.80q: %t, %v", raw, ok, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.80q: %s", raw, diff)
		}
	}
}

func TestWhatIsLeftToTheDecoder(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a":01}`, `{"a":+1}`, `{"a":1.}`, `{"a":.5}`, `{"a":1e}`,
		`{"a":tru}`, `{"a":nul`, `{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, "{\"a\":\"\n\"}", `{"a":"b}`, `{"a":"b\`, `{"a":1}x`, `{"a":[1,]}`, `{"a":{"b":1,}}`,
		`{"a":{"b"}}`, `{"a":{1:2}}`, `{"a":[}`, `{a:1}`, // wrong
		`{"a":1,"a":2}`, `{"\u0061":1}`, `{"é":1}`, `{"a":"\ud83d\ude00"}`, `{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`} { // unusual
		if p, ok := members([]byte(raw)); ok {
			t.Errorf("%.80q is read as %q", raw, p)
		}
	}
}

// What is read without a decoder is what a decoder reads.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{"tool_input":{"content":"a\n\u00e9"},"n":-1.5e3}`, "{\"a\":\"\x00\x1f\xff\"}", `{"a":"12345678\"","b":[[],{}]}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		got, ok := members(raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the payload was changed")
		}
		if !ok {
			return
		}
		want, err := decoded(raw)
		if err != nil {
			t.Fatalf("a decoder says: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
