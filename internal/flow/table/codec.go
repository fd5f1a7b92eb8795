package table

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"unsafe"
)

// Encoder is a buffer of little-endian values.
type Encoder []byte

// Put appends values of fixed size, and slices of them.
func (e *Encoder) Put(values ...any) {
	for _, v := range values {
		var err error
		if *e, err = binary.Append(*e, binary.LittleEndian, v); err != nil {
			panic(err) // a value without a fixed size was passed
		}
	}
}

// PutAll appends many numbers. It does not allocate if there is room.
func PutAll[T uint8 | uint16 | uint32 | uint64](e *Encoder, values ...T) {
	b := *e
	for _, v := range values {
		switch unsafe.Sizeof(v) {
		case 1:
			b = append(b, uint8(v))
		case 2:
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		case 4:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		default:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	*e = b
}

// putSparse appends words, many of which may be zero: a bit for each, and then those that are not zero.
func putSparse(e *Encoder, words []uint64) {
	b := *e
	for i := 0; i < len(words); i += 8 {
		mask := uint8(0)
		for k, w := range words[i:min(i+8, len(words))] {
			if w != 0 {
				mask |= 1 << k
			}
		}
		b = append(b, mask)
	}
	for _, w := range words {
		if w != 0 {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	*e = b
}

// Decoder reads fixed-size values. After a failure it returns zeroes.
type Decoder struct {
	R   io.Reader
	Err error
}

// sparse reads n words that putSparse wrote.
func (d *Decoder) sparse(n int) []uint64 {
	masks := Read[uint8](d, (n+7)/8)
	set := Read[uint64](d, ones(masks))
	if d.Err != nil {
		return nil
	}
	words := make([]uint64, 8*len(masks))
	for i, mask := range masks {
		for ; mask != 0; mask &= mask - 1 {
			at := 8*i + bits.TrailingZeros8(mask)
			words[at], set = set[0], set[1:]
			if at >= n || words[at] == 0 {
				d.Fail()
				return nil
			}
		}
	}
	return words[:n]
}

// ones counts the bits that are set.
func ones(masks []uint8) (n int) {
	for _, mask := range masks {
		n += bits.OnesCount8(mask)
	}
	return n
}

// Fail records that the data is invalid.
func (d *Decoder) Fail() {
	if d.Err == nil {
		d.Err = errDamaged
	}
}

// Get reads values of fixed size into the variables that values point to.
func (d *Decoder) Get(values ...any) {
	for _, v := range values {
		if d.Err == nil {
			d.Err = binary.Read(d.R, binary.LittleEndian, v)
		}
	}
}

// Uvarint16 reads a number of 16 bits that [binary.AppendUvarint] wrote.
func (d *Decoder) Uvarint16() (n uint16) {
	for shift := 0; ; shift += 7 {
		var b uint8
		d.Get(&b)
		if shift > 14 || shift == 14 && b > 3 {
			d.Fail()
		}
		if d.Err != nil {
			return 0
		}
		if n |= uint16(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
}

// Count reads a count, which must be at most limit.
func (d *Decoder) Count(limit int) int {
	var n uint32
	d.Get(&n)
	if d.Err != nil || int(n) > limit {
		d.Fail()
		return 0
	}
	return int(n)
}

// Read reads n values in pieces, so that a wrong count allocates no memory.
func Read[T any](d *Decoder, n int) []T {
	const piece = 1 << 16
	var out []T
	for n > 0 && d.Err == nil {
		part := make([]T, min(n, piece))
		d.Get(part)
		out = append(out, part...)
		n -= len(part)
	}
	if d.Err != nil {
		return nil
	}
	return out
}

// errDamaged reports that the data is not an index.
var errDamaged = errors.New("the saved index is damaged")
