// Package definition finds what a server hid in the definitions it declares:
// its tools, its prompts and what it says about itself when a client connects.
//
// An agent reads every definition before any tool is called, so a poisoned one
// works without ever being used. [Scan] runs every check of [Checks] over every
// definition and answers with a [Report]: at most one [Finding] per definition,
// made of the [Signal]s of the checks.
//
// A hard signal is near certain by itself; the definition should be held until
// a person has looked (Finding.Hard, action "quarantine"). Soft signals are
// hints; they add up to a warning that is worse the more checks agree, and never
// hold anything back.
//
// The checks, one file each:
//
//	hidden.go      unicode.hidden, ansi.escape: what people do not see
//	shadowing.go   shadowing.cross_server: copies of other servers' tools, and words that steer them
//	payload.go     payload.decoded: commands and instructions that appear only after decoding
//	phrase.go      phrase.injection: attempts to take over the model
//	imperative.go  directive.imperative: side tasks; preference.manipulation: this tool before all others
//	capability.go  capability.mismatch: what a tool says it does and what it reaches for; surplus.go, its parameters
//	schema.go      schema.poisoned: instructions where a definition has no place for any
//	wording.go     wording.learned: sentences that are worded as attacks are, by the model of the room learned
//	secret.go      secret.embedded: needs a detector; see [Scanner]
//
// Phrases are found by the content scanner's reader ([scan.Grammar]) with words
// and rows of this package's own: words_english.go, words_aims.go and
// words_others.go say what words mean, grammar.go which sequences of meanings
// amount to something. grammar_loose.go and grammar_loose_orders.go look at it from the other side: they name
// what an honest description never needs — data that does not concern
// the tool, a way for it to leave, a reason to keep still about it, orders that
// are not about the call — in whatever order the words stand. One such aspect is
// a hint; aspects of several sorts that stand close together are proof. surplus.go
// does the same for parameters: each takes something, and the tool's own words
// should say why.
//
// Every phrase is held against the clause that it stands in: clause.go reads a sentence,
// deed.go the acts in it — asked of the reader, said of the tool, possible or forbidden,
// and what they are done to — and confirm.go takes away the notes that the clause speaks
// against. aim.go reads the clauses for what no phrase shows: what reaches for other
// tools' traffic, for what gives access, for the user's ignorance. clause_words.go holds
// their words, in English only; in other languages the phrases decide alone. twin.go
// compares names.
//
// Where a phrase stands decides what it is worth: position.go tells an
// instruction from a description, from an example, from what a tool watches for
// and from what a game keeps secret; place.go tells a description from a default
// or a name.
//
// [Clean] is what an agent may see of a definition.
//
// The room's guarantee: it reaches nothing (no network, no files, no
// processes); a check that fails is counted and names what it left unread, and
// never stops the others; equal input gives an equal report; evidence is safe to
// print and short; cost is linear in the length of a definition and in the
// number of tools.
//
// To add a check, add a file, a line in [Checks], and its hits and misses in
// testdata/checks. To add a phrase, add a word or a row, and examples.
package definition
