// Package detect finds secrets and personal data in a call or a result.
//
// It reads every view of a document ([text.Document.Views]), so rules need not handle encodings. Values are found in
// three ways:
//
//   - By their shape. All patterns are compiled into two RE2 sets, which report the rules that
//     may match; only these rules then locate their values. One set reads the whole document.
//     The other is for patterns that match a run of letters, digits and a few signs, and reads
//     only the long runs (runs.go).
//   - By the name to which they are assigned (named.go, assignment.go). One pass finds
//     assignments and JSON members and looks their names up.
//   - By their digits (package personal). One pass finds possible numbers and addresses of
//     persons; checksums, formats and surrounding words decide.
//
// Each family of rules is one file. The patterns are written from public token formats. A rule also has the entropy
// below which a match is a placeholder, and a checksum if the format has one. The folder testdata has hits and near
// misses for every rule.
//
// Guarantees: the time is linear in the size of the document. The package never fails silently: if the matcher fails,
// [Detector.Find] returns an error, and the gate counts that as a finding. Every finding can be masked where it
// occurs, in every encoding in which it was found ([Masker]).
//
// A finding contains the value, so that flow tracking can follow it and the masker can hide it. The value never
// leaves the process.
package detect
