package flow

import (
	"iter"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/text"
)

const (
	maxPrompt  = 16 << 10 // bytes of a prompt that are read for names
	maxLearned = 2000     // addresses and filled-in values that are recorded from one text
	maxPhrase  = 4        // words of a name
	// maxSiteWords is the maximum number of words of a site's name.
	maxSiteWords = 2
	maxGroups    = 8 // groups of digits in a telephone or account number
	minDigits    = 6 // minimum number of digits in a telephone or account number
)

// choose records what the user's words name: addresses, and every sequence of up to maxPhrase words, because each may
// be a name.
func (d *directory) choose(words string) {
	choose := func(n name) { d.chosen.put(n.key(), struct{}{}, maxChosen) }
	for n := range namesIn(words) {
		choose(n)
	}
	words = apart(words[:min(len(words), maxPrompt)])
	for n := range namesIn(words) {
		choose(n)
	}
	all := phraseWords(words)
	for i := range all {
		for n := 1; n <= maxPhrase && i+n <= len(all); n++ {
			phrase := strings.Join(all[i:i+n], " ")
			choose(name{inNames, phrase})
			if n <= maxSiteWords {
				choose(name{inSites, spelled(phrase)})
			}
		}
	}
	for _, number := range numbers(words) {
		choose(name{inDigits, number})
	}
}

// apart inserts the missing space between sentences, as in "See www.example.com.Then call Ann".
func apart(s string) string {
	var b strings.Builder
	from := 0
	for i := 1; i+2 < len(s); i++ {
		if s[i] == '.' && isLower(s[i-1]) && s[i+1] >= 'A' && s[i+1] <= 'Z' && isLower(s[i+2]) {
			b.WriteString(s[from : i+1])
			b.WriteByte(' ')
			from = i + 1
		}
	}
	return b.String() + s[from:]
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// namesIn yields the names for the addresses in s.
func namesIn(s string) iter.Seq[name] {
	return func(yield func(name) bool) {
		left := maxLearned
		for a := range addresses(s) {
			if left--; left < 0 {
				return
			}
			for _, n := range a.names() {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// phraseWords returns the words of a text in the form in which names are compared. It reduces a possessive to the
// name.
func phraseWords(s string) []string {
	var out []string
	separates := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"<>()[]{}|`+"`,;", r) }
	for _, w := range strings.FieldsFunc(s, separates) {
		w = nameForm(strings.TrimRight(w, ".:!?'"))
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if w != "" && w != "&" && len(w) <= maxRecipient {
			out = append(out, w)
		}
	}
	return out
}

// numbers yields the telephone and account numbers in a text, in any grouping.
func numbers(s string) []string {
	var out []string
	all := spelledWords(s)
	for i := range all {
		run, digits := "", 0
		for _, w := range all[i:min(i+maxGroups, len(all))] {
			if len(w) > 2*maxLocal || strings.ToLower(w) == w && !strings.ContainsAny(w, "0123456789") {
				break
			}
			run += spelled(w)
			if digits += countDigits(w); digits >= minDigits {
				out = append(out, run)
			}
		}
	}
	return out
}

func countDigits(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// spelledWords yields the runs of letters and digits in s.
func spelledWords(s string) []string {
	return strings.FieldsFunc(
		s,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) },
	)
}

// learn records the names in a result.
func (d *directory) learn(p Transfer, o *mcpproxy.Origin) {
	d.obey(p.Doc, p.Instructions, o)
	free := known
	if p.Class.ReturnsUntrusted || o.Injected {
		free = stranger
	}
	said := saidIn(p)
	for _, v := range p.Doc.Views() {
		if free == known && v.How != "" {
			continue // an address in an encoded text is not in plain view
		}
		for n := range namesIn(v.Text) {
			if !said[n.key()] { // the answer of a site does not confirm an address that the call named
				d.meet(n, met{free, o})
			}
		}
		if free == known && v.How == "" {
			for _, n := range dialledIn(v.Text) {
				if !said[n.key()] {
					d.meet(n, met{free, o})
				}
			}
		}
	}
	if p.Class.Side == mcpproxy.External {
		return // an external server has no records of the user
	}
	receipt := p.Operation == mcpproxy.Write || p.Operation == mcpproxy.Destructive
	left := maxLearned
	for value := range entries(p.Doc, wordZones(p.Doc, p.Instructions)) {
		if left--; left < 0 {
			return
		}
		for _, n := range entryNames(value) {
			if !receipt || !said[n.key()] {
				d.meet(n, met{entered(p.Class, o), o})
			}
		}
	}
}

// dialledIn returns the names for the telephone numbers with a country code in a text, such as a table.
func dialledIn(s string) []name {
	var out []name
	for at := strings.IndexByte(s, '+'); at >= 0 && len(out) < maxDialled; {
		end := at + 1
		for end < len(s) && end-at < maxPhone && strings.IndexByte("0123456789 -./()", s[end]) >= 0 {
			end++
		}
		if number := strings.TrimRight(s[at:end], " -./()"); dialled(number) {
			out = append(out, name{inDigits, spelled(number)})
		}
		next := strings.IndexByte(s[end:], '+')
		if next < 0 {
			break
		}
		at = end + next
	}
	return out
}

// maxDialled is the maximum number of telephone numbers that are recorded of one text.
const maxDialled = 256

// entered returns the trust of a value that a system filled in.
func entered(c mcpproxy.Class, o *mcpproxy.Origin) trust {
	switch {
	case !c.ReturnsUntrusted:
		return known
	case o.Injected:
		return stranger
	}
	return correspondent
}

// saidIn returns the keys of the values that the call itself named. A result that only repeats such a value confirms
// nothing.
func saidIn(p Transfer) map[key]bool {
	said := map[key]bool{}
	doc := p.Arguments
	if doc == nil {
		var err error
		if doc, err = text.Parse(p.Call.Arguments, ""); err != nil {
			return said
		}
	}
	for _, part := range doc.Parts {
		for n := range namesIn(part.Text) {
			said[n.key()] = true
		}
		if len(part.Text) <= maxRecipient {
			said[name{inNames, nameForm(part.Text)}.key()] = true
		}
	}
	return said
}

// entryNames yields the names in a value that a system filled in. They are those of its addresses or, without an
// address, the value itself.
func entryNames(value string) []name {
	var out []name
	for a := range addresses(value) {
		if a.kind != kindHost {
			out = append(out, a.names()...)
		}
	}
	if len(out) > 0 {
		return out
	}
	out = append(out, name{inNames, nameForm(value)})
	for _, number := range numbers(value) {
		out = append(out, name{inDigits, number})
	}
	return out
}
