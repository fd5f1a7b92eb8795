// Package oracle compares mcpproxy's secret rules with those of gitleaks, a scanner for source code (MIT licence). It
// is a separate module, so that the program does not depend on gitleaks. `make oracle` runs its tests and `make bench`
// its benchmarks.
//
// The test generates strings that match the rules of gitleaks, keeps those that gitleaks finds, and searches them with
// mcpproxy's own detector. testdata/differences.txt lists what the detector does not find, with the reasons. The
// benchmarks give the same texts to both.
package oracle
