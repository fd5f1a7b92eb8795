package worker

import "testing"

func TestHalfASurrogatePairIsReplaced(t *testing.T) {
	for in, want := range map[string]string{
		``:                        ``,
		`\`:                       `\`,
		`"\u"`:                    `"\u"`,
		`"abc"`:                   `"abc"`,
		`"a\ud83d…"`:              `"a\ufffd…"`,
		`"\udfff\ud800"`:          `"\ufffd\ufffd"`,
		`{"\udc00":"\n\udbff\""}`: `{"\ufffd":"\n\ufffd\""}`,
		`"\\ud83d"`:               `"\\ud83d"`, // a backslash, and letters
		`"\\\ud83d"`:              `"\\\ufffd"`,
		`"\u001f\ud7ff"`:          `"\u001f\ud7ff"`,
		`"😀"`:                     `"😀"`,
	} {
		got := []byte(in)
		if whole(got); string(got) != want {
			t.Errorf("%s became %s, not %s", in, got, want)
		}
	}
}
