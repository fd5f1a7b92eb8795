package match

import (
	"maps"
	"slices"

	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// joinedPieces returns two pieces: all values of a document, and all its names. Each may contain a text that no single
// value or name contains. Values that name the destination are left out.
func joinedPieces(doc *text.Document, plain []*value.Letters) (values, names piece) {
	values.joined = true
	for i, part := range doc.Parts {
		l := plain[i]
		switch {
		case l == nil || part.Kind == text.Number:
		case part.Kind == text.Key:
			names.add(l)
		case !addressing(doc.Field(part), part.Text):
			values.addEnds(l)
			values.segments[len(values.segments)-1].common = common(part.Text)
		}
	}
	return values, names
}

// decodedPieces appends the decoded texts: each text, and all texts with the same encoding joined. They are joined,
// because a sender can encode a text in pieces.
func decodedPieces(dst []piece, doc *text.Document, seen map[uint64]bool) []piece {
	whole := map[string]*piece{}
	for _, v := range doc.Views() {
		if !reveals(v) {
			continue
		}
		p := piece{decoded: disguises(v.How), field: doc.Field(doc.Parts[v.Part])}
		l := value.FreshLetters(v)
		p.add(l)
		dst = appendPiece(dst, p, seen)
		if whole[v.How] == nil {
			whole[v.How] = &piece{decoded: p.decoded}
		}
		whole[v.How].add(l)
	}
	for _, how := range slices.Sorted(maps.Keys(whole)) {
		if p := whole[how]; len(p.segments) > 1 {
			dst = appendPiece(dst, *p, seen)
		}
	}
	return dst
}
