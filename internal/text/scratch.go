package text

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// decoderScratch is the pooled state of decoding a JSON value: most values are small, and
// allocating it costs more than decoding them.
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

// reset makes the decoder read raw.
func (s *decoderScratch) reset(raw []byte, opts ...jsontext.Options) *jsontext.Decoder {
	s.bytes = *bytes.NewBuffer(raw)
	s.dec.Reset(&s.bytes, opts...)
	return s.dec
}

// maxFrames is how deep a stack may have grown that is kept.
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
