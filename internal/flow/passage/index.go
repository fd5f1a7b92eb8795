package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/text"
)

// Bounds of an index. The oldest passages are forgotten first.
const (
	maxPassages = 512
	maxWords    = 80      // that are kept of one passage
	maxPosts    = 64      // passages that hold a word: a word of more of them tells nothing
	maxValues   = 1 << 13 // whose first place is known
	maxText     = 64 << 10
)

// place is where a value was met first. There are thousands in a session: it is small, and
// holds no pointer that the garbage collector would follow.
type place struct {
	from    uint32 // one more than the place in Index.origins, or 0 for none
	passage uint32 // when it was prose
	by      speaker
	pointed bool
}

// speaker is a source of values: the one that spelled a value first.
type speaker uint8

const (
	user  speaker = iota + 1
	agent         // it stood in a call before any result spelled it
	field         // a field that a system filled in
	prose         // a passage
)

// passage is one stretch of a result.
type passage struct {
	from    *mcpproxy.Origin
	pointed bool
	asks    intent.Set
}

// Index knows the passages of a session's results. The zero Index is empty.
type Index struct {
	said     map[key]struct{} // words of the user's
	called   map[key]struct{} // of them, those that he wrote as names
	written  map[key]struct{} // passages that the agent wrote itself
	passages map[uint32]passage
	next     uint32
	posts    posts
	sweepAt  int // posts at which those of forgotten passages are dropped
	first    map[key]place
	origins  []*mcpproxy.Origin // of places
}

// from is where the value of a place was read, or nil for none.
func (x *Index) from(at place) *mcpproxy.Origin {
	if at.from == 0 {
		return nil
	}
	return x.origins[at.from-1]
}

// numbered is an origin as places know it.
func (x *Index) numbered(o *mcpproxy.Origin) uint32 {
	if n := len(x.origins); n == 0 || x.origins[n-1] != o {
		x.origins = append(x.origins, o)
	}
	return uint32(len(x.origins))
}

// Said notes the user's own words.
func (x *Index) Said(words string) {
	x.init()
	for k := range stems(words) {
		x.said[k] = struct{}{}
	}
	for w := range intent.Words(words) {
		if len(w) < minWord { // "ci"
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

// Written notes what the agent says in a call: what comes back of it is an echo.
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

// meet notes where a value was met, unless it was met before.
func (x *Index) meet(k key, at place) {
	if _, known := x.first[k]; !known && len(x.first) < maxValues {
		x.first[k] = at
	}
}

// Read notes what a result says. Pointed says that the user's words name what it was read
// by.
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

// add keeps a passage and returns its number.
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
