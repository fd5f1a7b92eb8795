package value

import (
	"strings"

	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

// class is the kind of a value. It determines how much evidence the value is on its own.
type class uint8

const (
	classText     class = iota // words, which are evidence only together with other values
	classPointer               // an identifier, a date, a path: a reference
	classNumber                // at least minDigits digits
	classPersonal              // an address, an account, a phone number
	classKey                   // looks like a secret
	classSecret                // a detector found the secret
	classCount
	classNothing = classCount // carries no information, and contains no value
)

// token is one value of a document.
type token struct {
	hash   uint64
	head   uint64 // hash of the first letters and the length of its skeleton
	record uint32 // number of the record within the document
	class  class
}

const (
	maxRecordTokens = 48     // values of one record; longer records are split
	maxTokens       = 20_000 // of one document
	maxCell         = 256    // bytes of a text that can be a value
	maxKeys         = 1000   // of one document
)

// scanner collects the values of a document.
type scanner struct {
	tokens []token
	keys   []string // of classKey
	record uint32   // number of the current record
	plain  uint32   // number of records before the decoded texts
	held   int      // tokens of the current record

	skeleton []byte
	cells    [2][]string // cells of the current and the next row
	names    []string    // names of the columns of the current table
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

// next begins a new record unless the current one is empty.
func (s *scanner) next() {
	if s.held > 0 {
		s.record, s.held = s.record+1, 0
	}
}

// emit adds a value to the current record.
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

// jsonNumber adds a number of a JSON value, in which a point is always a decimal point.
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

// value adds v, the value of a name, if it can be a single value. named says that v is the whole content of a JSON
// member or a cell, or follows a name.
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

// addKey adds a value that looks like a secret.
func (s *scanner) addKey(v string) {
	if len(s.keys) < maxKeys {
		s.keys = append(s.keys, v)
	}
}

// reset drops the last document.
func (s *scanner) reset() {
	s.tokens = s.tokens[:0]
	s.keys = s.keys[:0]
	s.record = 0
	s.held = 0
}
