// Package match recognises data of earlier results in later arguments.
//
// An [Index] holds hashes of the results of one session, and no plaintext. A [Query] is a document that is compared
// with an index. Texts are compared by their skeletons: their letters and digits, folded (package gram). Each way of
// recognising data has its own file:
//
//	exact.go        the full content, a field or an unbroken word is repeated
//	                completely (spec-027, FR-010 to FR-013)
//	fingerprint.go  a stretch of text is repeated: winnowed k-grams, weighed in
//	                evidence.go
//	stream.go       pieces of a text are sent in several calls of one tool
//	rot13.go        a part of a text is encoded in rot13
//	published.go    a secret that is public together with its context is no hit
//
// Package value recognises single values, records and pieces of secrets. Package table stores the hashes.
//
// The letters of a text are read once. A stretch that occurs unchanged in several pieces of a query is compared in one
// of them. In the others only its ends are compared, because they may continue with other text.
//
// Guarantee: if an argument repeats a run of [gram.Shared] (32) letters and digits of a result, the run becomes a
// candidate. This holds in any case, spacing and punctuation, forwards or backwards, in every encoding that
// internal/text undoes, cut into the items of a list, or spread over the calls of one tool. Rot13 is undone only for
// texts that look like it. For a secret that looks random and has at least twelve letters, a part is enough, even in
// several calls: twelve letters or two in five, whichever is more. Evicted results are not covered.
//
// A candidate is a hit if it carries [threshold] bits of evidence. Each letter carries the information that
// internal/flow/model gives it. Some text carries none: common phrases (stop k-grams), text that the agent may have
// from elsewhere (the public set), and names of members. References in a result (URLs, paths, UUIDs, dates) are not
// stored at all. Text of the arguments that looks like a reference loses at most half of its weight, because a sender
// can make any text look like a path.
//
// Not recognised: the same meaning in other words, encryption, alphabets that the agent invents, letters mixed with
// filler, and prose of fewer than 32 letters.
//
// Sources: S. Schleimer, D. Wilkerson, A. Aiken, Winnowing (SIGMOD 2003); exact data matching of records as in data
// loss prevention; RFC-004, phase 5.
package match
