package wire

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// reader is what reading one JSON value needs and the next one can use again: most
// messages are small, and to make it anew costs more than they do.
type reader struct {
	dec   *jsontext.Decoder
	bytes bytes.Buffer
}

var readers = sync.Pool{New: func() any {
	r := &reader{}
	r.dec = jsontext.NewDecoder(&r.bytes)
	return r
}}

// open makes raw what is read.
func (r *reader) open(raw []byte, opts ...jsontext.Options) *jsontext.Decoder {
	r.bytes = *bytes.NewBuffer(raw)
	r.dec.Reset(&r.bytes, opts...)
	return r.dec
}

// leave gives the reader back, without the value that it has read.
func (r *reader) leave() {
	r.open(nil)
	readers.Put(r)
}
