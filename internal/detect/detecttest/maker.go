package detecttest

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

var alphabets = map[string]string{
	"alnum":      digits + upper + lower,
	"alpha":      upper + lower,
	"lower":      lower,
	"upper":      upper,
	"digit":      digits,
	"hex":        digits + "abcdef",
	"HEX":        digits + "ABCDEF",
	"base32":     upper + "234567",
	"bech32":     "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
	"b64":        upper + lower + digits + "+/",
	"b64url":     upper + lower + digits + "-_",
	"loweralnum": digits + lower,
	"upperalnum": digits + upper,
}

// encodings encode the text given to a macro.
var encodings = map[string]func(string) string{
	"join":    func(s string) string { return s },
	"as64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"as64url": func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"asurl64": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
}

// maker expands macros with random characters that depend only on its seed.
type maker struct{ random *rand.Rand }

func newMaker(seed string) *maker {
	h := fnv.New64a()
	h.Write([]byte(seed))
	return &maker{rand.New(rand.NewPCG(h.Sum64(), 1))}
}

// expand replaces the macros of s.
func (m *maker) expand(s string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], `\n`):
			out.WriteByte('\n')
			i += 2
		case strings.HasPrefix(s[i:], `\t`):
			out.WriteByte('\t')
			i += 2
		case s[i] == '{':
			n, err := m.macro(&out, s[i:])
			if err != nil {
				return "", err
			}
			i += n
		default:
			out.WriteByte(s[i])
			i++
		}
	}
	return out.String(), nil
}

// macro writes the expansion of the macro at the start of s, and returns the macro's length. A brace that begins no
// macro is written unchanged.
func (m *maker) macro(out *strings.Builder, s string) (int, error) {
	end := closing(s)
	if end < 0 {
		out.WriteByte('{')
		return 1, nil
	}
	inside := s[1:end]
	name, argument, _ := strings.Cut(inside, ":")
	alphabet, encode := alphabets[name], encodings[name]
	switch {
	case inside == "uuid":
		out.WriteString(m.uuid())
	case alphabet != "":
		n, err := strconv.Atoi(argument)
		if err != nil {
			return 0, fmt.Errorf("{%s}: write a number after the colon", inside)
		}
		out.WriteString(m.draw(alphabet, n))
	case encode != nil || name == "sum":
		if name == "sum" {
			kind, rest, _ := strings.Cut(argument, ":")
			if encode, argument = sums[kind], rest; encode == nil {
				return 0, fmt.Errorf("unknown checksum %q: the variable sums lists the known ones", kind)
			}
		}
		text, err := m.expand(argument)
		if err != nil {
			return 0, err
		}
		out.WriteString(encode(text))
	default:
		out.WriteByte('{')
		return 1, nil
	}
	return end + 1, nil
}

// closing returns the position of the brace that closes the one at the start of s, or -1.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (m *maker) draw(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.random.IntN(len(alphabet))]
	}
	return string(b)
}

// uuid returns a random UUID of version 4.
func (m *maker) uuid() string {
	h := m.draw(alphabets["hex"], 32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-" + m.draw("89ab", 1) + h[17:20] + "-" + h[20:]
}
