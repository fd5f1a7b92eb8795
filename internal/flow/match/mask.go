package match

import (
	"slices"
	"strings"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

// How much of its information a byte of a skeleton counts for.
const (
	nothing = 0   // what everybody writes, may know, or calls things
	half    = 0.5 // what points at something, and words that stand alone
	all     = 1
)

// weigh says how much each byte of a piece's skeleton counts as evidence, in the
// stretches that are asked for: nothing when everybody writes it, when the
// agent may have it from elsewhere, or when it only says where the arguments go. References and single words count for half:
// records share them, but whoever sends something could make any text look like
// them. Secrets are recognised in other ways.
func (x *Index) weigh(p *piece, hashes []uint64, asked []run) []float32 {
	w := x.scratch.weights(len(p.skeleton))
	for i := range p.segments {
		m := marker{weights: w, segment: &p.segments[i]}
		references(m.segment.text(), func(start, end int) { m.set(start, end, half) })
		m.setAll(p.asides)
		if m.segment.common {
			m.set(0, len(m.segment.text()), half)
		}
		if t := m.segment.text(); p.decoded == "" && addressing(p.field, t) {
			m.set(0, addressLength(t), nothing)
		}
	}
	sums := x.scratch.sums()
	for _, r := range asked {
		from, to := max(r.start-gram.K, 0), min(r.end, len(hashes))
		for i := from; i < to; i++ {
			if stops(hashes[i], sums[i+gram.K]-sums[i]) {
				fill(w, i, i+gram.K, nothing)
			}
		}
		x.weighPublic(w, hashes, from, to)
	}
	return w
}

// stops reports whether everybody writes a k-gram that holds so many bits. What
// looks random is nobody's phrase: the set takes it for one by mistake.
func stops(h uint64, bits float32) bool { return bits <= maxPhrase && model.Stop(h) }

// maxPhrase is 4.6 bits a letter: language has about 3.5, and what is random 6.
const maxPhrase = 4.6 * gram.K

// weighPublic takes the weight off what is public. One k-gram alone may be a false
// member of the set; two neighbours are not. Of two neighbours one stands at an even
// place, so that the others are looked up only beside one that is there.
func (x *Index) weighPublic(w []float32, hashes []uint64, from, to int) {
	s := &x.scratch
	has := func(i int) bool { return i >= from && i < to && x.public.has(hashes[i]) }
	for i := from; i < to; i += 2 {
		if (i-from)%(2*batch) == 0 {
			s.ahead = s.ahead[:0]
			for j := i; j < min(i+2*batch, to); j += 2 {
				s.ahead = append(s.ahead, hashes[j])
			}
			s.warmed |= x.public.warm(s.ahead)
		}
		if !x.public.has(hashes[i]) {
			continue
		}
		if has(i - 1) {
			fill(w, i-1, i+gram.K, nothing)
		}
		if has(i + 1) {
			fill(w, i, i+1+gram.K, nothing)
		}
	}
}

// weights is room for n weights, all of them full.
func (s *scratch) weights(n int) []float32 {
	s.weight = slices.Grow(s.weight[:0], n)[:n]
	fill(s.weight, 0, n, all)
	return s.weight
}

func fill(w []float32, start, end int, with float32) {
	for i := start; i < end; i++ {
		w[i] = with
	}
}

// marker sets the weights of stretches of a segment's text.
type marker struct {
	weights []float32
	segment *segment
}

// setAll sets the weights of asides, as far as they stand in the segment.
func (m *marker) setAll(asides []aside) {
	for _, a := range asides {
		m.set(a.start-m.segment.start, a.end-m.segment.start, a.weight)
	}
}

func (m *marker) set(start, end int, weight float32) {
	places := m.segment.places()
	from, _ := slices.BinarySearch(places, int32(max(start, 0)))
	to, _ := slices.BinarySearch(places, int32(max(end, 0)))
	fill(m.weights, m.segment.at+from, m.segment.at+to, weight)
}

// references marks the stretches of t that point at something instead of being
// something, and copyright lines.
func references(t string, mark func(start, end int)) {
	for i := 0; i < len(t); {
		if breaks[t[i]] {
			i++
			continue
		}
		end := i
		for end < len(t) && !breaks[t[end]] {
			end++
		}
		next := end
		switch n := reference(t[i:end]); {
		case n > 0:
			mark(i, i+n)
		case end-i == len("copyright") && strings.EqualFold(t[i:end], "copyright"):
			for next < len(t) && t[next] != '\n' && next < end+maxCopyright {
				next++
			}
			mark(i, next)
		}
		i = next
	}
}

// maxCopyright is as much of a copyright line as is left out.
const maxCopyright = 60

// reference is how much of a word without breaks refers to something: a UUID, a
// hash, a date, a host, a path; 0 for none.
func reference(w string) int {
	w = strings.TrimRight(w, ".:!?")
	if i := strings.Index(w, "//"); i == 0 || i > 0 && w[i-1] == ':' { // all of a URL but its query
		if end := strings.IndexAny(w[i:], "?#"); end >= 0 {
			return i + end
		}
		return len(w)
	}
	switch {
	case isUUID(w), isHash(w), isDate(w):
		return len(w)
	case strings.IndexByte(w, '/') >= 0 || strings.IndexByte(w, '\\') >= 0:
		return path(w)
	case strings.IndexByte(w, '.') > 0 && strings.IndexByte(w, '@') < 0 && wordy(w):
		return len(w)
	}
	return 0
}

// path is the length of the path that w begins with: of its leading segments that
// are words or hashes.
func path(w string) int {
	length := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && strings.IndexByte("/\\?#", w[i]) < 0 {
			continue
		}
		if segment := w[length:i]; !wordy(segment) && !isHash(segment) {
			return length
		}
		if length = min(i+1, len(w)); i == len(w) || w[i] == '?' || w[i] == '#' {
			return i
		}
	}
	return length
}

func isUUID(w string) bool {
	if len(w) != 36 {
		return false
	}
	for i := 0; i < len(w); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (w[i] == '-') || !dash && !isHex(w[i]) {
			return false
		}
	}
	return true
}

// isHash reports whether w has the length of a git or SHA object name, or MD5.
func isHash(w string) bool {
	if n := len(w); n != 32 && n != 40 && n != 64 {
		return false
	}
	for i := 0; i < len(w); i++ {
		if !isHex(w[i]) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isDate reports whether w begins as an ISO 8601 date and has nothing else in it.
func isDate(w string) bool {
	if len(w) < 10 || w[4] != '-' || w[7] != '-' {
		return false
	}
	for i := 0; i < len(w); i++ {
		if c := w[i]; (c < '0' || c > '9') && strings.IndexByte("-TtZz:.+", c) < 0 {
			return false
		}
	}
	return true
}

// wordy reports whether w is made of words as people write them in paths: what is
// random costs more information than any language.
func wordy(w string) bool {
	if len(w) > maxSegment {
		return false
	}
	skeleton := text.AppendLetters(nil, w, nil)
	bits := float32(0)
	for _, c := range model.Cost(skeleton, nil) {
		bits += c
	}
	return len(skeleton) <= shortSegment || bits <= wordyBits*float32(len(skeleton))
}

const (
	maxSegment   = 60
	shortSegment = 6   // letters of a segment that may be anything
	wordyBits    = 4.7 // bits a letter; words have 3.5, and what is random over 6
)
