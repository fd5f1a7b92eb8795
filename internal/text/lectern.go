package text

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// lectern is what reading a JSON value needs and the next one can use again: most
// values are small, and to make it anew costs more than they do.
type lectern struct {
	dec   *jsontext.Decoder
	bytes bytes.Buffer
	stack []frame
}

var lecterns = sync.Pool{New: func() any {
	l := &lectern{stack: make([]frame, 0, 8)}
	l.dec = jsontext.NewDecoder(&l.bytes)
	return l
}}

// open lays raw on the lectern.
func (l *lectern) open(raw []byte, opts ...jsontext.Options) *jsontext.Decoder {
	l.bytes = *bytes.NewBuffer(raw)
	l.dec.Reset(&l.bytes, opts...)
	return l.dec
}

// maxFrames is how deep a stack may have grown that is kept.
const maxFrames = 64

// leave gives the lectern back, without the value that lay on it.
func (l *lectern) leave() {
	l.open(nil)
	if cap(l.stack) > maxFrames {
		l.stack = make([]frame, 0, 8)
	}
	clear(l.stack[:cap(l.stack)])
	lecterns.Put(l)
}
