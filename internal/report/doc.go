// Package report writes findings in the formats of other programs.
//
// [WriteSARIF] writes the Static Analysis Results Interchange Format, version
// 2.1.0, which code-hosting sites show beside the lines of a pull request.
//
// [NewRecords] writes the activity log as JSON, JSON Lines or CSV, record by record.
// Cells of a CSV file never begin like a formula.
//
// The room's guarantee: it knows no other room but the root, equal findings give equal bytes,
// and what is written is valid in its format, whatever the texts hold.
package report
