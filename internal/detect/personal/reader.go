package personal

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mcpproxy"
)

// textReader is the state of reading one text.
type textReader struct {
	x           *personalIndex
	text, field string
	plain       bool   // the field's name says nothing
	fieldTags   tagSet // tags that the field's name announces
	first, last int    // the text without surrounding spaces and quotes
	short       bool   // the whole text may be one value
	done        int    // everything before it has been read
	phoneDone   int    // no phone number starts before it
	near        window
	call        call
	found       []Hit
	id          [64]byte
}

var textReaders = sync.Pool{New: func() any { return &textReader{x: personalData()} }}

func (r *textReader) begin(text, field string) {
	found := r.found[:0]
	hits := r.near.hits[:0]
	groups := r.call.groups
	*r = textReader{
		x:     r.x,
		text:  text,
		field: field,
		plain: isPlainField(field),
		found: found,
	}
	r.near.hits, r.call.groups = hits, groups
	r.near.lastHits = -1
	if !r.plain {
		r.fieldTags = r.x.words.inName(field)
	}
	trimmed := strings.TrimLeft(text, blanks)
	r.first = len(text) - len(trimmed)
	r.last = r.first + len(strings.TrimRight(trimmed, blanks+".,;"))
	r.short = r.plain && r.last-r.first <= 60
}

const blanks = " \t\r\n\"'`<>[]{}()"

// maxIdle is the maximum capacity, for findings and for words, of an idle reader: less than 1 MB each.
const maxIdle = 1 << 13

// free returns the reader to the pool, without the text and without buffers that grew large.
func (r *textReader) free() {
	r.text, r.field = "", ""
	if cap(r.found) > maxIdle {
		r.found = nil
	}
	if cap(r.near.hits) > maxIdle {
		r.near.hits = nil
	}
	textReaders.Put(r)
}

// word reads the word text[s:e], which has a digit, and returns the position up to which the text is read.
func (r *textReader) word(s, e int) int {
	n := e - s
	if n > 120 {
		return e // a blob
	}
	if n == 8 {
		if end := r.uuid(s); end > 0 {
			return end
		}
	}
	if n == 3 && r.alone(s, e) {
		return e
	}
	r.approach(s, e)
	if end := r.network(s, e); end > e {
		return end
	}
	if n >= 25 {
		r.coin(s, e)
	}
	if n >= 4 && r.iban(s, e) {
		return e
	}
	r.walk(s)
	r.walkFromLettersBefore(s)
	r.phone(s, e)
	if s >= 3 && r.text[s-1] >= 0x80 || e < len(r.text) && r.text[e] >= 0xea {
		r.asianPlate(s, e)
	}
	if r.near.tags.has(topicBirth) {
		r.birthDate(s, e)
	}
	if r.near.tags.meets(&r.x.wantByName) {
		r.document(s, e)
	}
	return e
}

// alone reports whether text[s:e] are digits between two words of a sentence. Three digits identify nobody, unless
// they are announced as a code.
func (r *textReader) alone(s, e int) bool {
	if s < 2 || e+1 >= len(r.text) || r.text[s-1] != ' ' || r.text[e] != ' ' || !isNumber(r.text[s]) ||
		!isNumber(r.text[s+1]) ||
		!isNumber(r.text[s+2]) {
		return false
	}
	before, after := r.text[s-2], r.text[e+1]
	if before < 'a' || before > 'z' || after < 'a' || after > 'z' {
		return false
	}
	said := r.text[max(s-20, 0):s]
	return !strings.Contains(said, "cv") && !strings.Contains(said, "code")
}

// walkFromLettersBefore also starts at up to three short words without digits before s, with which forms such as "HRB
// 12345" and "B AB 1234" begin.
func (r *textReader) walkFromLettersBefore(s int) {
	for range 3 {
		if s < 2 || !isLetter(r.text[s-2]) || separators[r.text[s-1]] == 0 {
			return
		}
		end := s - 1
		start := end
		for start > 0 && end-start < 6 && isLetter(r.text[start-1]) {
			start--
		}
		if end-start > 5 || start > 0 && (isAlnum(r.text[start-1]) || r.text[start-1] >= 0x80) {
			return
		}
		if r.text[end] == ' ' && lowerCase(r.text[start:end]) && !(r.short && start-r.first <= 4) {
			return // a word of a sentence
		}
		s = start
		r.walk(s)
	}
}

// uuid returns the end of a UUID that starts at s, or 0.
func (r *textReader) uuid(s int) int {
	t := r.text[s:]
	if len(t) < 36 || t[8] != '-' || t[13] != '-' || t[18] != '-' || t[23] != '-' {
		return 0
	}
	for i := range 36 {
		if t[i] != '-' && !isHex(t[i]) {
			return 0
		}
	}
	return s + 36
}

// squeeze returns text[s:e] in capitals and without separators.
func (r *textReader) squeeze(s, e int) []byte {
	id := r.id[:0]
	for i := s; i < e && len(id) < len(r.id); i++ {
		if c := r.text[i]; isAlnum(c) {
			if c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			id = append(id, c)
		}
	}
	return id
}

// whole reports whether text[s:e] is all there is, up to other words with
// digits and words that join them.
func (r *textReader) whole(s, e int) bool {
	if !r.short {
		return false
	}
	if s <= r.first && e >= r.last {
		return true
	}
	return !r.glued(s, e) && onlyNumbers(r.text[r.first:s]) && onlyNumbers(r.text[e:r.last])
}

// onlyNumbers reports whether every word of s contains a digit or connects words that do.
func onlyNumbers(s string) bool {
	for word := range strings.FieldsSeq(s) {
		if !strings.ContainsAny(word, "0123456789") && word != "and" && word != "or" && word != "," {
			return false
		}
	}
	return true
}

// add stores a finding. Its confidence limits its severity.
func (r *textReader) add(kind, s, e int, confidence float64) {
	if confidence < leastConfidence {
		return
	}
	r.addAs(kind, s, e, confidence, limited(r.x.rules[kind].Severity, confidence))
}

func (r *textReader) addAs(kind, s, e int, confidence float64, severity mcpproxy.Severity) {
	r.found = append(r.found, Hit{
		Rule:       &r.x.rules[kind],
		Start:      s,
		End:        e,
		Severity:   severity,
		Confidence: min(confidence, 0.99),
	})
}

// limited returns the severity of a finding with that confidence.
func limited(severity mcpproxy.Severity, confidence float64) mcpproxy.Severity {
	order := []mcpproxy.Severity{
		mcpproxy.SeverityLow,
		mcpproxy.SeverityMedium,
		mcpproxy.SeverityHigh,
		mcpproxy.SeverityCritical,
	}
	limit := 3
	switch {
	case confidence < 0.5:
		limit = 0
	case confidence < 0.6:
		limit = 1
	case confidence < 0.85:
		limit = 2
	}
	return order[min(limit, slices.Index(order, severity))]
}

// settle returns the findings in reading order. Of overlapping ones it keeps the one with the highest confidence,
// then the longest.
func (r *textReader) settle() []Hit {
	if len(r.found) == 0 {
		return nil
	}
	slices.SortStableFunc(r.found, func(a, b Hit) int { return cmp.Compare(a.Start, b.Start) })
	var out []Hit
	for _, h := range r.found {
		if n := len(out); n == 0 || h.Start >= out[n-1].End {
			out = append(out, h)
		} else if last := out[n-1]; h.Confidence > last.Confidence ||
			h.Confidence == last.Confidence && h.End-h.Start > last.End-last.Start {
			out[n-1] = h
		}
	}
	return out
}
