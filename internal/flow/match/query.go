package match

import (
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// Options says how texts are read. Indexes that are compared with the same [Query] must have the same options.
type Options struct {
	MinLength int // texts with fewer characters are not compared for equality
	MaxBytes  int // bytes of one document that are read
}

// Secret is a value that a detector found to be a secret or personal data.
type Secret = value.Secret

// Query is a document for comparison. It can be compared with several indexes.
type Query struct {
	doc      *text.Document
	options  Options
	secrets  []Secret
	prints   []print
	pieces   []piece
	readings []value.Reading // set by the method read
	// published are the positions of secrets that are public in this context.
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
	return q
}

// read returns the texts of the document, as they are and decoded. Values are looked up in them.
func (q *Query) read() []value.Reading {
	if q.readings != nil {
		return q.readings
	}
	views := q.doc.Views()
	known := make(map[*text.View]*value.Letters, len(views))
	for i := range q.pieces {
		for _, s := range q.pieces[i].segments {
			known[s.of.View] = s.of
		}
	}
	q.readings = make([]value.Reading, 0, len(views))
	for _, v := range views {
		l := known[v]
		if l == nil {
			l = value.FreshLetters(v)
		}
		q.readings = append(q.readings, value.ReadingOf(l, q.doc.Field(q.doc.Parts[v.Part])))
	}
	return q.readings
}

// Hit is a match between a document and one source.
type Hit struct {
	Source int // the id passed to [Index.Add]
	// Match is the way in which the data was recognised: secret, full, field, normalized, word, fingerprint, record,
	// numbers, value or shards.
	Match    string
	Bits     float64 // the information that matches, in bits; 0 if the match is certain
	Category string  // the category of a secret; "" otherwise
	Value    string  // the secret as it occurs in the document, if it was found whole
	Spans    []text.Span
	Decoded  string // the encodings that were undone, outermost first
	Bytes    int    // length of the match
}
