//go:build !linux

package cli

import "github.com/rogpeppe/go-internal/testscript"

// typed works only with the terminals of Linux.
func typed(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no terminal here") }
