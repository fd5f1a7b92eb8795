package sqlite

import (
	"encoding/binary"
	"encoding/hex"
	"errors"

	"mcpproxy/internal/ledger"
)

// Limits of a piece: the number of records, and a size in bytes after which no record is added.
const (
	pieceRecords = 32
	pieceBytes   = 64 << 10
)

// piece is a row of the table pieces.
type piece struct {
	first                int64
	prev                 string
	rows, bodies, beside []byte
}

// row holds the searchable fields of a record. In pieces.rows it is encoded as its fields in this
// order, numbers as varints and texts with their lengths. A missing row is encoded as an empty
// part.
type row struct {
	seq                     int64 // not encoded: given by the position
	id                      string
	ts, kind, session, flow int64
	request, parent         string
	tool                    string // only if the kind does not contain it
}

// A part of the column bodies is the form, the body, the hash (as 32 bytes if it is valid), the proof
// and the salt. It is empty if the record's body is missing. A part of the column beside is arguments
// and response, each after its length plus one, or 0 if missing. It is empty if the record has neither.

// parts splits a column of a piece, in which every part follows its length. whole is false if bytes
// remain that do not form a part.
func parts[T []byte | string](column T) (all []T, whole bool) {
	f := fields[T]{rest: column}
	for len(f.rest) > 0 {
		part := f.text()
		if f.bad {
			return all, false
		}
		all = append(all, part)
	}
	return all, true
}

// addPart adds a part to a column.
func addPart(column, part []byte) []byte {
	return append(binary.AppendUvarint(column, uint64(len(part))), part...)
}

// fields reads consecutive values.
type fields[T []byte | string] struct {
	rest T
	bad  bool // a value was malformed
}

func (f *fields[T]) unsigned() (n uint64) {
	for i := 0; i < len(f.rest) && i < binary.MaxVarintLen64; i++ {
		b := f.rest[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			f.rest = f.rest[i+1:]
			return n
		}
	}
	f.bad = true
	return 0
}

func (f *fields[T]) number() int64 {
	n := f.unsigned()
	return int64(n>>1) ^ -int64(n&1)
}

func (f *fields[T]) take(n uint64) (out T) {
	if n > uint64(len(f.rest)) {
		f.bad = true
		return out
	}
	out, f.rest = f.rest[:n], f.rest[n:]
	return out
}

func (f *fields[T]) text() T { return f.take(f.unsigned()) }

// done reports whether everything was read.
func (f *fields[T]) done() bool { return !f.bad && len(f.rest) == 0 }

func appendText[T []byte | string](to []byte, text T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

func (r *row) append(to []byte) []byte {
	to = appendText(to, r.id)
	for _, n := range [...]int64{r.ts, r.kind, r.session, r.flow} {
		to = binary.AppendVarint(to, n)
	}
	return appendText(appendText(appendText(to, r.request), r.parent), r.tool)
}

// readRow decodes a part of rows.
func readRow(seq int64, part string) (row, bool) {
	f := fields[string]{rest: part}
	r := row{
		seq:     seq,
		id:      f.text(),
		ts:      f.number(),
		kind:    f.number(),
		session: f.number(),
		flow:    f.number(),
		request: f.text(),
		parent:  f.text(),
		tool:    f.text(),
	}
	return r, f.done()
}

func appendBody(to []byte, s *ledger.Sealed) []byte {
	to = appendText(binary.AppendVarint(to, int64(s.Form)), s.Body)
	if hash, err := hex.DecodeString(s.Hash); err == nil && len(hash) == 32 && hex.EncodeToString(hash) == s.Hash {
		to = appendText(to, hash)
	} else {
		to = appendText(to, s.Hash) // in a damaged log that was converted
	}
	return appendText(appendText(to, s.Proof), s.Salt)
}

// readBody decodes a part of bodies.
func readBody(part []byte) (s ledger.Sealed, ok bool) {
	f := fields[[]byte]{rest: part}
	s.Form, s.Body = ledger.Form(f.number()), f.text()
	if hash := f.text(); len(hash) == 32 {
		s.Hash = hex.EncodeToString(hash)
	} else {
		s.Hash = string(hash)
	}
	for _, to := range [...]*[]byte{&s.Proof, &s.Salt} {
		if text := f.text(); len(text) > 0 {
			*to = text
		}
	}
	return s, f.done()
}

func appendBeside(to []byte, s *ledger.Sealed) []byte {
	if len(s.Arguments) == 0 && len(s.Response) == 0 {
		return to
	}
	for _, b := range [...][]byte{s.Arguments, s.Response} {
		if len(b) == 0 {
			to = append(to, 0)
			continue
		}
		to = append(binary.AppendUvarint(to, uint64(len(b))+1), b...)
	}
	return to
}

// readBeside decodes a part of the column beside into the arguments and the response of s.
func readBeside(part []byte, s *ledger.Sealed) bool {
	f := fields[[]byte]{rest: part}
	if len(part) == 0 {
		return true
	}
	for _, to := range [...]*[]byte{&s.Arguments, &s.Response} {
		if n := f.unsigned(); n > 0 {
			*to = f.take(n - 1)
		}
	}
	return f.done()
}

// packer collects records for a piece.
type packer struct {
	piece
	n    int
	last string // hash of the last record
	part []byte
}

// add adds a record, whose row or body may be missing.
func (p *packer) add(seq int64, r *row, s *ledger.Sealed) {
	if p.n == 0 {
		p.first, p.prev = seq, ""
		if s != nil {
			p.prev = s.Prev
		}
	}
	p.n = p.n + 1
	p.last = ""
	p.part = p.part[:0]
	if r != nil {
		p.part = r.append(p.part)
	}
	p.rows, p.part = addPart(p.rows, p.part), p.part[:0]
	if s != nil {
		p.part, p.last = appendBody(p.part, s), s.Hash
	}
	p.bodies, p.part = addPart(p.bodies, p.part), p.part[:0]
	if s != nil {
		p.part = appendBeside(p.part, s)
	}
	p.beside = addPart(p.beside, p.part)
}

// next returns the number after the last record.
func (p *packer) next() int64 { return p.first + int64(p.n) }

// full reports whether the next record needs a new piece.
func (p *packer) full() bool {
	return p.n > 0 && (p.n >= pieceRecords || len(p.bodies)+len(p.beside) >= pieceBytes || p.next()%blockSize == 0)
}

// clear prepares the next piece.
func (p *packer) clear() {
	p.n = 0
	p.rows = p.rows[:0]
	p.bodies = p.bodies[:0]
	p.beside = p.beside[:0]
}

// sealedParts holds a piece's records, which are decoded on demand.
type sealedParts struct {
	prev           string
	bodies, beside [][]byte // beside is empty if it was not read
}

var errUnreadable = errors.New("a piece of the log cannot be read: mcpproxy activity verify says what is wrong with it")

// split splits the columns of a piece.
func (p *piece) split() (s sealedParts, err error) {
	var whole, fine bool
	s.prev = p.prev
	s.bodies, whole = parts(p.bodies)
	s.beside, fine = parts(p.beside)
	if !whole || !fine || len(s.beside) > 0 && len(s.beside) != len(s.bodies) {
		err = errUnreadable
	}
	return s, err
}

// at returns a record; it is empty if its body is missing.
func (s *sealedParts) at(i int) (out ledger.Sealed, err error) {
	ok := true
	if i > 0 && len(s.bodies[i-1]) > 0 {
		var before ledger.Sealed
		before, ok = readBody(s.bodies[i-1])
		out.Prev = before.Hash
	} else if i == 0 {
		out.Prev = s.prev
	}
	prev := out.Prev
	if len(s.bodies[i]) > 0 && ok {
		out, ok = readBody(s.bodies[i])
		out.Prev = prev
	}
	if len(s.beside) > 0 && ok {
		ok = readBeside(s.beside[i], &out)
	}
	if !ok {
		return out, errUnreadable
	}
	return out, nil
}

// sealed returns all records of a piece.
func (p *piece) sealed() ([]ledger.Sealed, error) {
	s, err := p.split()
	all := make([]ledger.Sealed, len(s.bodies))
	for i := 0; i < len(all) && err == nil; i++ {
		all[i], err = s.at(i)
	}
	return all, err
}

// eachRow calls f with a piece's rows until f returns false. It skips malformed rows, which Verify
// reports.
func eachRow(first int64, rows string, f func(*row) bool) (more bool) {
	return eachRowOfKinds(first, rows, nil, false, f)
}

// eachRowOfKinds is eachRow for rows of some kinds (nil for all), from the last to the first if
// back is set. It decodes only the kind of the others.
func eachRowOfKinds(first int64, rows string, kinds map[int64]bool, back bool, f func(*row) bool) (more bool) {
	all, _ := parts(rows)
	var r row // shared, because f does not keep it
	for i := range all {
		if back {
			i = len(all) - 1 - i
		}
		if kinds != nil && !kinds[kindOfPart(all[i])] {
			continue
		}
		var ok bool
		if r, ok = readRow(first+int64(i), all[i]); ok && !f(&r) {
			return false
		}
	}
	return true
}

// kindOfPart returns the kind of the record that a part of the column rows describes.
func kindOfPart(part string) int64 {
	f := fields[string]{rest: part}
	f.text()
	f.number()
	return f.number()
}
