package term

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// deceiving are untrusted texts that would change what a terminal displays.
var deceiving = map[string]string{
	"a text turned around":           "invoice\u202egnp.exe",
	"isolates":                       "\u2066x\u2069",
	"a zero width space":             "pass\u200bword",
	"zero width joiners":             "a\u200c\u200d\u2060\ufeffb",
	"a soft hyphen":                  "a\u00adb",
	"tags, which spell unseen":       "a\U000e0041\U000e0042\U000e007fb",
	"C1 controls":                    "\u009b31m red \u0085",
	"delete and escape":              "\x7f \x1b[31m",
	"line separators":                "a\u2028b\u2029c",
	"several lines":                  "one\ntwo\u202e\n\tthree\n",
	"what YAML would take otherwise": "yes\u200b: - # 'x' \"y\" \\u202e",
	"a first line that is empty":     "\n0",
	"a word that is a truth in YAML": "true",
	"digits":                         "0123",
	"nothing":                        "",
	"a tilde":                        "~",
	"a date":                         "2026-11-24",
	"what is no character":           "a\uffff\ufffe\U0001ffff",
	"nothing of the kind":            "Grüße, 日本語 🎉 \\u202e",
}

func TestNoOutputDeceivesATerminal(t *testing.T) {
	for name, text := range deceiving {
		v := map[string]any{"text": text, text: []any{text, "plain"}}
		for format, decode := range map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": yaml.Unmarshal} {
			t.Run(name+" as "+format, func(t *testing.T) {
				var out bytes.Buffer
				if err := Print(&out, format, v, nil); err != nil {
					t.Fatal(err)
				}
				if i := strings.IndexFunc(out.String(), unsafe); i >= 0 {
					t.Errorf("there is %U in %q", []rune(out.String()[i:])[0], out.String())
				}
				var back map[string]any
				if err := decode(out.Bytes(), &back); err != nil || !reflect.DeepEqual(back, v) {
					t.Errorf("it reads %q (%v), printed as %q", back, err, out.String())
				}
			})
		}
	}
}

// unsafe reports whether a character must not be sent to a terminal.
func unsafe(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func FuzzOutput(f *testing.F) {
	for _, text := range deceiving {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		for _, format := range []string{"json", "yaml"} {
			var out bytes.Buffer
			if err := Print(&out, format, []string{text}, nil); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(out.String(), unsafe) {
				t.Errorf("%s prints %q as %q", format, text, out.String())
			}
			var back []string
			if err := yaml.Unmarshal(
				out.Bytes(),
				&back,
			); format == "yaml" &&
				(err != nil || len(back) != 1 || back[0] != text) {
				t.Errorf("%q is printed as %q, which reads %q (%v)", text, out.String(), back, err)
			}
		}
	})
}
