// Package surprise estimates how much information a token of an address gives to its server, in bits. A known word
// gives little, and so do a token that may be a word, a year and a short number. A token that looks random gives the
// full capacity of its characters.
//
// Guarantee: the result depends only on the token and on the tables of [mcpproxy/internal/flow/model].
package surprise
