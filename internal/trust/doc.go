// Package trust remembers which definitions of which servers a human has agreed
// to, and notices when one is no longer what was agreed to.
//
// A server declares tools, prompts and instructions, and agents believe what
// these say. So each definition has a [Fingerprint] over everything that it
// says, and a [State]:
//
//	quarantined  new, or found dangerous: waits for a human
//	approved     may be seen and called, in exactly this form
//	rug_pull     was approved, and has changed since
//	blocked      a human refused it, whatever it becomes
//
// Only a human moves a definition out of quarantined, rug_pull and blocked.
// What a server does moves it into the first two, never out. That holds for a
// definition that goes back to what was approved, too: a server that shows
// another text for a while and takes it back when somebody looks has shown what
// its word is worth, and were it let off, it could switch between the two forms
// between one reading of its list and the next.
//
// Definitions approved by configuration alone (auto_quarantine_new_tools is
// false) are held as soon as a scan finds something hard in them. A human's
// approval of exactly that hash outweighs the scan.
//
// Guarantee: [Store.Held] and [Store.Shown] never let a definition through whose
// present hash is not the approved one. The [Store] is a file, replaced as a
// whole: it survives a crash, and when it cannot be read that is an error, never
// an empty list of things that nobody objected to.
//
// The room knows no scanner: it is given one as a function.
package trust
