package valkey

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A content is divided into pieces, and the server gets only those that it does not have. Where a piece ends depends
// only on the bytes just before its end. So a change in the middle does not change the later pieces.
const (
	leastPiece = 128 // in bytes; at least window
	// The limits for the average size of a piece. The average grows in steps with the size of the content, so that it
	// seldom changes. When it changes, all pieces change.
	leastAverage = 256
	mostAverage  = 16 << 10
	mostPieces   = 4096 // approximate number of pieces from which the average grows
	// mostFactor limits the size of a piece to so many times the average.
	mostFactor = 8
)

// window is the number of bytes that determine whether a piece ends after them.
const window = 64

// split divides content into pieces.
func split(content []byte) (pieces [][]byte) {
	average := averageOf(len(content))
	// A piece ends where the upper bits of the hash are zero. Their number determines the average size.
	shift := 64 - bits.Len(uint(average-1))
	for len(content) > 0 {
		most := min(len(content), average*mostFactor)
		from, size := min(leastPiece, most), most
		hash := uint64(0)
		for _, b := range content[max(0, from-window):from] {
			hash = roll(hash, b)
		}
		for i, b := range content[from:most] {
			if hash = roll(hash, b); hash>>shift == 0 {
				size = from + i + 1
				break
			}
		}
		pieces = append(pieces, content[:size])
		content = content[size:]
	}
	return pieces
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

// pieceName is the length of a piece's name. Two pieces of one principal hardly ever have the same name. If they do,
// the digest of the content reveals it.
const pieceName = 8

// namer returns a function that names the pieces of a principal. The name of a piece is a keyed hash of its
// content, so that equal pieces are stored once.
func (s *seal) namer(at string) func(piece []byte) string {
	var h hash.Hash = hmac.New(sha256.New, s.names)
	return func(piece []byte) string {
		h.Reset()
		h.Write([]byte("piece\x00" + at + "\x00"))
		h.Write(piece)
		return string(h.Sum(nil)[:pieceName])
	}
}

// listOf returns the list of a content's pieces: a digest of the content, then the names of the pieces.
func listOf(content []byte, names []string) []byte {
	sum := sha256.Sum256(content)
	out := make([]byte, 0, len(sum)+pieceName*len(names))
	out = append(out, sum[:]...)
	for _, name := range names {
		out = append(out, name...)
	}
	return out
}

// join returns the content that a list describes. It gets the pieces by their names. It fails with [ErrForeign] if a
// piece is missing or wrong.
func join(list []byte, pieces map[string][]byte) ([]byte, error) {
	if len(list) < sha256.Size || (len(list)-sha256.Size)%pieceName != 0 {
		return nil, ErrForeign
	}
	sum, names := list[:sha256.Size], list[sha256.Size:]
	var content []byte
	for ; len(names) > 0; names = names[pieceName:] {
		piece, ok := pieces[string(names[:pieceName])]
		if !ok {
			return nil, ErrForeign
		}
		content = append(content, piece...)
	}
	if got := sha256.Sum256(content); !bytes.Equal(got[:], sum) {
		return nil, ErrForeign
	}
	return content, nil
}

// zip and unzip compress and decompress pieces. They are safe for concurrent use.
var zip = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(mostAverage*mostFactor), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
})

var unzip = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostAverage*mostFactor))
})

// The first byte of a piece in the store.
const (
	plain  = 0
	zipped = 1
)

// squeeze returns a piece as it is stored: compressed, if that makes it smaller.
func squeeze(piece []byte) ([]byte, error) {
	z, err := zip()
	if err != nil {
		return nil, err
	}
	if out := z.EncodeAll(piece, []byte{zipped}); len(out) <= len(piece) {
		return out, nil
	}
	return append([]byte{plain}, piece...), nil
}

// unsqueeze undoes squeeze.
func unsqueeze(stored []byte) ([]byte, error) {
	switch {
	case len(stored) > 0 && stored[0] == plain:
		return stored[1:], nil
	case len(stored) > 0 && stored[0] == zipped:
		z, err := unzip()
		if err != nil {
			return nil, err
		}
		piece, err := z.DecodeAll(stored[1:], nil)
		if err != nil {
			return nil, ErrForeign
		}
		return piece, nil
	}
	return nil, ErrForeign
}
