// Package trust remembers which definitions a person has approved, and notices when a definition
// differs from its approved form.
//
// A server declares tools, prompts and instructions, and agents believe what these say. So each
// definition has a [Fingerprint] of all its content, and a [State]:
//
//	quarantined  new, or found dangerous: waits for a person
//	approved     may be seen and called, in exactly this form
//	rug_pull     was approved, and has changed since
//	blocked      a person refused it, in whatever form
//
// Only a person moves a definition out of quarantined, rug_pull and blocked. A server can only move
// it into the first two. So a definition stays in rug_pull even if it returns to its approved form.
// Otherwise a server could show another text for a while, and take it back whenever somebody looks.
//
// The code that a server is started with is kept as one more definition ([Program]). The first code
// is approved unseen. A change of it is a rug pull, which holds the server if the configuration says
// so. Code that cannot be read has a state of its own, unknown, and is never taken for the code that
// was read before.
//
// If auto_quarantine_new_tools is false, new definitions are approved by the configuration. Such a
// definition is quarantined as soon as a scan reports a hard finding in it. If a person approves
// exactly that hash, the approval outweighs the scan.
//
// Guarantee: [Store.Held] and [Store.Shown] never let a definition through whose present hash is not
// the approved one. The [Store] is a file that is replaced as a whole, so it survives a crash. A file
// that cannot be read is an error, never an empty store.
//
// The package imports no scanner: the caller passes one as a function.
package trust
