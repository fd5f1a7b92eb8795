package shell

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded returns the output of a filter for the input v. The output is known if v is known and the filter undoes an
// encoding.
func decoded(fields []value, v value) value {
	text, ok := "", false
	if v.known && v.text != "" {
		text, ok = decode(fields, v.text)
	}
	return value{text, ok, v.data}
}

func decode(fields []value, s string) (string, bool) {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(fields[1:], func(f value) bool {
			return slices.ContainsFunc(flags, func(flag string) bool {
				return f.text == flag ||
					len(flag) == 2 && len(f.text) > 2 && f.text[0] == '-' && f.text[1] != '-' &&
						strings.Contains(f.text, flag[1:])
			})
		})
	}
	switch name := programName(fields[0].text); {
	case name == "base64" && has("-d", "-D", "--decode"),
		name == "openssl" && has("-d") && (has("base64") || has("-base64")):
		return fromBase64(s)
	case name == "base32" && has("-d", "-D", "--decode"):
		b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(squeezed(s), "="))
		return string(b), err == nil
	case name == "xxd" && has("-r"):
		b, err := hex.DecodeString(squeezed(s))
		return string(b), err == nil
	case name == "rev":
		r := []rune(strings.TrimRight(s, "\n"))
		slices.Reverse(r)
		return string(r), true
	case name == "tr" && len(fields) == 3:
		return translate(s, fields[1].text, fields[2].text)
	}
	return "", false
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

func fromBase64(s string) (string, bool) {
	s = strings.TrimRight(squeezed(s), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		b, err = base64.RawURLEncoding.DecodeString(s)
	}
	return string(b), err == nil
}

func fromHex(s string) (string, bool) {
	b, err := hex.DecodeString(strings.ReplaceAll(squeezed(s), `\\x`, ""))
	return string(b), err == nil
}

// translate implements tr for two sets of the same length.
func translate(s, from, to string) (string, bool) {
	a, b := ranges(from), ranges(to)
	if len(a) == 0 || len(b) < len(a) {
		return "", false
	}
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
	}
	for i := range a {
		table[a[i]] = b[i]
	}
	out := []byte(s)
	for i, c := range out {
		out[i] = table[c]
	}
	return string(out), true
}

// ranges expands the ranges of a set, such as a-z.
func ranges(set string) []byte {
	set = strings.TrimSuffix(strings.TrimPrefix(unescape(set), "["), "]")
	var out []byte
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			for c := int(set[i]); c <= int(set[i+2]); c++ {
				out = append(out, byte(c))
			}
			i += 2
			continue
		}
		out = append(out, set[i])
	}
	return out
}

// decodedCommand decodes a PowerShell command that may be base64 of UTF-16.
func decodedCommand(s string) string {
	text, ok := fromBase64(s)
	if !ok || len(text) < 8 || len(text)%2 != 0 {
		return s
	}
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = uint16(text[2*i]) | uint16(text[2*i+1])<<8
	}
	if plain := string(utf16.Decode(units)); !strings.ContainsRune(plain, utf8.RuneError) {
		return plain
	}
	return s
}
