package match

import (
	"slices"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// published reports whether the secret at a place of a query is public, such as an example in a manual or a key for
// tests. The secret is public if an external result contains it together with the text around it, because the whole
// text may then come from that result. The user's own words do not make a secret public. A secret that a call has
// carried is never public (value.Values ensures this), because it may have come back from where it was sent.
func (x *Index) published(q *Query, at value.Place) bool {
	if q.open(at) {
		return true
	}
	const around = gram.K - 1 // letters beside the secret that share a k-gram with it
	l := q.readings[at.Reading].Of
	from, to := l.Within(at.Start, at.End)
	start, end := max(from-around, 0), min(to+around, len(l.Skeleton))
	if from-start < around && end-to < around {
		return false
	}
	hashes := gram.Hashes(nil, l.Skeleton[start:end])
	if slices.ContainsFunc(hashes, func(h uint64) bool { return !x.public.Has(h) }) ||
		!slices.ContainsFunc(hashes, x.fromOutside) {
		return false
	}
	q.published = append(q.published, q.spans(at)...)
	return true
}

// fromOutside reports whether an external result contains a k-gram.
func (x *Index) fromOutside(h uint64) bool {
	return slices.ContainsFunc(x.holders(h), func(ref uint16) bool { return x.sources[ref].public })
}

// open reports whether a place of the query lies in a public text, in any encoding.
func (q *Query) open(at value.Place) bool {
	spans := q.spans(at)
	for _, s := range spans {
		covers := func(p text.Span) bool {
			return p.Part == s.Part && p.Start <= s.Start && s.End <= p.End
		}
		if !slices.ContainsFunc(q.published, covers) {
			return false
		}
	}
	return len(spans) > 0
}

// spans returns the spans of the document from which a place of the query was read.
func (q *Query) spans(at value.Place) []text.Span {
	return q.readings[at.Reading].Of.View.Spans(at.Start, at.End)
}
