package match

import (
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// Options are how texts are read. Indexes that are asked the same [Query] have
// the same options.
type Options struct {
	MinLength int // characters below which a text is not recognised by being equal
	MaxBytes  int // of one document
}

// Secret is a value that a detector called a secret or personal data.
type Secret = value.Secret

// Query is a document as it is compared. It can be asked of several indexes.
type Query struct {
	doc     *text.Document
	options Options
	secrets []Secret
	prints  []print
	pieces  []piece
	// readings are the texts and what they become when disguises are undone.
	readings []value.Reading
	// published is where secrets stand that strangers publish as they stand there.
	published []text.Span
}

// NewQuery reads a document and the secrets that were found in it.
func NewQuery(doc *text.Document, secrets []Secret, o Options) *Query {
	q := &Query{
		doc:     doc,
		options: o,
		secrets: secrets,
		prints:  prints(doc, o),
		pieces:  queryPieces(doc),
	}
	known := map[*text.View]*value.Letters{}
	for i := range q.pieces {
		for _, s := range q.pieces[i].segments {
			known[s.of.View] = s.of
		}
	}
	for _, v := range doc.Views() {
		l := known[v]
		if l == nil {
			l = value.FreshLetters(v)
		}
		q.readings = append(q.readings, value.ReadingOf(l, doc.Field(doc.Parts[v.Part])))
	}
	return q
}

// Hit is what a document has in common with one source.
type Hit struct {
	Source int // as it was named to [Index.Add]
	// Match is how it was recognised: secret, full, field, normalized, word, fingerprint, record, numbers, value or
	// shards.
	Match    string
	Bits     float64 // the information that agrees; 0 when it is certain
	Category string  // of a secret; "" otherwise
	Value    string  // a secret as it stands in the document, when it was found whole
	Spans    []text.Span
	Decoded  string // the disguises undone to see it, outermost first
	Bytes    int    // length of what agrees
}
