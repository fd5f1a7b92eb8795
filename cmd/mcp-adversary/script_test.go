package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcp-adversary": func() { os.Exit(run()) }})
}

// TestScripts runs testdata/*.txtar against the real program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata"), RequireExplicitExec: true})
}
