package valkey

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"hash/maphash"
	"math/bits"

	"github.com/klauspost/compress/s2"
)

// A content is divided into pieces, and the server gets only those that it does not have. Where a piece ends depends
// only on the bytes just before its end. So a change in the middle does not change the later pieces.
const (
	leastPiece = 128 // in bytes; at least window
	// The limits for the average size of a piece. The average grows in steps with the size of the content, so that it
	// seldom changes. When it changes, all pieces change.
	leastAverage = 256
	mostAverage  = 16 << 10
	mostPieces   = 4096 // approximate number of pieces above which the average grows
	// mostFactor is the maximum size of a piece, as a multiple of the average.
	mostFactor = 8
)

// window is the number of bytes that determine whether a piece ends after them.
const window = 64

// split divides content into pieces.
func split(content []byte) (pieces [][]byte) {
	average := averageOf(len(content))
	for len(content) > 0 {
		size := firstPiece(content, average)
		pieces = append(pieces, content[:size])
		content = content[size:]
	}
	return pieces
}

// firstPiece returns the size of the first piece of a content that is divided into pieces of an average size.
func firstPiece(content []byte, average int) int {
	// A piece ends where the upper bits of the hash are zero. Their number determines the average size.
	shift := 64 - bits.Len(uint(average-1))
	most := min(len(content), average*mostFactor)
	from := min(leastPiece, most)
	hash := uint64(0)
	for _, b := range content[max(0, from-window):from] {
		hash = roll(hash, b)
	}
	for i, b := range content[from:most] {
		if hash = roll(hash, b); hash>>shift == 0 {
			return from + i + 1
		}
	}
	return most
}

// roll adds a byte to a hash. Bytes that were added more than window bytes earlier no longer influence it.
func roll(hash uint64, b byte) uint64 { return hash<<1 + (uint64(b)+1)*0x9e3779b97f4a7c15 }

// averageOf returns the average size of pieces for a content of the given size: a power of 4.
func averageOf(size int) int {
	average := leastAverage
	for average < mostAverage && size/average > mostPieces {
		average *= 4
	}
	return average
}

// sum is a keyed hash of a piece of a principal.
type sum [sha256.Size]byte

// pieceName is the length of a piece's name, which is the beginning of its sum. Two pieces of one principal hardly
// ever have the same name. If they do, the digest in the list reveals it.
const pieceName = 8

type name [pieceName]byte

func (s sum) name() name { return name(s[:pieceName]) }

// summer returns a function that computes the sums of the pieces of a principal, so that equal pieces are stored once.
func (s *seal) summer(at string) func(piece []byte) sum {
	h := hmac.New(sha256.New, s.names)
	about := []byte("piece\x00" + at + "\x00")
	return func(piece []byte) (out sum) {
		h.Reset()
		h.Write(about)
		h.Write(piece)
		h.Sum(out[:0])
		return out
	}
}

// piece describes a piece that was written.
type piece struct {
	sum  sum
	size int
	head uint64 // print of its first leastPiece bytes
	all  print
}

// print identifies bytes within this process: 128 bits under random keys, which take a fiftieth of the time of a sum.
type print [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func printOf(b []byte) print { return print{maphash.Bytes(seeds[0], b), maphash.Bytes(seeds[1], b)} }

func headOf(b []byte) uint64 { return maphash.Bytes(seeds[0], b[:min(leastPiece, len(b))]) }

// list describes the pieces of one session.
type list struct {
	average int
	pieces  []piece
}

// divide divides content into pieces and computes their sums. Old describes the content that was divided before, or
// is nil. It takes the pieces from there that have not changed: where a piece ends depends on its own bytes alone,
// except for the last one.
func divide(content []byte, old *list, sumOf func([]byte) sum) *list {
	l := &list{average: averageOf(len(content))}
	if old == nil || old.average != l.average {
		old = &list{}
	}
	l.pieces = make([]piece, 0, len(old.pieces)+8)
	var heads map[uint64]int // old pieces by their heads
	for next := 0; len(content) > 0; {
		at, ok := next, old.begins(content, next)
		if !ok && len(old.pieces) > 0 {
			if heads == nil {
				heads = old.heads()
			}
			at, ok = heads[headOf(content)]
			ok = ok && old.begins(content, at)
		}
		var p piece
		if ok {
			p, next = old.pieces[at], at+1
		} else {
			first := content[:firstPiece(content, l.average)]
			p = piece{
				sum:  sumOf(first),
				size: len(first),
				head: headOf(first),
				all:  printOf(first),
			}
		}
		l.pieces = append(l.pieces, p)
		content = content[p.size:]
	}
	return l
}

// begins reports whether content begins with piece i.
func (l *list) begins(content []byte, i int) bool {
	if i >= len(l.pieces) {
		return false
	}
	p := &l.pieces[i]
	if len(content) < p.size || i == len(l.pieces)-1 && len(content) != p.size {
		return false
	}
	return printOf(content[:p.size]) == p.all
}

func (l *list) heads() map[uint64]int {
	out := make(map[uint64]int, len(l.pieces))
	for i := range l.pieces {
		out[l.pieces[i].head] = i
	}
	return out
}

// encode returns the list as it is stored: a digest of the sums, then the names of the pieces.
func (l *list) encode() []byte {
	all := sha256.New()
	out := make([]byte, sha256.Size, sha256.Size+pieceName*len(l.pieces))
	for i := range l.pieces {
		s := &l.pieces[i].sum
		all.Write(s[:])
		out = append(out, s[:pieceName]...)
	}
	all.Sum(out[:0])
	return out
}

// join returns the content that an encoded list describes. It gets the pieces by their names. It fails with
// [ErrForeign] if a piece is missing or wrong.
func join(list []byte, pieces map[name][]byte, sumOf func([]byte) sum) ([]byte, error) {
	if len(list) < sha256.Size || (len(list)-sha256.Size)%pieceName != 0 {
		return nil, ErrForeign
	}
	digest, names := list[:sha256.Size], list[sha256.Size:]
	all := sha256.New()
	var content []byte
	for ; len(names) > 0; names = names[pieceName:] {
		piece, ok := pieces[name(names)]
		if !ok {
			return nil, ErrForeign
		}
		s := sumOf(piece)
		all.Write(s[:])
		content = append(content, piece...)
	}
	if !bytes.Equal(all.Sum(nil), digest) {
		return nil, ErrForeign
	}
	return content, nil
}

// The first byte of a piece in the store.
const (
	plain  = 0
	zipped = 1
)

// squeeze returns a piece as it is stored: compressed, if that makes it smaller. S2 takes a twentieth of the time of
// Zstandard for pieces of this size, and a tenth more bytes.
func squeeze(piece []byte) []byte {
	out := make([]byte, 1+s2.MaxEncodedLen(len(piece)))
	if z := s2.Encode(out[1:], piece); len(z) < len(piece) {
		out[0] = zipped
		return out[:1+len(z)]
	}
	out[0] = plain
	return append(out[:1], piece...)
}

// unsqueeze undoes squeeze.
func unsqueeze(stored []byte) ([]byte, error) {
	switch {
	case len(stored) > 0 && stored[0] == plain:
		return stored[1:], nil
	case len(stored) > 0 && stored[0] == zipped:
		if n, err := s2.DecodedLen(stored[1:]); err != nil || n > mostAverage*mostFactor {
			return nil, ErrForeign
		}
		piece, err := s2.Decode(nil, stored[1:])
		if err != nil {
			return nil, ErrForeign
		}
		return piece, nil
	}
	return nil, ErrForeign
}
