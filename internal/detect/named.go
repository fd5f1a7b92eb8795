package detect

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// names finds values by the names to which they are assigned.
type names struct {
	rules []*namedRule
	tree  []branch // of the rules' first words; the root is 0
}

// branch is a node of the tree of first words.
type branch struct {
	next  [36]int16 // by letter and digit; 0 for none
	rules []*namedRule
}

type namedRule struct {
	*Rule
	names [][]string // the words of each name
	shape *valueShape
	value func() *regexp.Regexp // compiled when the first value has the shape, which is rare
}

func newNames(rules []Rule) *names {
	n := &names{tree: make([]branch, 1)}
	for i := range rules {
		r := &namedRule{Rule: &rules[i], shape: newValueShape(rules[i].Value)}
		n.rules = append(n.rules, r)
		for _, name := range r.Names {
			n.enter(r, strings.Fields(name)...)
		}
		for _, provider := range r.Providers {
			for _, word := range secretWords {
				n.enter(r, provider, word)
			}
		}
	}
	return n
}

// enter registers a name of r with these words.
func (n *names) enter(r *namedRule, words ...string) {
	if len(words) > 0 {
		r.names = append(r.names, words)
		n.plant(words[0], r)
	}
}

// compile checks the patterns of values.
func (n *names) compile() error {
	for _, r := range n.rules {
		whole := `^(?:` + r.Value + `)$`
		if _, err := syntax.Parse(whole, syntax.Perl); err != nil {
			return fmt.Errorf("%s: %w", r.ID, err)
		}
		r.value = lazyregexp.New(whole)
	}
	return nil
}

// plant adds a rule to the tree under a first word.
func (n *names) plant(word string, r *namedRule) {
	at := 0
	for i := 0; i < len(word); i++ {
		k := leaf[word[i]]
		if k < 0 {
			return // never found, which the test of the rules reports
		}
		if n.tree[at].next[k] == 0 {
			n.tree = append(n.tree, branch{})
			n.tree[at].next[k] = int16(len(n.tree) - 1)
		}
		at = int(n.tree[at].next[k])
	}
	if !slices.Contains(n.tree[at].rules, r) {
		n.tree[at].rules = append(n.tree[at].rules, r)
	}
}

// leaf numbers the letters and digits; -1 for all other bytes.
var leaf = func() (t [256]int8) {
	for c := range t {
		t[c] = -1
		switch {
		case c >= '0' && c <= '9':
			t[c] = int8(c - '0')
		case c >= 'a' && c <= 'z':
			t[c] = int8(c-'a') + 10
		}
	}
	return t
}()

// lookup finds rules by name in one document. It caches results, because names repeat.
type lookup struct {
	*names
	known map[string][]*namedRule
}

func (n *names) lookup() *lookup { return &lookup{n, map[string][]*namedRule{}} }

// of returns the rules for values with this name.
func (l *lookup) of(name string) []*namedRule {
	if rules, ok := l.known[name]; ok {
		return rules
	}
	s := segmented(text.NormalForm(inEnglish(name)))
	plain := s.plain
	var found []*namedRule
	for i := range plain {
		at := 0
		for j := i; j < len(plain); j++ {
			k := leaf[plain[j]]
			if k < 0 || l.tree[at].next[k] == 0 {
				break
			}
			at = int(l.tree[at].next[k])
			for _, r := range l.tree[at].rules {
				if !slices.Contains(found, r) && r.named(s, i) {
					found = append(found, r)
				}
			}
		}
	}
	l.known[strings.Clone(name)] = found
	return found
}

const (
	maxName  = 64  // bytes before an operator that count as the name
	minValue = 4   // minimum bytes of a value
	maxValue = 600 // bytes of a value
)

// find adds the values that are assigned in v. field is the name of the JSON member whose value v is, or "".
func (l *lookup) find(found []Finding, v *text.View, field string) []Finding {
	if len(l.rules) == 0 {
		return found
	}
	if field != "" && len(v.Text) >= minValue && len(v.Text) <= maxValue {
		start, end := trimmed(v.Text)
		found = l.check(found, v, field, start, end)
	}
	prefix := ""
	if holdsCookies(field) {
		prefix = "cookie "
	}
	for i := 0; i < len(v.Text); i++ {
		if !operator[v.Text[i]] {
			continue
		}
		name, start, end := assignment(v.Text, i)
		if end-start >= minValue {
			found = l.check(found, v, prefix+name, start, end)
		}
	}
	return found
}

// holdsCookies reports whether a member with this name contains the pairs of a cookie header.
func holdsCookies(field string) bool {
	const longest = len(" set-cookie")
	last := strings.ToLower(field[max(0, len(field)-longest):])
	return strings.HasSuffix(last, "cookie") || strings.HasSuffix(last, "cookies")
}

// check adds v.Text[start:end] if a rule matches it under this name.
func (l *lookup) check(found []Finding, v *text.View, name string, start, end int) []Finding {
	value := v.Text[start:end]
	for _, r := range l.of(name) {
		if r.shape.fits(value) && r.value().MatchString(value) && (!r.Quoted || isQuoted(v.Text, start, end)) {
			found = appendFinding(found, r.Rule, v, start, end)
		}
	}
	return found
}

// isQuoted reports whether s[start:end] is a quoted value, or all of s. It excludes the next item of a list and the
// name of an object's member.
func isQuoted(s string, start, end int) bool {
	if start == 0 && end == len(s) {
		return true
	}
	quote := opening(s, start)
	if quote == 0 || end == len(s) || s[end] != quote && s[end] != '\\' {
		return false
	}
	before := strings.TrimRight(s[max(0, start-maxBetween):start-1], " \t\\")
	after := strings.TrimLeft(s[end:min(len(s), end+maxBetween)], "\\\"' \t")
	return !strings.HasSuffix(before, ",") && !strings.HasPrefix(after, ":") && !strings.HasPrefix(after, "=")
}

// segments is a name in lower case without punctuation, with the positions where its words begin. "ACME_API-key",
// "acmeApiKey" and "acme api key" have three words.
type segments struct {
	plain  string
	starts [2*maxName + 1]bool // a word begins at this byte of plain; its end is marked too
	words  int
}

func segmented(name string) *segments {
	if len(name) > 2*maxName {
		name = name[len(name)-2*maxName:]
	}
	s := &segments{}
	var buf [2 * maxName]byte
	plain := buf[:0]
	for i := range len(name) {
		c := name[i]
		if !isNameLetter(c) {
			continue
		}
		if i == 0 || beginsWord(name, i) {
			s.starts[len(plain)] = true
			s.words++
		}
		if isUpper(c) {
			c += 'a' - 'A'
		}
		plain = append(plain, c)
	}
	s.plain = string(plain)
	s.starts[len(plain)] = true
	return s
}

func isNameLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c >= 0x80 }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// beginsWord reports whether a word of name begins at byte i: after punctuation, and where capitals begin or end, as
// in "apiKey" and "APIKey".
func beginsWord(name string, i int) bool {
	before, c := name[i-1], name[i]
	switch {
	case !isNameLetter(before):
		return true
	case !isUpper(c):
		return false
	case !isUpper(before):
		return true
	}
	return i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
}

// fits reports whether plain[i:j] can be one or several words of the name. It must begin where a word begins, or be
// within a single word, like "secret" in "mysecretkey". A stretch that begins inside a word and crosses into the next
// does not count: "came-raki-t".
func (s *segments) fits(i, j int) bool {
	if s.starts[i] {
		return true
	}
	for at := i + 1; at < j; at++ {
		if s.starts[at] {
			return false
		}
	}
	return true
}

// ends reports whether a word ends at byte j, or before a plural s there.
func (s *segments) ends(j int) bool {
	return s.starts[j] || j < len(s.plain) && s.plain[j] == 's' && s.starts[j+1]
}

// letters returns the letters and digits of a name in lower case.
func letters(buf []byte, name string) []byte {
	if len(name) > 2*maxName {
		name = name[len(name)-2*maxName:]
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			buf = append(buf, c+'a'-'A')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80:
			buf = append(buf, c)
		}
	}
	return buf
}

// named reports whether one of the rule's names begins at byte i of the name and no exception applies.
func (r *namedRule) named(s *segments, i int) bool {
	if s.words < r.Least {
		return false
	}
	for _, words := range r.names {
		end := i + len(words[0])
		if contains(s.plain[i:], words) && s.fits(i, end) && (!r.Ends || s.ends(end)) {
			return !r.excepted(s, words[0])
		}
	}
	return false
}

// excepted reports whether the name contains an exception of the rule. word is the word by which the rule was found.
func (r *namedRule) excepted(s *segments, word string) bool {
	return slices.ContainsFunc(r.NotNames, func(other string) bool { return strings.Contains(s.plain, other) }) ||
		slices.ContainsFunc(r.NotWords, func(other string) bool { return s.hasWord(other, word) })
}

// hasWord reports whether a word of the name is w, also in the plural or joined with next, as in "sort_key",
// "sortKeys" and "sortkey".
func (s *segments) hasWord(w, next string) bool {
	for from := 0; ; {
		i := strings.Index(s.plain[from:], w)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(w)
		if s.starts[i] && (s.ends(end) || strings.HasPrefix(s.plain[end:], next)) {
			return true
		}
		from = i + 1
	}
}

// contains reports whether s begins with the first word and contains the others after it, in this order.
func contains(s string, words []string) bool {
	for n, w := range words {
		i := strings.Index(s, w)
		if i < 0 || n == 0 && i > 0 {
			return false
		}
		s = s[i+len(w):]
	}
	return true
}
