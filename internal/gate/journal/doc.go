// Package journal produces everything that is written or shown about a call: records, events, redacted values, and
// the errors that agents read.
//
// A [Journal] is the only way from the gate to the activity log and to subscribers. It takes an [Entry]: an
// Inspection of the call, the verdict, and the result. It makes the record, masks it, writes it and publishes it.
// [ErrorText], [RedactError] and [Explain] return the texts that an agent reads about its call.
//
// Guarantee: no secret that the inspection found in a call or in its result reaches the log, an event or an agent's
// error unmasked, wherever it occurs in the call or the result. An event about a stopped call is published after the
// record is on disk; only the beginning of the call is published before.
//
// The package makes no decisions and does not import package gate, which makes the verdict. The reason of a verdict
// is masked where it is made, with [Masked], so Explain returns it unchanged.
package journal
