package flow

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/text"
)

// ranks lists the kinds of matches, the strongest first.
var ranks = []string{
	"secret",
	"shards",
	"full",
	"field",
	"normalized",
	"word",
	"fingerprint",
	"record",
	"numbers",
	"value",
}

// edges combines hits into one edge for each origin. It also returns the secrets that the arguments contain
// completely.
func (s *Session) edges(p Transfer, hits []match.Hit) ([]mcpproxy.Edge, []Secret) {
	slices.SortStableFunc(hits, func(a, b match.Hit) int {
		return cmp.Or(
			cmp.Compare(a.Source, b.Source),
			cmp.Compare(slices.Index(ranks, a.Match), slices.Index(ranks, b.Match)),
		)
	})
	sources := 0
	for i := range hits {
		if i == 0 || hits[i-1].Source != hits[i].Source {
			sources++
		}
	}
	var out []mcpproxy.Edge
	if sources > 0 {
		out = make([]mcpproxy.Edge, 0, sources)
	}
	var known []Secret
	for i, h := range hits {
		o := s.origins[h.Source]
		if o == nil {
			continue
		}
		if h.Category != "" && h.Value != "" && len(h.Spans) > 0 {
			known = append(known, Secret{Value: h.Value, Category: h.Category, Part: h.Spans[0].Part})
		}
		if i == 0 || hits[i-1].Source != h.Source {
			out = append(out, p.edge(o, h))
		}
		e := &out[len(out)-1]
		e.Beside = e.Beside || h.Category == "" && p.beside(h, hits)
		if h.Category != "" && !slices.Contains(e.Sensitive, h.Category) {
			e.Sensitive = append(e.Sensitive, h.Category)
		}
		e.Risk = riskOf(e.Type, len(e.Sensitive) > 0)
	}
	if len(p.Secrets) == 0 && len(known) == 0 {
		for i := range out {
			out[i].Beside = false // without a secret, there is nothing beside it
		}
	}
	return out, known
}

// maxBeside is the number of bytes around a secret that belong to its notation: its name, quotes, the beginning of a
// header.
const maxBeside = 24

// beside reports whether a hit matches data other than the secrets among all hits.
func (p Transfer) beside(h match.Hit, all []match.Hit) bool {
	if len(h.Spans) == 0 {
		return true
	}
	for _, s := range h.Spans {
		around := func(o text.Span) bool {
			return o.Part == s.Part && s.Start >= o.Start-maxBeside && s.End <= o.End+maxBeside
		}
		near := func(other match.Hit) bool {
			return other.Category != "" && slices.ContainsFunc(other.Spans, around)
		}
		if !slices.ContainsFunc(all, near) &&
			!slices.ContainsFunc(p.Secrets, func(o Secret) bool { return slices.ContainsFunc(o.Spans, around) }) {
			return true
		}
	}
	return false
}

// edge returns the movement that a hit shows.
func (p Transfer) edge(o *mcpproxy.Origin, h match.Hit) mcpproxy.Edge {
	e := mcpproxy.Edge{
		From:       *o,
		To:         cmp.Or(p.Call.Server, p.Call.Tool),
		ToSide:     p.Class.Side,
		Type:       TypeOf(o.Side, p.Class),
		Match:      h.Match,
		Decoded:    h.Decoded,
		Bytes:      h.Bytes,
		Bits:       h.Bits,
		Confidence: confidence(h),
	}
	if len(h.Spans) > 0 {
		span := h.Spans[0]
		part := p.Doc.Parts[span.Part]
		e.Path = p.path(part)
		e.Start = span.Start
		e.End = span.End
		stretch := part.Text[span.Start:span.End]
		if e.Evidence = p.shown(stretch); h.Category != "" && (p.Mask == nil || p.Mask(stretch) == stretch) {
			e.Evidence = "[" + h.Category + "]" // the caller's mask does not know that this value is a secret
		}
	}
	return e
}

// The confidence of a match by the number of bits that match. The values are measured on cases in a session with
// thousands of results.
const (
	surely    = 0.99 // a secret, or the same text
	likely    = 0.98 // 80 bits and more
	plausible = 0.9
	assumed   = 0.5 // the origin was lost
	muchBits  = 80
)

func confidence(h match.Hit) float64 {
	switch {
	case h.Bits == 0:
		return surely
	case h.Bits >= muchBits:
		return likely
	}
	return plausible
}

const (
	shownEnds = 3  // characters of evidence shown at each end
	minShown  = 12 // below this length nothing is shown
	maxMasked = 80 // bytes of a masked secret that are shown unchanged
)

// shown returns a span of the arguments as evidence: its two ends, or the masked form of a secret.
func (p Transfer) shown(s string) string {
	if p.Mask != nil {
		masked := p.Mask(s)
		if masked != s && len(masked) <= maxMasked && !holdsToken(masked) {
			return masked
		}
		s = masked
	}
	if len(s) < minShown*utf8.UTFMax && utf8.RuneCountInString(s) < minShown {
		return "…"
	}
	start, end := 0, len(s)
	for range shownEnds {
		_, size := utf8.DecodeRuneInString(s[start:])
		start += size
		_, size = utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return s[:start] + "…" + s[end:]
}

// holdsToken reports whether a masked text contains a long run of characters that is not a placeholder. The run may be
// the rest of a secret, even of one that is written with spaces.
func holdsToken(masked string) bool {
	for more := true; more; {
		var plain string
		plain, masked, more = strings.Cut(masked, "[")
		if letters(plain) >= minShown {
			return true
		}
		_, masked, _ = strings.Cut(masked, "]")
	}
	return false
}

// letters returns the number of bytes of s that are not white space.
func letters(s string) (n int) {
	for w := range strings.FieldsSeq(s) {
		n += len(w)
	}
	return n
}

func (p Transfer) path(part text.Part) string {
	if p.Name == nil {
		return p.Doc.Path(part)
	}
	return p.Doc.Paths(p.Name)(part)
}

// TypeOf returns the flow type for data that moves from a side to a destination (FR-023). Hybrid counts as the side
// that makes the flow more dangerous.
func TypeOf(from mcpproxy.Side, to mcpproxy.Class) mcpproxy.FlowType {
	fromInternal := from != mcpproxy.External
	toExternal := to.Side == mcpproxy.External || to.Side == mcpproxy.Hybrid
	switch {
	case fromInternal && toExternal:
		return mcpproxy.InternalToExternal
	case fromInternal:
		return mcpproxy.InternalToInternal
	case toExternal:
		return mcpproxy.ExternalToExternal
	}
	return mcpproxy.ExternalToInternal
}

// riskOf returns the risk level of a flow (FR-024).
func riskOf(t mcpproxy.FlowType, sensitive bool) mcpproxy.RiskLevel {
	switch {
	case t != mcpproxy.InternalToExternal:
		return mcpproxy.RiskNone
	case sensitive:
		return mcpproxy.RiskCritical
	}
	return mcpproxy.RiskMedium
}
