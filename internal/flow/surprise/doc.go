// Package surprise estimates how much information a token of an address gives to its server, in bits: none for a
// known word; little for a token that could be a word, a year or a short number; and the full capacity of its
// characters for a token that looks random.
//
// Guarantee: the result depends only on the token and on the tables of [mcpproxy/internal/flow/model].
package surprise
