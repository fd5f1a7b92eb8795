// Package match recognises data of earlier results in later arguments.
//
// An [Index] holds what one session has met, in a form that can be recognised and
// not be read: hashes, and no plaintext of a result. A [Query] is a document that
// is compared with it. Each way of recognising has its own file:
//
//	exact.go        the full content, a field or an unbroken word comes back
//	                whole (spec-027, FR-010 to FR-013)
//	fingerprint.go  a stretch of text comes back: winnowed k-grams, weighed in
//	                evidence.go
//	stream.go       pieces of a text, over the calls of one tool
//	rot13.go        a turned text that hides among others
//	published.go    a secret that strangers publish, with its surroundings: no hit
//
// Single values, records and secrets in pieces are internal/flow/value's; what hashes
// are kept in is internal/flow/table's.
//
// The letters of a text are read once, and what stands in several
// pieces of a query as it is, is compared in one of them: in the others only its
// ends are, with which something else may go on.
//
// The guarantee: a run of [gram.Shared] (32) letters and digits of a result that
// comes back in an argument is seen as a candidate, in any case, spacing and
// punctuation, forwards or backwards, in every disguise that internal/text undoes,
// cut into the items of a list, or over the calls of one tool. (Rot13 is undone
// for texts that look like it.) Of a secret that looks random, of twelve letters or
// more, twelve of them or two in five, whichever is more, are recognised, even over
// several calls. What was evicted is not.
//
// A candidate is a hit when it carries [threshold] bits of evidence. Letters carry
// the information that internal/flow/model gives them, but for what everybody
// writes (stop k-grams), what the agent may have from elsewhere (the public set),
// names of members, and what the result itself only points at (URLs, paths, UUIDs,
// dates), which is not kept at all. Masks by the looks of the arguments take away
// half at most: whoever sends something can make any text look like a path.
//
// Not recognised: the same meaning in other words, encryption, alphabets of the
// agent's own, letters mixed with filler, and prose below 32 letters.
//
// Sources: S. Schleimer, D. Wilkerson, A. Aiken, Winnowing (SIGMOD 2003); exact
// data matching of records as data loss prevention does it; RFC-004, phase 5.
package match
