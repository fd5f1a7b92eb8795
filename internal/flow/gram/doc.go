// Package gram computes hashes by which texts are compared piece by piece.
//
// A text is first reduced to its skeleton ([mcpproxy/internal/text.AppendLetters]): its letters and digits, folded.
// Every run of [K] bytes of the skeleton is a k-gram. The hash of a k-gram is the same forwards and backwards, so a
// reversed copy of a text has the same hashes. [Winnow] selects some of the hashes by their values alone. Two texts
// that share a run of [K]+[W]-1 bytes or more always select a common hash (S. Schleimer, D. Wilkerson, A. Aiken:
// Winnowing, SIGMOD 2003). Texts that share fewer than [K] bytes have no hash in common.
//
// A selection with a wider window is a subset of the selection with a narrower one. A text that was indexed with a
// wide window is therefore found by a search with a narrow one.
package gram
