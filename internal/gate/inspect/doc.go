// Package inspect determines all facts about a call that its verdict depends on.
//
// An [Inspector] inspects a call with the current settings. The result is an [Inspection]: the class of the tool and
// the operation of the call, the secrets and personal data in it, where its data came from and where it goes, what
// its command lines do, how it counts as a send, and which claims about it contradict each other. For results and
// other texts, the result is a [Reading].
//
// An inspection is made in stages, each a value that contains the previous one: see stages.go. It has no side effects
// except that the tracker records the call.
//
// Guarantee: an Inspection never changes after it is made. All of its state is unexported, and no method changes it.
// Callers must not change the slices that its methods return.
//
// The package does not depend on verdicts, records or callers. Package gate decides by an Inspection, and package
// journal records it.
package inspect
