//go:build !linux

package cli

import "github.com/rogpeppe/go-internal/testscript"

// typed needs a terminal as Linux makes them.
func typed(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no terminal here") }
