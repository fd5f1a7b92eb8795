// Package detect finds secrets in the parts of a call or a result.
//
// All rules are compiled into one RE2 set, which reads a document once in time
// linear in its length and says which rules may match; only those are then
// located. A rule belongs to a family, and every family is one file: its
// patterns are written here from the public token formats, with the entropy
// below which a match is taken for a placeholder.
//
// The room never fails silently: when the matcher itself errs, [Detector.Find]
// says so, and the gate counts that as a finding.
//
// A finding carries the value it found, so that flow can follow it and the
// masker can hide it. The value never leaves the process.
package detect
