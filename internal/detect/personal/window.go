package personal

import "strings"

// window holds the words around the current position in the text. It only moves forward, so that every byte is
// searched for words at most once.
type window struct {
	hits       []wordHit
	head       int    // earlier hits are out of reach
	upTo       int    // end of the text searched for words
	tags       tagSet // tags that may announce a value around the current word
	lastHead   int    // value of head for which tags was computed
	lastHits   int
	at         context
	start, end int // the value for which at was computed; end is 0 for none
}

// context holds the words that announce one value.
type context struct {
	tags tagSet
	r    *textReader
	hits []wordHit
	s, e int
}

// How many bytes before and after the current word are searched for words that announce a value. The value can begin
// before or after the current word.
const (
	lookBack  = reachBefore + 16
	lookAhead = reachAfter + 48
)

// approach finds the words around text[s:e] and the tags that they announce.
func (r *textReader) approach(s, e int) {
	w := &r.near
	r.readWords(s-lookBack, e+lookAhead)
	for w.head < len(w.hits) && w.hits[w.head].end < s-lookBack {
		w.head++
	}
	if w.head == w.lastHead && len(w.hits) == w.lastHits {
		return
	}
	w.lastHead, w.lastHits = w.head, len(w.hits)
	w.tags = r.fieldTags
	for _, h := range w.hits[w.head:] {
		w.tags.merge(&r.x.words.entries[h.entry].tags)
	}
}

// readWords searches text[from:to] for words, as far as it was not searched yet.
func (r *textReader) readWords(from, to int) {
	w := &r.near
	to = min(len(r.text), to)
	if from = max(w.upTo, from, 0); to > from {
		w.hits = r.x.words.scan(w.hits, r.text, from, to, false)
		w.upTo = to
	}
}

// context returns the words that announce text[s:e].
func (r *textReader) context(s, e int) *context {
	w := &r.near
	if w.start == s && w.end == e && e > 0 {
		return &w.at
	}
	r.readWords(s-reachBefore, e+reachAfter)
	w.start, w.end = s, e
	w.at = context{
		tags: r.fieldTags,
		r:    r,
		s:    s,
		e:    e,
		hits: w.hits[w.head:],
	}
	for _, h := range w.at.hits {
		if h.start >= e+reachAfter {
			break
		}
		if w.at.distance(h) >= 0 {
			w.at.tags.merge(&r.x.words.entries[h.entry].tags)
		}
	}
	return &w.at
}

// distance returns the distance of the word h from the value. A word after the value counts as ten bytes further away.
// distance returns -1 if h does not announce the value: h is too far away, overlaps the value, or is the label of the
// next value.
func (c *context) distance(h wordHit) int {
	switch {
	case h.end <= c.s && c.s-h.end <= reachBefore:
		return c.s - h.end
	case h.start >= c.e && h.start-c.e < reachAfter:
		if isLabel(c.r.text[h.end:]) {
			return -1
		}
		return h.start - c.e + 10
	case h.start == c.s && h.end < c.e || h.start > c.s && h.end <= c.e:
		return -1
	}
	return -1
}

// isLabel reports whether the word before t is a label, because a colon, an equals sign or the end of a cell follows.
func isLabel(t string) bool {
	for i := 0; i < len(t) && i < 3; i++ {
		switch t[i] {
		case ':', '=', '|':
			return true
		case ' ', '"', '\'', '*', '\\', ')':
			continue
		}
		return strings.HasPrefix(t[i:], "：")
	}
	return false
}

// least returns the distance of the nearest word that announces one of tags; 1000 if there is none.
func (c *context) least(tags *tagSet) int {
	if c.r.fieldTags.meets(tags) {
		return 0
	}
	least := 1000
	for _, h := range c.hits {
		if h.start >= c.e+reachAfter {
			break
		}
		if d := c.distance(h); d >= 0 && d < least && c.r.x.words.entries[h.entry].tags.meets(tags) {
			least = d
		}
	}
	return least
}

// leastBefore is like least for words before the value and in the member's name.
func (c *context) leastBefore(tags *tagSet) int {
	if c.r.fieldTags.meets(tags) && c.r.last-c.r.first <= 40 {
		return 0
	}
	least := 1000
	for _, h := range c.hits {
		if h.end > c.s {
			break
		}
		if d := c.distance(h); d >= 0 && d < least && c.r.x.words.entries[h.entry].tags.meets(tags) {
			least = d
		}
	}
	return least
}

// isThing reports whether the value is more likely the number of a thing than a value of the kinds in tags: a word
// before it that announces such a number is nearer than every word for one of those kinds.
func (c *context) isThing(tags *tagSet) bool {
	return c.tags.has(topicNot) && c.leastBefore(&thing) < c.least(tags)
}

// thing is the tag for numbers of things.
var thing = tagSet{topicNot / 64: 1 << (topicNot % 64)}

// nearness returns the confidence of an announced value. It is higher if the kind's own words announce it, if they
// are near, and if the value has its own grouping.
func (c *context) nearness(k *dataKind, own, want *tagSet, grouped bool) float64 {
	confidence := k.named
	d := c.least(own)
	if d == 1000 {
		d = c.least(want)
		confidence -= 0.06
		if c.tags.has(topicNot) {
			confidence -= 0.2
		}
	}
	switch {
	case d <= 12:
	case d <= 24:
		confidence -= 0.02
	default:
		confidence -= 0.05
	}
	if grouped {
		confidence += 0.02
	}
	return max(confidence, leastConfidence)
}
