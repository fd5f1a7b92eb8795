package personal

import (
	"strings"

	"mcpproxy/internal/detect/numbering"
)

// A phone number is recognised by a plus sign, by the grouping of North America, or by a word for phones near grouped
// digits. The numbering plans then determine the confidence.

// call is a phone number that is being read.
type call struct {
	start, end int
	digits     [24]byte
	count      int    // number of digits
	groups     []byte // lengths of the groups
	plus       bool
	spaces     bool // groups are separated by spaces only
	even       bool // all by the same separator
}

// phone reads a number at the word text[s:e].
func (r *textReader) phone(s, e int) {
	if s < r.phoneDone || e-s > 15 || !isNumber(r.text[s]) {
		return
	}
	if !r.near.tags.meets(&anyPhoneTags) && !r.looksDialled(s, e) {
		return
	}
	c := &r.call
	*c = call{groups: c.groups[:0]}
	if !r.dialled(s, c) {
		return
	}
	confidence := r.soundsRight(c)
	if confidence < leastConfidence {
		return
	}
	r.phoneDone = c.end
	r.add(r.x.byID["phone"], c.start, c.end, confidence)
}

// looksDialled reports whether the word at text[s:e] may begin a number that nothing announces.
func (r *textReader) looksDialled(s, e int) bool {
	t := r.text
	if s > 0 && (t[s-1] == '+' || t[s-1] == '(') {
		return true
	}
	if s > 1 && joins(t[s-1], t[s-2]) {
		return false
	}
	if e+1 >= len(t) || t[e] != ' ' && t[e] != '-' && t[e] != '.' && t[e] != ')' ||
		!isNumber(t[e+1]) && t[e+1] != ' ' && t[e+1] != '(' {
		return false
	}
	return e-s == 3 || e-s == 1 && t[s] == '1' || e-s > 1 && t[s] == '0'
}

// dialled reads grouped digits from the word at s on, and reports whether they can be a number.
func (r *textReader) dialled(s int, c *call) bool {
	t := r.text
	c.start = s
	if s > 0 && t[s-1] == '(' {
		c.start--
	}
	if c.start > 0 && t[c.start-1] == '+' && (c.start < 2 || !isAlnum(t[c.start-2])) {
		c.start--
		c.plus = true
	} else if c.start > 0 && (isAlnum(t[c.start-1]) ||
		glues[t[c.start-1]] && (t[c.start-1] != '=' && t[c.start-1] != '-' || c.start > 1 && isNumber(t[c.start-2]))) {
		return false
	}
	i, sep := s, byte(0)
	c.spaces, c.even = true, true
	for {
		start := i
		for i < len(t) && isNumber(t[i]) {
			if c.count < len(c.digits) {
				c.digits[c.count] = t[i]
			}
			c.count++
			i++
		}
		if len(c.groups) == 12 {
			return false
		}
		c.groups = append(c.groups, byte(min(i-start, 99)))
		c.end = i
		next := afterSeparator(t, i)
		if next == i || c.count > 15 || c.count >= 7 && c.count+runOfDigits(t, next) > 15 {
			break
		}
		c.spaces = c.spaces && t[i] == ' ' && next == i+1
		c.even = c.even && next == i+1 && (sep == 0 || t[i] == sep)
		sep = t[i]
		i = next
	}
	if c.end < len(t) && isLetter(t[c.end]) {
		c.end = extension(t, c.end)
		if c.end < len(t) && isLetter(t[c.end]) {
			return false
		}
	}
	return c.count >= 7 && c.count <= 15
}

// glues are bytes before a number that make it part of something else. betweenGroups are bytes that it can contain.
var glues, betweenGroups = byteSet("-._@$#&=+"), byteSet(" -./()")

// afterSeparator skips one separator, or two if one is a parenthesis, before a digit. It returns i if the number ends
// there.
func afterSeparator(t string, i int) int {
	j := i
	for j < len(t) && j-i < 3 && betweenGroups[t[j]] {
		j++
	}
	if j >= len(t) || !isNumber(t[j]) {
		return i
	}
	if j-i == 1 || strings.ContainsAny(t[i:j], "()") || t[i:j] == " / " || t[i:j] == " - " {
		return j
	}
	return i
}

func runOfDigits(t string, i int) int {
	n := 0
	for i+n < len(t) && isNumber(t[i+n]) {
		n++
	}
	return n
}

// extension skips "x123" and "ext. 123" at i.
func extension(t string, i int) int {
	j := i
	if c := t[i] | 0x20; c != 'x' && c != 'e' {
		return i
	}
	for j < len(t) && j-i < 5 && (isLetter(t[j]) || t[j] == '.' || t[j] == ' ') {
		j++
	}
	switch strings.Trim(strings.ToLower(t[i:j]), " .") {
	case "x", "ext", "extn":
		if n := runOfDigits(t, j); n > 0 && n < 7 {
			return j + n
		}
	}
	return i
}

// soundsRight returns the confidence that c is a phone number.
func (r *textReader) soundsRight(c *call) float64 {
	d := c.digits[:c.count]
	if trivial(d) || r.dated(c.start, min(c.end, c.start+10)) || c.isDate() && !c.plus {
		return 0
	}
	ctx := r.context(c.start, c.end)
	strong, weak := ctx.tags.has(topicPhone), ctx.announcesCall()
	if c.plus {
		return r.international(c, d, strong || weak)
	}
	many := len(c.groups) > 1
	switch {
	case strong && many && len(c.groups) <= 6 && !(c.inFours() && d[0] != '0') && !r.isDecimal(c),
		strong && !many && c.count <= 13 && ctx.least(&phoneTags) <= 16 && !ctx.tags.has(topicNot):
		return 0.7 + sure(d, isAmerican(d, c.groups))
	case !many || r.hangs(c) || r.priced(c.start, c.end) || r.isDecimal(c):
		return 0
	case isAmerican(d, c.groups):
		return r.soundsAmerican(c, ctx, weak)
	case weak && len(c.groups) <= 6 && c.count >= 8 && !c.inFours() && !ctx.tags.has(topicNot):
		return 0.5 + sure(d, false)
	case len(c.groups) > 2 && len(c.groups) <= 6 && d[0] == '0' && d[1] != '0' && c.count >= 10 &&
		c.count <= 11 && c.even:
		if bonus := sure(d, false); bonus > 0 {
			return 0.4 + bonus
		}
		if r.whole(c.start, c.end) {
			return leastConfidence
		}
	}
	return 0
}

// soundsAmerican weighs a number in the grouping of North America.
func (r *textReader) soundsAmerican(c *call, ctx *context, weak bool) float64 {
	confidence := 0.55 + sure(c.digits[:c.count], true)
	if c.spaces {
		confidence -= 0.1
	}
	if ctx.tags.has(topicNot) && !weak {
		confidence -= 0.2
	}
	return confidence
}

// phoneTags announce phones, deskTags announce phones right beside them, and anyPhoneTags are both.
var phoneTags, deskTags = tagsOf(topicPhone), tagsOf(topicDesk)

var anyPhoneTags = func() tagSet { t := tagsOf(topicCall); t.merge(&phoneTags); t.merge(&deskTags); return t }()

func tagsOf(topic int) (t tagSet) {
	t.add(topic)
	return t
}

// announcesCall reports whether a word near it announces a phone, or a word right beside it a desk.
func (c *context) announcesCall() bool {
	if c.tags.has(topicCall) {
		return true
	}
	d := 1000
	if c.tags.has(topicDesk) {
		d = c.least(&deskTags)
	}
	return d <= 2 || d == 10 || d == 11
}

// isDate reports whether the groups are those of a year, a month and a day.
func (c *call) isDate() bool {
	g := c.groups
	return g[0] == 4 && len(g) > 2 && g[1] <= 2 && g[2] <= 2 &&
		(c.digits[0] == '1' && c.digits[1] == '9' || c.digits[0] == '2' && c.digits[1] == '0')
}

// hangs reports whether the number is part of a longer token. A hyphen with a word after it does not count.
func (r *textReader) hangs(c *call) bool {
	t := r.text
	if c.end+1 < len(t) && t[c.end] == '-' && isLetter(t[c.end+1]) {
		return c.start >= 2 && joins(t[c.start-1], t[c.start-2])
	}
	return r.glued(c.start, c.end)
}

// isDecimal reports whether the two groups are the parts of a decimal number.
func (r *textReader) isDecimal(c *call) bool {
	return len(c.groups) == 2 && r.text[c.start+int(c.groups[0])] == '.'
}

// inFours reports whether digits are grouped like those of a payment card.
func (c *call) inFours() bool {
	return len(c.groups) >= 3 && c.groups[0] == 4 && c.groups[1] == 4 && c.groups[2] == 4
}

// isAmerican reports whether digits are an area, an exchange and a line of North America.
func isAmerican(d, groups []byte) bool {
	if len(d) == 11 && d[0] == '1' {
		d = d[1:]
		if len(groups) > 1 && groups[0] == 1 {
			groups = groups[1:]
		}
	}
	if len(d) != 10 || d[0] < '2' || d[3] < '2' || d[1] == '1' && d[2] == '1' || d[1] == '9' && d[0] == '9' {
		return false
	}
	return len(groups) == 1 || len(groups) == 3 && groups[0] == 3 && groups[1] == 3 ||
		len(groups) == 2 && groups[0] == 3 && groups[1] == 7
}

// international weighs a number with a plus sign.
func (r *textReader) international(c *call, d []byte, announced bool) float64 {
	if d[0] == '0' || c.count < 8 {
		return 0
	}
	if !announced && len(c.groups) == 1 && c.count < 10 {
		return 0
	}
	switch {
	case numbering.Abroad.Has(d):
		return 0.9
	case announced:
		return 0.7
	case numbering.Called.Has(d):
		return 0.55
	}
	return 0
}

// sure returns the confidence that the numbering plans of some countries with this notation add.
func sure(d []byte, american bool) float64 {
	plans := []numbering.Plan{numbering.GB, numbering.FR, numbering.DE}
	zero := d[0] == '0'
	switch {
	case american:
		plans = []numbering.Plan{numbering.US}
	case zero && d[1] == '0':
		plans = []numbering.Plan{numbering.DE}
	case !zero && len(d) == 10:
		plans = []numbering.Plan{numbering.US, numbering.IN}
	case !zero && len(d) == 11:
		plans = []numbering.Plan{numbering.CN, numbering.US, numbering.BR}
	case !zero && len(d) == 9:
		plans = []numbering.Plan{numbering.ES, numbering.PL, numbering.PT}
	case !zero && len(d) <= 8:
		plans = []numbering.Plan{numbering.DK, numbering.NO, numbering.SG}
	case zero && d[1] == '9' && len(d) == 11:
		plans = []numbering.Plan{numbering.PH}
	case len(d) == 11 && d[1] != '7' && d[1] != '1' && d[1] != '2':
		plans = []numbering.Plan{numbering.DE, numbering.JP, numbering.KR}
	case len(d) == 10 && d[1] != '7':
		plans = []numbering.Plan{numbering.FR, numbering.AU, numbering.IT}
	}
	for _, plan := range plans {
		if plan.Has(d) {
			return 0.15
		}
	}
	return 0
}
