package frame

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Kind is the kind of a frame.
type Kind byte

// The kinds. The host sends Run, Value and Fault; the worker sends all others.
const (
	Run   Kind = 'r' // the script: JavaScript text
	Value Kind = 'v' // result of a call: JSON
	Fault Kind = 'f' // error of a call: JSON, a typed error

	Ready   Kind = 'a' // the worker is confined and ready: JSON, its layers
	Call    Kind = 'c' // a request of the script: JSON
	Console Kind = 'p' // a line the script prints: text
	Done    Kind = 'd' // the script's result: JSON; empty when it is undefined
	Thrown  Kind = 't' // the script failed: JSON, a typed error
)

// Frame is one message.
type Frame struct {
	Kind Kind
	ID   uint64 // of a call and its answer; otherwise 0
	Body []byte
}

// header is the size of kind and id, in bytes.
const header = 9

// MaxBody is the largest limit for bodies, in bytes.
const MaxBody = 1 << 30

// The errors of [Reader.Read] besides those of the pipe.
var (
	ErrTooLarge = errors.New("a frame is larger than allowed")
	ErrShort    = errors.New("a frame is shorter than its header")
)

// Reader reads frames.
type Reader struct {
	r     *bufio.Reader
	limit int
}

// NewReader returns a reader of frames whose bodies have at most limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{bufio.NewReader(r), min(limit, MaxBody)} // a small frame needs only one read
}

// step is the largest allocation before more bytes have arrived.
const step = 1 << 20

// Read returns the next frame. It returns io.EOF if the other side ended between two frames, and
// io.ErrUnexpectedEOF if it ended inside one.
func (r *Reader) Read() (Frame, error) {
	head, err := r.r.Peek(4 + header)
	if err != nil {
		if errors.Is(err, io.EOF) && len(head) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	length := int64(binary.BigEndian.Uint32(head[:4])) - header
	switch {
	case length < 0:
		return Frame{}, ErrShort
	case length > int64(r.limit):
		return Frame{}, fmt.Errorf("%w: %d bytes, %d are", ErrTooLarge, length, r.limit)
	}
	f := Frame{Kind: Kind(head[4]), ID: binary.BigEndian.Uint64(head[5:])}
	if _, err := r.r.Discard(len(head)); err != nil {
		return Frame{}, err
	}
	for int64(len(f.Body)) < length {
		at := len(f.Body)
		n := int(min(length-int64(at), max(step, int64(at))))
		f.Body = append(f.Body, make([]byte, n)...)
		if _, err := io.ReadFull(r.r, f.Body[at:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return Frame{}, err
		}
	}
	return f, nil
}

// Writer writes frames. It is safe for concurrent use: frames are never interleaved.
type Writer struct {
	mu    sync.Mutex
	w     io.Writer
	space []byte // buffer for small frames
}

// small is the size of the buffer, in bytes.
const small = 4 << 10

// NewWriter returns a writer of frames.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes one frame.
func (w *Writer) Write(f Frame) error {
	if len(f.Body) > MaxBody {
		return ErrTooLarge
	}
	w.mu.Lock() // lock before copying, so that only one waiting frame is in memory twice
	defer w.mu.Unlock()
	if n := 4 + header + len(f.Body); n > small {
		_, err := w.w.Write(Append(make([]byte, 0, n), f))
		return err
	}
	w.space = Append(w.space[:0], f)
	_, err := w.w.Write(w.space)
	return err
}

// Append appends a frame's bytes to dst.
func Append(dst []byte, f Frame) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(header+len(f.Body)))
	dst = append(dst, byte(f.Kind))
	dst = binary.BigEndian.AppendUint64(dst, f.ID)
	return append(dst, f.Body...)
}
