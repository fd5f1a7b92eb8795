// Package model has statistics about common text. Common text does not identify the source from which it was copied.
//
// It holds three small tables. `make model` generates them from several hundred packages that may be redistributed
// (gen/sources.tsv lists them, with version, licence and hash):
//
//   - [Stop]: the k-grams that independent projects have in common, which are
//     licences, headers, imports, idioms, stack traces and phrases;
//   - [Known]: the words that they have in common;
//   - [Cost]: the information of a letter, given the two letters before it.
//
// The tables are embedded and used in place, so they do not slow down the start of the program. [Stop] and [Known] are
// Bloom filters. They contain every entry. By mistake they also contain one in 2,000 other k-grams ([Stop]) or one in
// 120 other words ([Known]).
package model
