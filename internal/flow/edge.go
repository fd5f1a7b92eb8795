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

// ranks orders the ways of recognising data: earlier ones tell more.
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

// edges joins hits into one edge for each origin, and lists the secrets that the
// arguments hold whole.
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
			out[i].Beside = false // there are no secrets
		}
	}
	return out, known
}

// maxBeside is how many bytes around a secret are what it is written with: its name, quotes,
// the beginning of a header.
const maxBeside = 24

// beside reports whether a hit shows other data than the secrets among all hits.
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

// edge is the movement that a hit shows.
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
			e.Evidence = "[" + h.Category + "]" // nobody but flow knows it for a secret here
		}
	}
	return e
}

// Confidence of what carries a certain amount of evidence, as measured on cases
// in a session of thousands of results.
const (
	surely    = 0.99 // a secret, or the same text
	likely    = 0.98 // 80 bits and more
	plausible = 0.9
	assumed   = 0.5 // the origin is lost
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
	shownEnds = 3  // characters of evidence that are shown at each end
	minShown  = 12 // characters below which nothing is shown
	maxMasked = 80 // bytes of a masked secret that are shown as they are
)

// shown is a stretch of the arguments as evidence: its two ends, or what is shown
// of a secret.
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

// holdsToken reports whether a masked text has that much text in a row that is no
// placeholder: it may be the rest of a secret whose beginning was left out, also of one
// that is spelled with spaces.
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

// letters is how many bytes of s are no white space.
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

// TypeOf is the flow type of data from one side to a destination (FR-023).
// What can be either side counts as the one that makes the flow worse.
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

// riskOf is the risk level of a flow (FR-024).
func riskOf(t mcpproxy.FlowType, sensitive bool) mcpproxy.RiskLevel {
	switch {
	case t != mcpproxy.InternalToExternal:
		return mcpproxy.RiskNone
	case sensitive:
		return mcpproxy.RiskCritical
	}
	return mcpproxy.RiskMedium
}
