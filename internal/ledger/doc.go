// Package ledger stores the activity log: every call with its decision and the reasons.
//
// The records form a chain. The hash of each record is the SHA-256 of the previous hash and the
// record's stored bytes, so [Store.Verify] finds a record that was edited, removed, inserted or
// moved. Records are masked before they reach this package.
//
// [Log] writes records in groups, one transaction each. A record passed to [Log.Append] is on disk
// when Append returns; one passed to [Log.Add] follows within [FlushInterval].
//
// When the store fails, the log counts the records that it loses and tries again every
// [RetryEvery]. The first record that it then writes is a gap ([mcpproxy.Gap]), which says how many
// records are missing and for which period.
package ledger
