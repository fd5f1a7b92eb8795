package value

import (
	"iter"
	"strings"
	"unicode/utf8"

	"mcpproxy/internal/flow/table"
)

// Words in names that tell the kind of a value. Only letters are compared.
var (
	phoneNames  = []string{"phone", "mobile", "telephone", "fax"}
	secretNames = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey",
		"signingkey", "encryptionkey", "credential", "pwd"}
	secretWords = map[string]bool{
		"auth":          true,
		"authorization": true,
		"bearer":        true,
		"pass":          true,
	}
	openWords = map[string]bool{
		"public":       true,
		"page":         true,
		"cursor":       true,
		"next":         true,
		"continuation": true,
		"sync":         true,
		"max":          true,
		"min":          true,
		"count":        true,
		"limit":        true,
		"usage":        true,
		"primary":      true,
		"foreign":      true,
		"cache":        true,
	}
	pointerNames = map[string]bool{
		"id":        true,
		"uuid":      true,
		"guid":      true,
		"sha":       true,
		"ref":       true,
		"url":       true,
		"uri":       true,
		"href":      true,
		"path":      true,
		"date":      true,
		"time":      true,
		"timestamp": true,
		"birthday":  true,
		"etag":      true,
		"digest":    true,
		"checksum":  true,
		"commit":    true,
		"version":   true,
		"cursor":    true,
		"file":      true,
		"filename":  true,
	}
	pointerEnds = []string{
		"_id",
		"-id",
		"Id",
		"ID",
		"_at",
		"At",
		"_url",
		"Url",
		"URL",
		"_sha",
		"_date",
		"_path",
		"_ref",
		"_hash",
		"_token",
	}
)

// secretName reports whether a name announces a secret.
func secretName(name string) bool {
	if name == "" || len(name) > table.MaxToken {
		return false
	}
	secret := containsAny(folded(name), secretNames)
	for word := range nameWords(name) {
		if openWords[word] {
			return false
		}
		secret = secret || secretWords[word]
	}
	return secret
}

// nameWords yields the words of a name in lower case. They are the same for API_KEY, api-key and apiKey.
func nameWords(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(name); i++ {
			switch {
			case i == len(name) || !IsAlnum(name[i]):
				if start < i && !yield(strings.ToLower(name[start:i])) {
					return
				}
				start = i + 1
			case i > start && isUpper(name[i]) && !isUpper(name[i-1]):
				if !yield(strings.ToLower(name[start:i])) {
					return
				}
				start = i
			}
		}
	}
}

// pointerName reports whether a name announces a reference.
func pointerName(name string) bool {
	if name == "" {
		return false
	}
	if pointerNames[strings.ToLower(name)] {
		return true
	}
	for _, end := range pointerEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// folded returns a name in lower case without the separators of its words.
func folded(name string) string {
	if len(name) > table.MaxToken {
		return ""
	}
	return string(skeletonOf(name))
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// trimValue returns v without white space, quotes and the end of a list item.
func trimValue(v string) string {
	if v != "" && IsAlnum(v[0]) && IsAlnum(v[len(v)-1]) { // most values
		return v
	}
	return strings.Trim(v, " \t\r\n\"'`,;")
}

// trimSign returns a number without its sign and its currency.
func trimSign(v string) string {
	if v == "" || !isSign(v[0]) {
		return v
	}
	for _, sign := range []string{"-", "+", "$", "€", "£", "¥"} {
		v = strings.TrimPrefix(v, sign)
	}
	return v
}

// isSign reports whether a sign or a currency may begin with c.
func isSign(c byte) bool { return c == '-' || c == '+' || c == '$' || c >= utf8.RuneSelf }
