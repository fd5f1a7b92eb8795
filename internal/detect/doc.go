// Package detect finds secrets and personal data in a call or a result.
//
// It reads every view of a document ([text.Document.Views]), so that no rule
// needs to know of disguises. Values are found in three ways:
//
//   - By their shape. All patterns are compiled into two RE2 sets, which say which rules
//     may match; only those are located. One set reads the document once. The other, of what
//     is a run of letters, digits and a few signs, reads its long runs alone (runs.go).
//   - By the name they are assigned to (named.go, assignment.go): one pass finds
//     assignments and JSON members and looks their names up.
//   - By their digits (the room personal): one pass finds what could be a number or
//     address of a person, and checksums, formats and words around it decide.
//
// A rule belongs to a family, and every family is one file: patterns are
// written here from public token formats, with the entropy below which a match
// is taken for a placeholder and the checksum where a format carries one. Hits
// and near misses of every rule stand in testdata.
//
// The guarantees: time is linear in the size of a document. The room never
// fails silently: when the matcher itself errs, [Detector.Find] says so, and
// the gate counts that as a finding. Whatever is found can be masked where it
// stands, in every disguise it was found in ([Masker]).
//
// A finding carries the value it found, so that flow can follow it and the
// masker can hide it. The value never leaves the process.
package detect
