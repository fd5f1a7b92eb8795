// Package inspect finds out everything about a call that its verdict is made of.
//
// An [Inspector] reads a call, by the settings in force, into an [Inspection]: where its
// tool stands and what the call does, the secrets and personal data in it, where its data
// came from and goes to, what its command lines do, what it counts for as a send, and
// which claims about it contradict each other. Results and other texts become a [Reading].
//
// An inspection is made in stages, each a value that takes the one before it: see stages.go.
// Nothing outside changes by it but what the tracker remembers of the call.
//
// Guarantee: an Inspection never changes after it is made. All of its state is
// unexported, and no method changes it. Callers must not change the slices that its
// methods return.
//
// The package knows no verdict, no record and no caller: package gate decides by an
// Inspection, and package journal writes down what it says.
package inspect
