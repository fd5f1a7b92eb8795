// Package report writes findings and records in the formats of other programs.
//
// [WriteSARIF] writes the Static Analysis Results Interchange Format, version 2.1.0, which code-hosting sites show
// next to the lines of a pull request.
//
// [NewRecords] writes the activity log as JSON, JSON Lines or CSV, record by record. No cell of a CSV file begins like
// a formula.
//
// Guarantee: equal findings give equal bytes, and the output is valid in its format, whatever the texts contain.
// Besides the root package, the package imports no package of this program.
package report
