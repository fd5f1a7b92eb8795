package flow

import (
	"slices"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/text"
)

const (
	// minEcho is how many bytes of what a call has carried make an external result an echo.
	minEcho = 32
	// nearly is how much of a result, in percent, another one must say to be the same document.
	nearly = 80
)

// again compares a result with what the session has read before. A document that is read by
// many spellings of its name is one document, and does not become common by that. An external
// result that repeats what was read inside, as a page that repeats a query does, or a channel
// that shows what was posted, makes nothing public.
func (s *Session) again(p Transfer, l *Limits, source *match.Source) {
	size := 0
	for _, part := range p.Doc.Parts {
		if part.Kind == text.Value {
			size += lettersIn(part.Text)
		}
	}
	if size < minEcho || len(s.origins) == 0 {
		return
	}
	for _, h := range s.contents.Resembling(match.NewQuery(p.Doc, nil, l.options(p))) {
		o := s.origins[h.Source]
		if o == nil || h.Category != "" {
			continue
		}
		if o.Side != mcpproxy.External && h.Bytes >= minEcho && s.carried(o) {
			source.Public = false
		}
		if o.Server == p.Call.Server && 100*h.Bytes >= nearly*size {
			source.Same = h.Source
		}
	}
}

// lettersIn counts the letters and digits of a text, by which texts are compared.
func lettersIn(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// carried reports whether a call has carried data of an origin.
func (s *Session) carried(o *mcpproxy.Origin) bool {
	return slices.ContainsFunc(s.moves, func(m Move) bool { return m.From.CallID == o.CallID })
}
