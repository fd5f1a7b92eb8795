// Package ledger keeps the activity log: what every call was, what was decided,
// and why.
//
// Records form a chain: the hash of each is SHA-256 over the hash before it and
// the record's stored bytes, so an edited, removed, inserted or reordered
// record is found by [Store.Verify]. Records are masked before they come here.
//
// [Log] writes them in groups, one transaction each. A record handed to
// [Log.Append] is on disk when Append returns; one handed to [Log.Add] follows
// within [FlushInterval].
//
// When the store fails, the log counts what it loses and tries again every
// [RetryEvery]. The first record that it then writes is a gap ([mcpproxy.Gap]) that
// says how many records are missing, and of which time.
package ledger
