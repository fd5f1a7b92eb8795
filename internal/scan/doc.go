// Package scan finds hidden instructions in the texts that an agent reads: sentences
// that are addressed to the agent, and characters that people cannot see.
//
// [Content] reads the views of a [text.Document], a tool's result, a resource
// or a prompt, and answers with [Finding]s. It works in three steps, each in
// time linear in the text.
//
//  1. The reader cuts a view into words and gives each its meanings: a word of
//     the lexicons (english.go, german.go, …), also misspelt by one letter, in
//     leet digits or with look-alike letters, becomes a mark that carries
//     concepts such as ignore, prior or instruction.
//  2. Rows (rows_*.go) are short sequences of concepts with bounded gaps.
//     One pass over the marks advances every row at once; there is no
//     backtracking. A row knows no language: each language only adds words.
//     A loose row asks for its concepts in any order, within a sentence or two.
//  3. Shapes (markup.go, hidden.go, ansi.go, …) look at the few places where
//     markup, links, commands or invisible characters begin.
//
// Where a phrase stands decides what it is worth. A sentence quoted in a text
// about attacks is a sign and no proof; the same sentence inside an HTML
// comment, or one that appears only after decoding, is proof.
//
// A hard finding is near certain by itself. Soft findings are hints that add
// up when different checks agree close to each other; [Injected] draws the line.
//
// The room's guarantee: it reaches nothing (no network, no files, no
// processes), it never panics, equal documents give equal findings in equal
// order, and every span lies inside the part it names.
//
// Another room that reads other texts makes a [Grammar] of its own: these words
// and rows, and more. The package definition reads tool definitions so.
//
// To add a phrase, add a word to a lexicon or a row to a table, and cases that
// must and must not match to testdata/content.
package scan
