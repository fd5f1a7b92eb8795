// Package oracle holds mcpproxy's secret rules against those of gitleaks, a
// scanner for source code (MIT licence). It is a module of its own, so that the
// program needs nothing of it; `make oracle` runs its tests and `make bench` its
// benchmarks.
//
// The test forges strings that match the rules of gitleaks, keeps those that
// gitleaks finds, and looks for them with our own detector. What is not found
// stands in testdata/differences.txt with the reason. The benchmarks give the
// same texts to both.
package oracle
