package flow

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/text"
)

const (
	around     = 250  // bytes around an instruction whose words count as part of it
	within     = 1000 // bytes around an instruction within which addresses count as part of it
	maxZone    = 4000 // words that are recorded from the instructions in one result
	maxSpelled = 8    // words of one value in an instruction
	minSpelled = 2    // minimum number of letters and digits of one value in an instruction
)

// zones holds the spans of text in and around instructions, by part of the result. The spans of a part are sorted and
// do not overlap.
type zones map[int][]text.Span

// zonesOf returns zones that extend margin bytes to both sides of each instruction.
func zonesOf(instructions []text.Span, margin int) zones {
	z := zones{}
	for _, s := range instructions {
		z[s.Part] = append(z[s.Part], text.Span{Part: s.Part, Start: s.Start - margin, End: s.End + margin})
	}
	return z.merged()
}

// wordZones returns the zones whose words belong to an instruction: the instruction, a margin after it, and the text
// before it in the same paragraph.
func wordZones(doc *text.Document, instructions []text.Span) zones {
	z := zones{}
	for _, s := range instructions {
		first := max(s.Start-around, 0)
		if i := strings.LastIndex(doc.Parts[s.Part].Text[first:s.Start], "\n\n"); i >= 0 {
			first += i
		}
		z[s.Part] = append(z[s.Part], text.Span{Part: s.Part, Start: first, End: s.End + around})
	}
	return z.merged()
}

// merged joins zones that overlap or touch.
func (z zones) merged() zones {
	for part, spans := range z {
		slices.SortFunc(spans, func(a, b text.Span) int { return cmp.Compare(a.Start, b.Start) })
		apart := spans[:1]
		for _, s := range spans[1:] {
			if last := &apart[len(apart)-1]; s.Start <= last.End {
				last.End = max(last.End, s.End)
			} else {
				apart = append(apart, s)
			}
		}
		z[part] = apart
	}
	return z
}

// hold reports whether a span touches a zone.
func (z zones) hold(s text.Span) bool {
	in := z[s.Part]
	i, _ := slices.BinarySearchFunc(
		in,
		s.Start+1,
		func(zone text.Span, at int) int { return cmp.Compare(zone.End, at) },
	)
	return i < len(in) && in[i].Start < s.End
}

// obey records the content of the instructions in a result: every sequence of up to maxSpelled words, and the
// addresses around the instructions.
func (d *directory) obey(doc *text.Document, instructions []text.Span, o *mcpproxy.Origin) {
	if len(instructions) == 0 {
		return
	}
	near, wide := wordZones(doc, instructions), zonesOf(instructions, within)
	words, left := maxZone, maxLearned
	for _, v := range doc.Views() {
		if len(near[v.Part]) == 0 || doc.Parts[v.Part].Opened() {
			continue
		}
		var run spelledRun
		for start, end := range wordsIn(v.Text) {
			if words == 0 {
				break
			}
			if !near.hold(v.First(start, end)) {
				continue
			}
			words--
			for k := range run.next(v.Text[start:end]) {
				d.dictated.put(k, o, maxDictated)
			}
		}
		for a := range addresses(v.Text) {
			if left == 0 {
				break
			}
			if !wide.hold(v.First(a.at, a.at+len(a.text))) {
				continue
			}
			left--
			for _, n := range a.names() {
				d.dictated.put(n.letters(), o, maxDictated)
			}
		}
	}
}

// spelledRun holds the letters of the last words of a text.
type spelledRun struct {
	letters []byte
	begins  []int // where each word begins in letters
	buffer  []byte
}

// next adds a word and yields the keys of the runs of words that end with it, the longest first.
func (r *spelledRun) next(word string) iter.Seq[key] {
	if len(r.begins) == maxSpelled {
		first := r.begins[1]
		r.letters = append(r.letters[:0], r.letters[first:]...)
		for i, at := range r.begins[1:] {
			r.begins[i] = at - first
		}
		r.begins = r.begins[:maxSpelled-1]
	}
	r.begins = append(r.begins, len(r.letters))
	r.letters = text.AppendLetters(r.letters, word, nil)
	return func(yield func(key) bool) {
		for _, at := range r.begins {
			r.buffer = append(append(r.buffer[:0], inWords), r.letters[at:]...)
			if !yield(keyOfBytes(r.buffer)) {
				return
			}
		}
	}
}

// spelled returns the letters and digits of s. Values are compared with instructions in this form.
func spelled(s string) string { return string(text.AppendLetters(nil, s, nil)) }

// wordsIn yields the positions of the runs of letters and digits in s.
func wordsIn(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i < len(s); {
			start := i
			for i < len(s) && wordBytes[s[i]] { // the usual case
				i++
			}
			size := 1
			for i < len(s) && s[i] >= utf8.RuneSelf {
				var r rune
				if r, size = utf8.DecodeRuneInString(s[i:]); !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
					break
				}
				for i += size; i < len(s) && wordBytes[s[i]]; {
					i++
				}
				size = 1
			}
			if i > start && !yield(start, i) {
				return
			}
			i += size
		}
	}
}

// wordBytes are the letters and digits of ASCII.
var wordBytes = func() (table [256]bool) {
	for c := range utf8.RuneSelf {
		table[c] = isAlnum(byte(c))
	}
	return table
}()
