package oracle

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// assignments are ways to write a name with its value.
var assignments = []string{
	`NAME = "VALUE"`,
	`NAME: "VALUE"`,
	`"NAME": "VALUE"`,
	`NAME=VALUE`,
	`export NAME=VALUE`,
	`NAME := "VALUE"`,
	`'NAME' => 'VALUE'`,
	"NAME: VALUE\n",
	`NAME = 'VALUE';`,
	`NAME ?= "VALUE"`,
	"NAME = `VALUE`",
	"<NAME>\n  VALUE\n</NAME>",
	`setProperty("NAME", "VALUE")`,
	`process.env.NAME || "VALUE"`,
}

// suffixes are suffixes of names after the name of the service.
var suffixes = []string{"_key", "_api_key", "_token", "-secret", "Token", "ApiKey", "", "_TOKEN", ".token"}

// operators is the part between name and value in every rule that depends on a name.
const operators = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`

var operatorTrees = []*syntax.Regexp{parse(operators), parse("(?i)" + operators)}

func parse(pattern string) *syntax.Regexp {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return tree
}

// forger generates strings that match a pattern, in the way people write them. It ignores anchors, so the caller must
// discard strings that do not match.
type forger struct {
	*rand.Rand
	out     strings.Builder
	pattern string // the pattern as its author wrote it
	form    string // index of the assignment that was used
	quote   byte   // random choices
	name    bool   // a name is being written: omit optional parts
	upper   bool   // a name in capitals is being written
}

// forge returns one string for the pattern and, if it is an assignment, the form of the assignment.
func forge(r *rand.Rand, pattern string) (s, form string) {
	f := &forger{Rand: r, pattern: pattern, quote: "'\""[r.IntN(2)]}
	f.write(parse(pattern))
	return f.out.String(), f.form
}

func (f *forger) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		f.out.WriteString(f.literal(string(re.Rune), re.Flags&syntax.FoldCase != 0))
	case syntax.OpCharClass:
		f.oneOf(re)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		f.out.WriteByte('.') // a dot that was not escaped
	case syntax.OpCapture:
		f.write(re.Sub[0])
	case syntax.OpConcat:
		if !f.assignment(re.Sub) {
			for _, sub := range re.Sub {
				f.write(sub)
			}
		}
	case syntax.OpAlternate:
		f.write(re.Sub[f.IntN(len(re.Sub))])
	case syntax.OpQuest:
		f.repeat(re.Sub[0], 0, 1)
	case syntax.OpStar:
		f.repeat(re.Sub[0], 0, 2)
	case syntax.OpPlus:
		f.repeat(re.Sub[0], 1, 24)
	case syntax.OpRepeat:
		f.repeat(re.Sub[0], re.Min, re.Max)
	}
}

// assignment writes a string for a rule that depends on a name: the name of the service with a suffix, and the value,
// joined as in code.
func (f *forger) assignment(parts []*syntax.Regexp) bool {
	at := -1
	for i, p := range parts {
		if p.Equal(operatorTrees[0]) || p.Equal(operatorTrees[1]) {
			at = i
		}
	}
	if at < 0 || at+2 >= len(parts) {
		return false
	}
	name, value := &forger{
		Rand:  f.Rand,
		name:  true,
		upper: f.IntN(3) == 0,
	}, &forger{
		Rand:    f.Rand,
		pattern: f.pattern,
		quote:   f.quote,
	}
	for _, p := range parts[:at] {
		name.write(p)
	}
	value.write(parts[at+2]) // after quotes and spaces
	suffix := suffixes[f.IntN(len(suffixes))]
	if name.upper {
		suffix = strings.ToUpper(suffix)
	}
	fill := strings.NewReplacer("NAME", name.out.String()+suffix, "VALUE", value.out.String())
	f.form = assignments[f.IntN(len(assignments))]
	f.out.WriteString(fill.Replace(f.form))
	return true
}

// repeat writes a part several times, between lo and hi, with a preference for few.
func (f *forger) repeat(re *syntax.Regexp, lo, hi int) {
	if lo == 0 && hi != 1 && (f.name || f.filler(re)) {
		return
	}
	if hi < 0 || hi > lo+40 {
		hi = lo + 40
	}
	if isSpace(re) {
		hi = lo
	}
	for range lo + f.IntN(hi-lo+1) {
		if re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL {
			f.out.WriteByte(alnum[f.IntN(len(alnum))])
			continue
		}
		f.write(re)
	}
}

// isSpace reports whether re is a class of white space.
func isSpace(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass && contains(re.Rune, '\n') && !contains(re.Rune, '!') && !contains(re.Rune, 'A')
}

// kinds stand between BEGIN and PRIVATE KEY.
var kinds = []string{" ", " RSA ", " EC ", " OPENSSH ", " ENCRYPTED "}

// filler writes a typical text for a run of arbitrary characters, of white space or of words.
func (f *forger) filler(re *syntax.Regexp) bool {
	switch {
	case re.Op == syntax.OpAnyChar:
		f.out.WriteString("\n")
	case re.Op == syntax.OpAnyCharNotNL:
		f.out.WriteString(" -s \\") // the end of a command that continues
	case re.Op != syntax.OpCharClass || !contains(re.Rune, ' ') || contains(re.Rune, '!'):
		return false
	case contains(re.Rune, 'A'):
		f.out.WriteString(kinds[f.IntN(len(kinds))])
	default:
		f.out.WriteByte(' ')
	}
	return true
}

// literal returns s. If the pattern ignores case, it returns names in the case of this string, and other texts as the
// pattern's author wrote them.
func (f *forger) literal(s string, fold bool) string {
	switch {
	case !fold:
		return s
	case f.upper:
		return strings.ToUpper(s)
	}
	s = strings.ToLower(s)
	where := s
	if len(s) == 1 {
		where += "{" // a single character is sure to be meant only where it is repeated
	}
	if at := strings.Index(strings.ToLower(f.pattern), where); at >= 0 {
		return f.pattern[at : at+len(s)]
	}
	return s
}

const alnum = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// oneOf writes a character of a class: usually a letter or digit if the class contains one, and sometimes a dash or
// similar. For a class that ignores case it writes small letters.
func (f *forger) oneOf(re *syntax.Regexp) {
	var in, marks []byte
	for c := byte('\t'); c < 0x7f; c++ {
		switch {
		case !contains(re.Rune, rune(c)):
		case strings.IndexByte(alnum, c) >= 0:
			if re.Flags&syntax.FoldCase == 0 || c < 'A' || c > 'Z' {
				in = append(in, c)
			}
		case len(re.Rune) < 16 && strings.IndexByte("_-+/.", c) >= 0 && !contains(re.Rune, '!'):
			marks = append(marks, c)
		case c == ' ' || c == '\n' || c > ' ':
			marks = append(marks, c)
		}
	}
	switch {
	case len(in) == 0 && contains(re.Rune, ' '):
		in = []byte{' '}
	case len(in) == 0 && contains(re.Rune, rune(f.quote)):
		in = []byte{f.quote}
	case len(in) == 0:
		in = marks
	case !contains(re.Rune, '!') && f.IntN(16) == 0: // ignore classes that exclude only a few characters
		for _, c := range marks {
			if strings.IndexByte("_-+/.", c) >= 0 {
				in = append(in[:0:0], c)
			}
		}
	}
	if len(in) > 0 {
		f.out.WriteByte(in[f.IntN(len(in))])
	}
}

// contains reports whether c is in the ranges of a class.
func contains(ranges []rune, c rune) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= c && c <= ranges[i+1] {
			return true
		}
	}
	return false
}
