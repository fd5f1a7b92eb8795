package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/text"
)

// The limits of an index. The oldest passages are dropped first.
const (
	maxPassages = 512
	maxWords    = 80      // words that are kept of one passage
	maxPosts    = 64      // a word in more passages is ignored
	maxValues   = 1 << 13 // values whose first occurrence is stored
	maxText     = 64 << 10
)

// place is where a value first occurred. A session has thousands of places, so a place is small and contains no
// pointer for the garbage collector to follow.
type place struct {
	from    uint32 // index in Index.origins plus one, or 0
	passage uint32 // number of the passage if the value occurred in prose
	by      speaker
	pointed bool
}

// speaker is the kind of text in which a value first occurred.
type speaker uint8

const (
	user  speaker = iota + 1
	agent         // a call, before any result contained it
	field         // a field that a system filled in
	prose         // a passage
)

// passage is one stretch of a result.
type passage struct {
	from    *mcpproxy.Origin
	pointed bool
	asks    intent.Set
}

// Index records the passages of a session's results. The zero Index is empty.
type Index struct {
	said     map[key]struct{} // words of the user
	called   map[key]struct{} // the words among these that the user wrote as names
	written  map[key]struct{} // passages that the agent wrote
	passages map[uint32]passage
	next     uint32
	posts    posts
	sweepAt  int // number of posts from which the posts of dropped passages are removed
	first    map[key]place
	origins  []*mcpproxy.Origin // indexed by place.from
}

// from returns the origin of a place, or nil.
func (x *Index) from(at place) *mcpproxy.Origin {
	if at.from == 0 {
		return nil
	}
	return x.origins[at.from-1]
}

// numbered returns the number of an origin, as place.from holds it.
func (x *Index) numbered(o *mcpproxy.Origin) uint32 {
	if n := len(x.origins); n == 0 || x.origins[n-1] != o {
		x.origins = append(x.origins, o)
	}
	return uint32(len(x.origins))
}

// Said records the user's own words.
func (x *Index) Said(words string) {
	x.init()
	for k := range stems(words) {
		x.said[k] = struct{}{}
	}
	for w := range intent.Words(words) {
		if len(w) < minWord { // short words, such as "ci"
			x.said[keyOf(w)] = struct{}{}
		}
	}
	for v := range values(words) {
		x.first[v.key] = place{by: user}
	}
	for i, w := range strings.Fields(words) {
		if r, _ := utf8.DecodeRuneInString(w); i == 0 || !unicode.IsUpper(r) {
			continue
		}
		for k := range stems(w) {
			x.called[k] = struct{}{}
		}
	}
}

func (x *Index) init() {
	if x.said == nil {
		x.said = map[key]struct{}{}
		x.called = map[key]struct{}{}
		x.written = map[key]struct{}{}
		x.passages = map[uint32]passage{}
		x.posts.words = map[key]list{}
		x.first = map[key]place{}
	}
}

// Written records the text of a call. If a result repeats it, the repetition is an echo.
func (x *Index) Written(doc *text.Document) {
	x.init()
	for _, p := range doc.Parts {
		if p.Kind == text.Key || p.Opened() {
			continue
		}
		s := p.Text[:min(len(p.Text), maxText)]
		for piece := range pieces(s, true) {
			x.note(x.written, keyOfLetters(piece.text))
			for v := range values(piece.text) {
				x.meet(v.key, place{by: agent})
			}
		}
	}
}

func (x *Index) note(set map[key]struct{}, k key) {
	if len(set) < maxValues {
		set[k] = struct{}{}
	}
}

// meet records the first occurrence of a value.
func (x *Index) meet(k key, at place) {
	if _, known := x.first[k]; !known && len(x.first) < maxValues {
		x.first[k] = at
	}
}

// Read records a result. pointed says that the user named the source of the result.
func (x *Index) Read(doc *text.Document, from *mcpproxy.Origin, pointed bool) {
	x.init()
	left := maxText
	for _, p := range doc.Parts {
		if p.Kind == text.Key || p.Opened() || left <= 0 {
			continue
		}
		s := p.Text[:min(len(p.Text), left)]
		left -= len(s)
		for piece := range pieces(s, !from.Untrusted) {
			x.read(piece, from, pointed)
		}
	}
}

func (x *Index) read(p piece, from *mcpproxy.Origin, pointed bool) {
	if _, own := x.written[keyOfLetters(p.text)]; own {
		return
	}
	at := place{by: field, from: x.numbered(from), pointed: pointed}
	if !p.field {
		at.by, at.passage = prose, x.add(p.text, from, pointed)
	}
	for v := range values(p.text) {
		x.meet(v.key, at)
	}
	if p.field && isShortID(p.text) {
		x.meet(keyOfLetters(p.text), at)
	}
}

// add stores a passage and returns its number.
func (x *Index) add(s string, from *mcpproxy.Origin, pointed bool) uint32 {
	n := x.next
	x.next++
	delete(x.passages, n-maxPassages)
	x.passages[n] = passage{from, pointed, intent.Mentions(s)}
	words := 0
	oldest := n - min(n, maxPassages)
	for k := range stems(s) {
		if x.posts.add(k, n, oldest) {
			words++
		}
		if words == maxWords {
			break
		}
	}
	if len(x.posts.all) > max(x.sweepAt, minSwept) {
		x.sweep()
	}
	return n
}
