// Package scan finds hidden instructions in the texts that an agent reads: sentences that are addressed to the agent,
// and characters that people cannot see.
//
// [Content] reads the views of a [text.Document] (a tool's result, a resource or a prompt) and returns [Finding]s. It
// works in three steps, each in time linear in the length of the text.
//
//  1. The reader splits a view into words and looks up their meanings. A word of the
//     lexicons (english.go, german.go, …) becomes a mark with concepts such as ignore, prior
//     or instruction. A word is also recognised if one letter is wrong, or with leet digits
//     or look-alike letters.
//  2. Rows (rows_*.go) are short sequences of concepts with bounded gaps. One pass over the
//     marks matches all rows at once, without backtracking. Rows do not depend on the
//     language: each language only adds words. A loose row matches its concepts in any
//     order, within a sentence or two.
//     Sentences that address a machine are also read by the roles of their words, in any order (mandate.go; the words
//     are in roles/).
//  3. Shapes (markup.go, hidden.go, ansi.go, …) examine the few positions at which markup,
//     links, commands or invisible characters begin.
//
// The weight of a phrase depends on its position. A sentence that is quoted in a text about attacks is weak evidence;
// the same sentence inside an HTML comment, or after decoding, is proof.
//
// A hard finding is near certain by itself. Soft findings are hints that add up if different checks match close
// together; [Injected] applies the threshold.
//
// Guarantees: the package has no side effects (no network, no files, no processes) and never panics. Equal documents
// give equal findings in equal order, and every span is inside its part.
//
// A package that reads other texts creates its own [Grammar] with additional words and rows, as package definition
// does for tool definitions.
//
// To add a phrase, add a word to a lexicon or a row to a table, and cases that must and must not match to
// testdata/content.
package scan
