package table

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
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
			panic(err) // the caller passed a value without a fixed size
		}
	}
}

// PutAll appends many numbers. It allocates only if the capacity of e is too small.
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

// putSparse appends words, many of which may be zero. It writes the number of words that are not zero. For every eight
// words it then writes a byte that marks those that are not zero, followed by these words.
func putSparse(e *Encoder, words []uint64) {
	set := 0
	for _, w := range words {
		if w != 0 {
			set++
		}
	}
	PutAll(e, uint32(set))
	b := *e
	for i := 0; i < len(words); i += 8 {
		at := len(b)
		b = append(b, 0)
		for k, w := range words[i:min(i+8, len(words))] {
			if w != 0 {
				b[at] |= 1 << k
				b = binary.LittleEndian.AppendUint64(b, w)
			}
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
	masks, saved := (n+7)/8, d.filled(n, 8)
	if d.Err != nil {
		return nil
	}
	words := make([]uint64, 8*masks)
	for at, entry := range saved.slots(masks, 8) {
		if words[at] = binary.LittleEndian.Uint64(entry); at >= n || words[at] == 0 {
			d.Fail()
			return nil
		}
	}
	return words[:n]
}

// filled is the encoded content of slots, in groups of eight. Each group is a byte that marks the filled slots,
// followed by their content.
type filled []byte

// filled reads the number of filled slots, and then the content of n slots. It checks that the content is complete.
func (d *Decoder) filled(n, size int) filled {
	masks := (n + 7) / 8
	all := filled(Read[byte](d, masks+d.Count(8*masks)*size))
	at := 0
	for range masks {
		if at >= len(all) {
			d.Fail()
			return nil
		}
		at += 1 + size*bits.OnesCount8(all[at])
	}
	if at != len(all) {
		d.Fail()
		return nil
	}
	return all
}

// slots yields the filled slots of some groups, each with its content.
func (f filled) slots(groups, size int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		at := 0
		for group := range groups {
			mask := f[at]
			at++
			for ; mask != 0; mask &= mask - 1 {
				if !yield(8*group+bits.TrailingZeros8(mask), f[at:at+size]) {
					return
				}
				at += size
			}
		}
	}
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

// Read reads n values in parts, so that a wrong count does not allocate much memory.
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
