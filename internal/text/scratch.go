package text

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// decoderScratch is the pooled state for decoding a JSON value, because allocating it takes longer than decoding a
// small value.
type decoderScratch struct {
	dec   *jsontext.Decoder
	bytes bytes.Buffer
	stack []frame
}

var decoderPool = sync.Pool{New: func() any {
	s := &decoderScratch{stack: make([]frame, 0, 8)}
	s.dec = jsontext.NewDecoder(&s.bytes)
	return s
}}

// reset prepares the decoder for raw.
func (s *decoderScratch) reset(raw []byte, opts ...jsontext.Options) *jsontext.Decoder {
	s.bytes = *bytes.NewBuffer(raw)
	s.dec.Reset(&s.bytes, opts...)
	return s.dec
}

// maxFrames is the maximum capacity of a stack that is kept in the pool.
const maxFrames = 64

// release returns the scratch to the pool, without the value it decoded.
func (s *decoderScratch) release() {
	s.reset(nil)
	if cap(s.stack) > maxFrames {
		s.stack = make([]frame, 0, 8)
	}
	clear(s.stack[:cap(s.stack)])
	decoderPool.Put(s)
}
