// Package surprise says how much a token of an address tells whoever serves it: nothing for a
// known word, little for one that could be a word, a year or a short number, and all that fits
// in for what looks drawn by chance. The unit is the bit.
//
// The guarantee: an answer depends on the token and on the tables of [mcpproxy/internal/flow/model]
// alone.
package surprise
