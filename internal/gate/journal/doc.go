// Package journal holds what may be written and shown about a call: records, events,
// redacted values, and the errors that agents read.
//
// A [Journal] is the only way from the gate to the activity log and to those who watch.
// It takes an [Entry]: an Inspection of the call, the verdict, and what the call brought.
// It makes the record, masks it, writes it and publishes it. [ErrorText], [RedactError] and
// [Explain] make the texts that an agent reads about its call.
//
// Guarantee: no secret that the inspection found in a call or in its result reaches the
// log, an event or an agent's error unmasked, wherever it stands in either of them. An
// event about a stopped call follows the record on disk; only that the call began is
// published before.
//
// The package decides nothing and does not know package gate, which makes the verdict and
// says what is written. The reason of a verdict is masked where it is made, with [Masked],
// so Explain shows it as it is.
package journal
