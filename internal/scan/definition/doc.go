// Package definition finds threats in the definitions that a server declares: its tools, its prompts and its
// description of itself when a client connects.
//
// An agent reads every definition before it calls any tool, so a malicious definition works without ever being
// called. [Scan] runs every check of [Checks] on every definition and returns a [Report] with at most one [Finding]
// for each definition, which combines the [Signal]s of the checks.
//
// A hard signal is near certain by itself; the definition should be held until a person has looked at it
// (Finding.Hard, action "quarantine"). Soft signals are hints. They add up to a warning that is more serious the more
// checks agree, but they never hold anything back.
//
// The checks, one file each:
//
//	hidden.go      unicode.hidden, ansi.escape: what people do not see
//	shadowing.go   shadowing.cross_server: copies of other servers' tools, and words that steer them
//	payload.go     payload.decoded: commands and instructions that appear only after decoding
//	phrase.go      phrase.injection: attempts to take over the model
//	imperative.go  directive.imperative: side tasks; preference.manipulation: this tool before all others
//	capability.go  capability.mismatch: a tool's description against its parameters; surplus.go, its parameters
//	schema.go      schema.poisoned: instructions where a definition should have none
//	wording.go     wording.learned: sentences that are worded like attacks, by the model of package learned
//	secret.go      secret.embedded: needs a detector; see [Scanner]
//
// Phrases are found by the content scanner's reader ([scan.Grammar]) with this package's own words and rows.
// words_english.go, words_aims.go and words_others.go contain the meanings of words, and grammar.go the sequences of
// meanings to match. grammar_loose.go and grammar_loose_orders.go match, in any order of words, what a legitimate
// description never needs: data that does not concern the tool, a way to send it, a reason for secrecy, orders that
// are not about the call. One such aspect is a hint; aspects of several kinds close together are proof. surplus.go
// does the same for parameters: the tool's own texts should explain what each parameter takes.
//
// Every match is compared with the clause that contains it. clause.go reads a sentence. mention.go finds the acts in
// it: whether each is asked of the reader, done by the tool, possible or forbidden, and its objects. confirm.go
// removes the matches that the clause contradicts. aim.go finds in the clauses what no phrase shows: attempts to get
// the data of other tools or credentials, or to keep the user uninformed. clause_words.go has their words, in English
// only; in other languages only the phrases decide. twin.go compares names.
//
// The weight of a phrase depends on its position. position.go distinguishes an instruction from a description, from
// an example, from what a tool detects and from what a game keeps secret. place.go distinguishes a description from a
// default or a name.
//
// [Clean] returns the part of a definition that an agent may see.
//
// Guarantees: the package has no side effects (no network, no files, no processes). A check that fails is counted,
// names the definitions that it left unread, and never stops the other checks. Equal input gives an equal report.
// Evidence is short and safe to print. The cost is linear in the length of a definition and in the number of tools.
//
// To add a check, add a file, a line in [Checks], and its hits and misses in testdata/checks. To add a phrase, add a
// word or a row, and examples.
package definition
