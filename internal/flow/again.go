package flow

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/text"
)

const (
	// minEcho is the number of bytes from which a result that repeats data of a call counts as an echo.
	minEcho = 32
	// nearly is the percentage of a result that an earlier result must contain to count as the same document.
	nearly = 80
)

// again compares a result with the session's earlier results. A document that is read under several names counts as
// one document, so reading it often does not make its text common. An external result that echoes a call does not make
// the call's data public: a page may repeat a query, and a channel may show a message that was posted.
func (s *Session) again(p Transfer, l *Limits, source *match.Source) {
	if len(s.origins) == 0 {
		return
	}
	size := 0
	for _, part := range p.Doc.Parts {
		if part.Kind == text.Value {
			size += lettersIn(part.Text)
		}
	}
	if size < minEcho {
		return
	}
	source.Read = match.NewQuery(p.Doc, nil, l.options(p))
	for _, h := range s.contents.Resembling(source.Read) {
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

// lettersIn counts the letters and digits of a text. Only these are compared.
func lettersIn(s string) (n int) {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
		i += size
	}
	return n
}

// carried reports whether a call carried data of an origin.
func (s *Session) carried(o *mcpproxy.Origin) bool {
	return slices.ContainsFunc(s.moves, func(m Move) bool { return m.From.CallID == o.CallID })
}
