package detect_test

import (
	b32 "encoding/base32"
	"encoding/base64"
	hexa "encoding/hex"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// wholeDisguises encode a text with a secret in it.
var wholeDisguises = map[string]func(string) string{
	"nothing": func(s string) string { return s },
	"base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 twice": func(s string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	},
	"base32":  func(s string) string { return b32.StdEncoding.EncodeToString([]byte(s)) },
	"hex":     func(s string) string { return hexa.EncodeToString([]byte(s)) },
	"percent": url.PathEscape,
	"form":    func(s string) string { return url.QueryEscape("a b " + s) },
	"HTML":    html.EscapeString,
	"JSON":    func(s string) string { return string(text.Quote(s)) },
	"escapes": func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return b.String()
	},
	"zero-width": func(s string) string { return s[:len(s)/2] + "\u200b" + s[len(s)/2:] },
}

// No secret of any rule remains in a masked text, whichever of wholeDisguises encodes it.
func TestNoSecretOfAnyRuleIsLeftInAnyDisguise(t *testing.T) {
	for _, c := range cases {
		if !c.Positive || len(c.Value) < 8 {
			continue
		}
		for name, disguise := range wholeDisguises {
			if !isASCII(c.Text) {
				continue
			}
			doc, found := find(
				t,
				[]byte(`{"content":[{"type":"text","text":`+string(text.Quote("see: "+disguise(c.Text)))+`}]}`),
			)
			var hidden []detect.Finding
			for _, f := range found {
				if f.Hides() {
					hidden = append(hidden, f)
				}
			}
			masked, err := text.Parse(detect.NewMasker(hidden).JSON(doc, hidden), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range masked.Views() {
				if strings.Contains(v.Text, c.Value) && !isFileRule(c.Rule) {
					t.Errorf("%s:%d in %s: the value is left (%s): %q", c.Rule, c.Line, name, v.How, disguise(c.Text))
					break
				}
			}
		}
	}
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }

// isFileRule reports whether a rule is about the names of files, which are not masked.
func isFileRule(id string) bool {
	for _, r := range detect.Rules() {
		if r.ID == id {
			return r.Category == "sensitive_file"
		}
	}
	return false
}
