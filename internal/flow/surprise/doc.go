// Package surprise estimates how much information a token of an address gives to its server, in bits. A known word, a
// token that may be a word, and a year or another short number give little. A token that looks random gives the full
// capacity of its characters.
//
// Guarantee: the result depends only on the token and on the tables of [mcpproxy/internal/flow/model].
package surprise
