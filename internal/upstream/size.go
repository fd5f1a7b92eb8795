package upstream

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy/internal/wire"
)

// Sizes limit one answer of a server, in bytes. A zero value means the default.
type Sizes struct {
	Text   int // of the answer without its binary content; 10 MB
	Binary int // of its binary content, decoded; 1 MB
	// Paged limits a tool's result, without its binary content, that the caller divides into pages; 15 MB, or half as
	// much again as Text if that is more.
	Paged int
}

const (
	defaultText   = 10 << 20
	defaultPaged  = 15 << 20
	defaultBinary = 1 << 20
	// envelope is the allowance for a message around its answer.
	envelope = 64 << 10
)

func (s Sizes) settled() Sizes {
	if s.Text <= 0 {
		s.Text = defaultText
	}
	if s.Binary <= 0 {
		s.Binary = defaultBinary
	}
	if s.Paged <= 0 {
		s.Paged = max(defaultPaged, s.Text+s.Text/2)
	}
	s.Paged = max(s.Paged, s.Text)
	return s
}

// Over reports whether a result is over the limit of one answer. Results of tools may be, up to Paged: the caller
// has to divide or refuse them.
func (s Sizes) Over(result []byte) bool {
	return len(result) > s.Text && len(result)-binary(result) > s.Text
}

// Megabytes formats a size for people.
func Megabytes(bytes int) string {
	return strconv.FormatFloat(math.Round(float64(bytes)/(1<<20)*1000)/1000, 'f', -1, 64) + " MB"
}

// HasBinary reports whether a block of content holds binary content.
func HasBinary(block []byte) bool { return binary(block) > 0 }

// Sizes returns the limits of the server's answers.
func (s *Server) Sizes() Sizes { return s.sizes }

// frame returns the longest message that is read at all. Base64 makes four bytes of three.
func (s Sizes) frame() int { return s.Paged + (s.Binary+2)/3*4 + envelope }

// single returns the longest message that cannot be divided into pages: a request or a notification.
func (s Sizes) single() int { return s.Text + (s.Binary+2)/3*4 + envelope }

// sizeError says that an answer is over a limit.
type sizeError struct {
	what       string
	size, most int
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("%d bytes of %s, where %d are allowed", e.size, e.what, e.most)
}

// padding is the allowance for the characters around a Base64 string, in bytes.
const padding = 2

// check measures an answer. It does not parse an answer that is too short to exceed a limit.
func (s Sizes) check(m *wire.Message) error {
	if len(m.Raw) <= min(s.Text, s.Binary) || m.Result == nil {
		return nil
	}
	encoded := binary(m.Result)
	if n := encoded/4*3 - padding; n > s.Binary {
		return &sizeError{"binary content", n, s.Binary}
	}
	most := s.Text
	if content := wire.Member(m.Result, "content"); len(content) > 0 && content[0] == '[' {
		most = s.Paged
	}
	if n := len(m.Result) - encoded; n > most {
		return &sizeError{"text", n, most}
	}
	return nil
}

// binary counts the characters of Base64 in a result: those of every member called blob, and of
// data next to a MIME type, as in images and audio.
func binary(result []byte) (n int) {
	dec := jsontext.NewDecoder(bytes.NewReader(result))
	var open []content
	for {
		kind := dec.PeekKind()
		depth := len(open)
		isName := depth > 0 && open[depth-1].object && open[depth-1].named
		start := dec.InputOffset()
		tok, err := dec.ReadToken()
		if err != nil {
			return n // the end; the message was already validated
		}
		switch {
		case kind == '{' || kind == '[':
			open = append(open, content{object: kind == '{', named: kind == '{'})
			continue
		case kind == '}' || kind == ']':
			n += open[depth-1].binary()
			open = open[:depth-1]
		case isName:
			open[depth-1].name, open[depth-1].named = tok.String(), false
			continue
		case depth > 0 && kind == '"':
			open[depth-1].text(int(dec.InputOffset() - start))
		}
		if depth = len(open); depth > 0 {
			open[depth-1].named = open[depth-1].object // a member's name comes next
		}
	}
}

// content is an object or array that is being read.
type content struct {
	object, named bool
	name          string
	typed         bool // it has a MIME type
	data, blob    int  // lengths
}

// text records a string of the given length.
func (c *content) text(length int) {
	switch c.name {
	case "mimeType":
		c.typed = true
	case "data":
		c.data = length
	case "blob":
		c.blob = length
	}
}

func (c *content) binary() int {
	if c.typed {
		return c.data + c.blob
	}
	return c.blob
}
