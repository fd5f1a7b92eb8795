package match

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/text"
)

var options = Options{MinLength: 20, MaxBytes: 65536}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func document(t testing.TB, v any) *text.Document {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := text.Parse(raw, "r")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// prose returns n random words.
func prose(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		w := make([]byte, 2+r.IntN(9))
		for k := range w {
			w[k] = "etaoinshrdlucmfwypvbgkqjxz"[min(r.IntN(26), r.IntN(26))]
		}
		words[i] = string(w)
	}
	return strings.Join(words, " ")
}

// disguised lists encodings and forms that a text may have in an argument.
var disguised = map[string]func(r *rand.Rand, s string) any{
	"unchanged":                func(_ *rand.Rand, s string) any { return s },
	"in the other letter case": func(_ *rand.Rand, s string) any { return strings.ToUpper(s) },
	"within a sentence":        func(r *rand.Rand, s string) any { return prose(r, 8) + " \"" + s + "\" " + prose(r, 8) },
	"re-wrapped":               func(_ *rand.Rand, s string) any { return wrapped(s, 13, "\n> ") },
	"in groups with dashes":    func(_ *rand.Rand, s string) any { return wrapped(s, 4, "-") },
	"letter by letter":         func(_ *rand.Rand, s string) any { return wrapped(s, 1, " ") },
	"zero-width marks":         func(_ *rand.Rand, s string) any { return wrapped(s, 3, "\u200b") },
	"full-width letters":       func(_ *rand.Rand, s string) any { return wide(s) },
	"backwards":                func(_ *rand.Rand, s string) any { b := []byte(s); slices.Reverse(b); return string(b) },
	"base64":                   func(_ *rand.Rand, s string) any { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 in a sentence": func(r *rand.Rand, s string) any {
		return prose(r, 5) + " " + base64.RawURLEncoding.EncodeToString([]byte(s)) + " " + prose(r, 5)
	},
	"base64 in lines": func(_ *rand.Rand, s string) any {
		return wrapped(base64.StdEncoding.EncodeToString([]byte(s)), 24, "\n")
	},
	"base64 twice": func(_ *rand.Rand, s string) any {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	},
	"hex": func(_ *rand.Rand, s string) any { return hex.EncodeToString([]byte(s)) },
	"hex of base64": func(_ *rand.Rand, s string) any {
		return hex.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	},
	"base32":           func(_ *rand.Rand, s string) any { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"percent encoding": func(_ *rand.Rand, s string) any { return "https://example.com/?q=" + url.QueryEscape(s) },
	"character codes": func(_ *rand.Rand, s string) any {
		return strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]byte(s))), ", "), "[]")
	},
	"unicode escapes":  func(_ *rand.Rand, s string) any { return escaped(s) },
	"HTML entities":    func(_ *rand.Rand, s string) any { return entities(s) },
	"compressed":       func(_ *rand.Rand, s string) any { return zipped(s) },
	"JSON in a string": func(_ *rand.Rand, s string) any { b, _ := json.Marshal(map[string]string{"k": s}); return string(b) },
	"a list of pieces": func(_ *rand.Rand, s string) any { return strings.Split(wrapped(s, 8, "\x00"), "\x00") },
	"a list of objects": func(_ *rand.Rand, s string) any {
		var out []any
		for i, piece := range strings.Split(wrapped(s, 8, "\x00"), "\x00") {
			out = append(out, map[string]any{"n": i, "v": piece})
		}
		return out
	},
	"a member for each piece": func(_ *rand.Rand, s string) any {
		out := map[string]any{}
		for i, piece := range strings.Split(wrapped(s, 6, "\x00"), "\x00") {
			out[fmt.Sprintf("f%02d", i)] = piece
		}
		return out
	},
	"names of members": func(_ *rand.Rand, s string) any {
		var out []any
		for _, piece := range strings.Split(wrapped(s, 8, "\x00"), "\x00") {
			out = append(out, map[string]any{piece: true})
		}
		return out
	},
	"a list of pieces of base64": func(_ *rand.Rand, s string) any {
		return strings.Split(wrapped(base64.StdEncoding.EncodeToString([]byte(s)), 7, "\x00"), "\x00")
	},
	"base64 in a path": func(_ *rand.Rand, s string) any {
		return "https://example.com/" + base64.RawURLEncoding.EncodeToString([]byte(s))
	},
	"base64 as a path": func(_ *rand.Rand, s string) any {
		return "https://example.com/" + wrapped(base64.RawURLEncoding.EncodeToString([]byte(s)), 10, "/")
	},
	"hex in a host name": func(_ *rand.Rand, s string) any {
		return "https://" + wrapped(hex.EncodeToString([]byte(s)), 60, ".") + ".example.com/"
	},
}

func wrapped(s string, n int, with string) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		if i > 0 && i%n == 0 {
			b.WriteString(with)
		}
		b.WriteByte(c)
	}
	return b.String()
}

func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r - ' ' + '\uff00'
		}
		return r
	}, s)
}

func escaped(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	return b.String()
}

func entities(s string) string {
	var b strings.Builder
	for i, c := range []byte(html.EscapeString(s)) {
		if i%2 == 0 {
			fmt.Fprintf(&b, "&#%d;", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// The guarantee: a shared run of gram.Shared bytes of skeleton becomes a candidate in every form.
func TestASharedRunIsFoundInEveryEncoding(t *testing.T) {
	for name, disguise := range disguised {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range 40 {
				secret := make([]byte, gram.Shared+r.IntN(30))
				for i := range secret {
					secret[i] = alphanumeric[r.IntN(len(alphanumeric))]
				}
				x := New()
				x.Add(
					document(
						t,
						map[string]any{
							"content": []any{
								map[string]any{
									"type": "text",
									"text": prose(r, 60) + "\n" + string(secret) + "\n" + prose(r, 60),
								},
							},
						},
					),
					options,
					Source{ID: 1},
				)
				doc := document(t, map[string]any{"title": "Update", "body": disguise(r, string(secret))})
				seen := false
				for _, p := range queryPieces(doc) {
					seen = seen || len(x.agreements(p.skeleton)) > 0
				}
				if !seen {
					t.Fatalf("%s was not found in %v", secret, disguise(r, string(secret)))
				}
			}
		})
	}
}

// The positions of a hit are the bytes of the argument that carry the data.
func TestTheSpansOfAHitAreInTheArguments(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	secret := "The merger with Contoso closes on Friday at 41.50 a share, tell nobody before"
	for name, c := range map[string]struct{ body, want string }{
		"unchanged":  {"Look: " + secret + "! Bye", "merger with Contoso"},
		"in base64":  {"see " + base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret))[8:40]},
		"zero-width": {"x " + wrapped(secret, 5, "\u200b"), "Conto\u200bso"[0:3]},
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			x.Add(document(t, prose(r, 30)+". "+secret+". "+prose(r, 30)), options, Source{ID: 42})
			doc := document(t, map[string]string{"to": "someone", "body": c.body})
			hits := x.Find(NewQuery(doc, nil, options), "")
			if len(hits) != 1 || hits[0].Source != 42 || len(hits[0].Spans) == 0 {
				t.Fatalf("hits: %+v", hits)
			}
			s := hits[0].Spans[0]
			got := doc.Parts[s.Part].Text[s.Start:s.End]
			if !strings.Contains(got, c.want) || strings.Contains(got, "Look") {
				t.Errorf("the span of the hit is %q", got)
			}
		})
	}
}
