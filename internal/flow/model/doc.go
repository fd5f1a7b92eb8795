// Package model knows what everybody writes, and so what says nothing about
// where a text came from.
//
// It holds three small tables, made by `make model` from several hundred
// packages that may be redistributed (gen/sources.tsv lists them, with version,
// licence and hash):
//
//   - [Stop]: the k-grams that independent projects have in common, which are
//     licences, headers, imports, idioms, stack traces and phrases;
//   - [Known]: their words;
//   - [Cost]: how surprising a letter is after the two before it.
//
// The tables are embedded and read where they lie: starting the program costs
// nothing. [Stop] and [Known] never miss what was put in; of all else [Stop] takes
// one in 2,000 for common, and [Known] one in 120.
package model
