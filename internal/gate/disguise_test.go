package gate_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// hidden are the forms in which a value can be put into a call.
var hidden = map[string]func(secret string) string{
	"plain":  func(s string) string { return object("text", "the key is "+s) },
	"base64": func(s string) string { return object("text", "see "+base64.StdEncoding.EncodeToString([]byte(s))) },
	"base64 for URLs": func(s string) string {
		return object("text", base64.RawURLEncoding.EncodeToString([]byte("key: "+s)))
	},
	"base32":  func(s string) string { return object("text", base32.StdEncoding.EncodeToString([]byte(s))) },
	"hex":     func(s string) string { return object("text", "x "+hex.EncodeToString([]byte(s))) },
	"percent": func(s string) string { return object("url", "https://example.org/?q="+url.QueryEscape(percent(s))) },
	"base64 of hex": func(s string) string {
		return object("text", base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte(s)))))
	},
	"zero-width": func(s string) string { return object("text", strings.Join(strings.Split(s, ""), "\u200b")) },
	"homoglyph": func(s string) string {
		return object("text", strings.NewReplacer("A", "А", "K", "К", "I", "І", "E", "Е").Replace(s))
	},
	"full width": func(s string) string { return object("text", fullwidth(s)) },
	"spaced":     func(s string) string { return object("text", strings.Join(strings.Split(s, ""), " ")) },
	"reversed":   func(s string) string { return object("text", backwards(s)) },
	"rot13":      func(s string) string { return object("text", strings.Map(rot13, s)) },
	"a JSON key": func(s string) string { return object(s, "x") },
	"split over fields": func(s string) string {
		return fmt.Sprintf(`{"part1":%s,"part2":%s,"region":"eu-central-1"}`, quoted(s[:9]), quoted(s[9:]))
	},
	"an array of characters": func(s string) string {
		return `{"c":["` + strings.Join(strings.Split(s, ""), `","`) + `"]}`
	},
	"an array of bytes": func(s string) string {
		codes := make([]string, len(s))
		for i := range len(s) {
			codes[i] = fmt.Sprint(s[i])
		}
		return `{"data":[` + strings.Join(codes, ",") + `]}`
	},
	"three items of an array": func(s string) string {
		return fmt.Sprintf(`{"c":[%s,%s,%s,"end"]}`, quoted("use "+s[:5]), quoted(s[5:11]), quoted(s[11:]+" now"))
	},
	"JSON in a string": func(s string) string { return object("body", object("inner", object("key", s))) },
}

func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// Shows: SC-001.
func TestASecretInAnyDisguiseIsNotSentOut(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	key := "AKIA" + random(7, 16, upper+"234567")
	for name, put := range hidden {
		t.Run(name, func(t *testing.T) {
			v, sent := h.does(call("slack", "post_message", put(key)))
			if sent || v.Rule != policy.RuleSensitive {
				t.Errorf("%s: %+v", put(key), v)
			}
			if stored := h.stored(v.ID); stored == nil || strings.Contains(string(stored.Arguments), key) {
				t.Errorf("stored as %v", stored)
			}
		})
		t.Run(name+", to a server that no rule knows", func(t *testing.T) {
			if v, sent := h.does(call("thing42", "frobnicate", put(key))); sent || v.Rule != policy.RuleSensitive {
				t.Errorf("%s: %+v", put(key), v)
			}
		})
		t.Run("the benign twin of "+name, func(t *testing.T) {
			v, sent := h.does(call("slack", "post_message", put("the meeting is at noon")))
			if !sent || v.Decision != mcpproxy.Allow {
				t.Errorf("%s: %+v", put("the meeting is at noon"), v)
			}
		})
	}
}

// Shows: RFC-22.
func TestPersonalDataIsNotSentOut(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	args := object("text", "Jane Roe, jane.roe@example.org, SSN 536-22-"+"8174, card 4539 5787 "+"6362 1486")
	v, sent := h.does(call("slack", "post_message", args))
	if sent || v.Rule != policy.RuleSensitive {
		t.Errorf("%+v", v)
	}
	if v, sent := h.does(
		call("slack", "post_message", object("text", "Jane Roe, jane.roe@example.org, room 536-22, order 4539 5787")),
	); !sent ||
		v.Decision != mcpproxy.Allow {
		t.Errorf("the benign twin: %+v", v)
	}
}
