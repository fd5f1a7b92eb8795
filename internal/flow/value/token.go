package value

import (
	"strings"

	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

// class is the kind of a value, on which depends what it says by itself.
type class uint8

const (
	classText     class = iota // words; they say something beside other values
	classPointer               // an identifier, a date, a path: it only points at something
	classNumber                // at least minDigits digits
	classPersonal              // an address, an account, a phone number
	classKey                   // what looks like a secret
	classSecret                // what a detector called a secret
	classCount
	classNothing = classCount // what says nothing, nor does anything in it
)

// token is one value of a document.
type token struct {
	hash   uint64
	head   uint64 // of how its skeleton begins, and its length
	record uint32 // counted within the document
	class  class
}

const (
	maxRecordTokens = 48     // values of one record; what has more is cut into several
	maxTokens       = 20_000 // of one document
	maxCell         = 256    // bytes of a text that can be a value
	maxKeys         = 1000   // of one document
)

// scanner collects the values of a document.
type scanner struct {
	tokens []token
	keys   []string // of classKey
	record uint32   // of what comes next
	plain  uint32   // records of the document as it stands; those in disguise follow
	held   int      // tokens of that record

	skeleton []byte
	cells    [2][]string // of a row, and of the next
	names    []string    // of the columns of the table being read
}

// scan collects the values of the parts of a document, up to limit bytes.
func (s *scanner) scan(doc *text.Document, limit int) {
	object := -1
	for _, p := range doc.Parts {
		if p.Opened() {
			continue
		}
		t := p.Text[:min(len(p.Text), limit)]
		limit -= len(t)
		if at := doc.Record(p); at != object {
			object = at
			s.next()
		}
		switch p.Kind {
		case text.Key:
			s.words(t)
		case text.Number:
			s.jsonNumber(doc.Field(p), t)
		case text.Value:
			if !s.value(doc.Field(p), t, true) {
				s.text(t)
			}
		}
	}
}

// next begins another record, if this one has anything in it.
func (s *scanner) next() {
	if s.held > 0 {
		s.record, s.held = s.record+1, 0
	}
}

// emit adds a value to the record being read.
func (s *scanner) emit(hash, head uint64, c class) {
	if len(s.tokens) == maxTokens {
		return
	}
	if s.held == maxRecordTokens {
		s.next()
	}
	s.tokens = append(s.tokens, token{hash, head, s.record, c})
	s.held++
}

func (s *scanner) emitSkeleton(skeleton []byte, c class) {
	if len(skeleton) >= leastToken {
		s.emit(table.HashSkeleton(skeleton), headOf(skeleton), c)
	}
}

// jsonNumber adds a number of a JSON value, where a point is always a decimal point.
func (s *scanner) jsonNumber(name, t string) {
	if pointerName(name) {
		s.value(name, t, true)
		return
	}
	n, size := readNumber(trimSign(t))
	if size == 0 || size != len(trimSign(t)) || n.hash == 0 {
		return
	}
	if n.other != 0 {
		n.hash = n.other
	}
	s.emit(n.hash, 0, classNumber)
}

// value adds v, which stands under a name, if it can be one value. Named says
// that it stands alone there: in a JSON member, a cell, behind a name.
func (s *scanner) value(name, v string, named bool) bool {
	v = trimValue(v)
	if len(v) < leastToken || len(v) > maxCell || strings.IndexByte(v, '\n') >= 0 {
		return false
	}
	if strings.Contains(v, "://") {
		s.address(v)
	}
	s.skeleton = text.AppendLetters(s.skeleton[:0], v, nil)
	c, ok := classify(name, v, s.skeleton, named)
	if !ok {
		return false
	}
	if c == classNothing || c == classPointer && !named {
		return true
	}
	if c == classNumber {
		n, _ := readNumber(trimSign(v))
		s.emit(n.hash, 0, c)
		return true
	}
	if len(s.skeleton) > table.MaxToken {
		return c == classPointer
	}
	if c == classKey {
		s.addKey(v)
		return true
	}
	s.emitSkeleton(s.skeleton, c)
	if c == classText && named {
		s.words(v)
	}
	return true
}

// addKey adds what looks like a secret.
func (s *scanner) addKey(v string) {
	if len(s.keys) < maxKeys {
		s.keys = append(s.keys, v)
	}
}

// reset forgets the last document.
func (s *scanner) reset() {
	s.tokens = s.tokens[:0]
	s.keys = s.keys[:0]
	s.record = 0
	s.held = 0
}
