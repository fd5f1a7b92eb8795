package table

import (
	"encoding/binary"
	"errors"
	"io"
	"unsafe"
)

// Encoder is what was put into it, little endian.
type Encoder []byte

// Put adds values of fixed size, and slices of them.
func (e *Encoder) Put(values ...any) {
	for _, v := range values {
		var err error
		if *e, err = binary.Append(*e, binary.LittleEndian, v); err != nil {
			panic(err) // something without a fixed size was put in here
		}
	}
}

// PutAll adds many numbers. It allocates nothing where there is room.
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

// Decoder reads fixed-size values until something fails; then it gives zeroes.
type Decoder struct {
	R   io.Reader
	Err error
}

// Fail says that what was read cannot be.
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

// Count reads a number of things, of which there are at most limit.
func (d *Decoder) Count(limit int) int {
	var n uint32
	d.Get(&n)
	if d.Err != nil || int(n) > limit {
		d.Fail()
		return 0
	}
	return int(n)
}

// Read reads n values, a piece at a time: a wrong count costs no memory.
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

// errDamaged says that what was read is no index.
var errDamaged = errors.New("the saved index is damaged")
