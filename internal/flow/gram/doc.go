// Package gram makes texts comparable piece by piece.
//
// A text is reduced to its skeleton ([mcpproxy/internal/text.AppendLetters]):
// letters and digits, folded. Every run of [K] bytes of the skeleton is a k-gram,
// and has a hash that is the same forwards and backwards, so that a reversed copy
// is no other text. [Winnow] picks some of the hashes, by their values alone: two
// texts that share a run of [K]+[W]-1 bytes or more always pick one in common
// (S. Schleimer, D. Wilkerson, A. Aiken: Winnowing, SIGMOD 2003), and of texts
// that share less than [K] bytes none is the same.
//
// A selection with a wider window is a part of the selection with a narrower one:
// what was indexed sparsely is found by whoever looks densely.
package gram
