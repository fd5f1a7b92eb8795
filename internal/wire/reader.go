package wire

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// reader is a reusable decoder. Most messages are so small that creating a decoder would take longer than decoding.
type reader struct {
	dec   *jsontext.Decoder
	bytes bytes.Buffer
}

var readers = sync.Pool{New: func() any {
	r := &reader{}
	r.dec = jsontext.NewDecoder(&r.bytes)
	return r
}}

// open starts reading raw.
func (r *reader) open(raw []byte, opts ...jsontext.Options) *jsontext.Decoder {
	r.bytes = *bytes.NewBuffer(raw)
	r.dec.Reset(&r.bytes, opts...)
	return r.dec
}

// leave puts the reader back into the pool, without the value that it has read.
func (r *reader) leave() {
	r.open(nil)
	readers.Put(r)
}
