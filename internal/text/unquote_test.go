package text_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/text"
)

// A long string says what every other reader of JSON takes it to say.
func TestALongStringIsReadAsOthersReadIt(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a line of words that is neither short nor escaped ", "\n", "\t\r\b\f", `"\/`, "é", "😀", "<&>", "\x00\x1f", "\u2028"}))
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(strings.Repeat(strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "pieces"), ""), rapid.IntRange(1, 40).Draw(t, "times")), "")
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "in halves") {
			raw = []byte(strings.NewReplacer("😀", `\ud83d\uDE00`, "é", `\u00E9`).Replace(string(raw)))
		}
		for what, document := range map[string]string{"as it is": string(raw), "in a string": string(text.Quote("[" + string(raw) + "]"))} {
			d, err := text.Parse([]byte(document), "r")
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Parts[len(d.Parts)-1].Text; got != want {
				t.Errorf("%s: %q, not %q", what, got, want)
			}
		}
	})
}

func TestBrokenCharactersInALongNestedStringAreReplaced(t *testing.T) {
	long := strings.Repeat("words of a long text ", 50)
	inner := `["` + long + `\ud800` + long + `"]`
	d, err := text.Parse(text.Quote(inner), "r")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Parts[len(d.Parts)-1].Text, long+"\uFFFD"+long; got != want {
		t.Errorf("%q", got)
	}
}
