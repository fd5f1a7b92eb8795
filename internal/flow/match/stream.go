package match

import (
	"bytes"
	"slices"
	"strings"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

const (
	maxStreams = 512        // streams of one session; the one that was idle longest is dropped
	tail       = 2 * gram.K // bytes of skeleton that a stream keeps
	maxValue   = 256        // bytes of a value that are compared with the next value
)

// streams join the values that a tool receives in one parameter in successive calls, because a sender may split a text
// over calls. They also join only the parts in which successive values differ, because fixed words may surround each
// piece.
type streams struct {
	byKey map[string]*stream
	turn  int
}

type stream struct {
	values  []byte // the end of the joined skeletons of all values
	changes []byte // the end of the joined skeletons of their changing parts
	last    string // the last value
	used    int
}

// extend puts the end of the values of earlier calls before each column of a document. If a column has a single value,
// extend also adds a piece with the part of the value that differs from the previous call's.
func (s *streams) extend(key string, pieces []piece) []piece {
	server, _, _ := strings.Cut(key, "\x00")
	for i := range pieces {
		p := &pieces[i]
		if p.joined {
			s.get(server).join(p)
			if slices.ContainsFunc(pieces[:i], func(q piece) bool { return q.stream != "" && p.repeats(&q) }) {
				p.skeleton, p.rot13 = nil, nil // the tool has only one text parameter, so the column is the same text
			}
			continue
		}
		if p.stream == "" || len(p.skeleton) == 0 {
			continue
		}
		st := s.get(key + p.stream)
		st.join(p)
		if l := p.segments[0].of; len(p.segments) == 1 && len(l.View.Text) <= maxValue {
			if changed, ok := st.change(l); ok {
				pieces = append(pieces, changed)
			}
			st.last = l.View.Text
		}
	}
	return pieces
}

// repeats reports whether the joined values of a document are the values of one column after the same text of earlier
// calls.
func (p *piece) repeats(column *piece) bool {
	if !bytes.Equal(p.skeleton[:p.before], column.skeleton[:column.before]) {
		return false
	}
	one := p.segments[0].of
	return bytes.Equal(p.skeleton, column.skeleton) ||
		one == column.segments[0].of && !slices.ContainsFunc(p.segments, func(s segment) bool { return s.of != one })
}

// join puts the text of earlier calls before the joined values of a document.
func (s *stream) join(p *piece) {
	fresh := p.skeleton
	p.prepend(s.values)
	s.values = lastBytes(s.values, fresh)
}

// change returns the part of a value that differs from the last value.
func (s *stream) change(l *value.Letters) (piece, bool) {
	v := l.View
	start, end := changing(s.last, v.Text)
	if s.last == "" || start == 0 && end == len(v.Text) || start >= end {
		return piece{}, false
	}
	if len(s.changes) == 0 { // begins with the part in which the last value differs from this one
		from, to := changing(v.Text, s.last)
		s.changes = text.AppendLetters(nil, s.last[from:to], nil)
	}
	var p piece
	p.addPart(l, start, end)
	fresh := p.skeleton
	p.prepend(s.changes)
	s.changes = lastBytes(s.changes, fresh)
	return p, len(fresh) > 0
}

// changing returns the range of b that differs from a. It leaves out their common beginning and end, in which all
// digits count as equal. The range does not begin or end within a word.
func changing(a, b string) (start, end int) {
	for start < len(a) && start < len(b) && alike(a[start], b[start]) {
		start++
	}
	if start == len(a) && start == len(b) {
		return start, start
	}
	for start > 0 && start < len(b) && value.IsAlnum(b[start-1]) && value.IsAlnum(b[start]) {
		start--
	}
	end = len(b)
	for n := len(a); end > start && n > start && alike(a[n-1], b[end-1]); n-- {
		end--
	}
	for end > 0 && end < len(b) && value.IsAlnum(b[end-1]) && value.IsAlnum(b[end]) {
		end++
	}
	return start, end
}

func alike(a, b byte) bool {
	return a == b || a >= '0' && a <= '9' && b >= '0' && b <= '9'
}

// prepend puts the end of an earlier text before p.
func (p *piece) prepend(earlier []byte) {
	if len(earlier) == 0 {
		return
	}
	p.before = len(earlier)
	p.rot13 = nil
	p.skeleton = append(append(make([]byte, 0, len(earlier)+len(p.skeleton)), earlier...), p.skeleton...)
	p.segments = slices.Clone(p.segments) // another search may use them too
	for i := range p.segments {
		p.segments[i].at += p.before
	}
}

// lastBytes returns a copy of the end of a followed by b.
func lastBytes(a, b []byte) []byte {
	if len(b) >= tail {
		return append([]byte(nil), b[len(b)-tail:]...)
	}
	a = a[max(0, len(a)+len(b)-tail):]
	return append(append(make([]byte, 0, tail), a...), b...)
}

// bytes estimates the memory of the streams.
func (s *streams) bytes() int {
	const each = 2*tail + maxValue + 128 // with its key
	return len(s.byKey) * each
}

func (s *streams) get(key string) *stream {
	s.turn++
	st := s.byKey[key]
	if st == nil {
		if s.byKey == nil {
			s.byKey = map[string]*stream{}
		}
		if len(s.byKey) == maxStreams {
			s.forget()
		}
		st = &stream{}
		s.byKey[key] = st
	}
	st.used = s.turn
	return st
}

// forget drops the stream that was idle longest.
func (s *streams) forget() {
	oldest, key := s.turn, ""
	for k, st := range s.byKey {
		if st.used < oldest {
			oldest, key = st.used, k
		}
	}
	delete(s.byKey, key)
}
