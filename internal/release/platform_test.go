package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listed is a package as `go list -json` describes it.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct{ Main bool }
}

// Building for another system takes minutes. This test only type-checks all packages, and the function bodies of this
// module. That finds code that does not exist on a system in seconds.
func TestTheProgramsAreWrittenForEverySystem(t *testing.T) {
	for _, p := range []platform{{"windows", "amd64"}, {"darwin", "arm64"}} {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			if faults := typeCheck(t, p); len(faults) > 0 {
				t.Errorf("%d faults:\n%s", len(faults), strings.Join(faults[:min(len(faults), 20)], "\n"))
			}
		})
	}
}

// typeCheck returns the compiler errors of this module on a platform.
func typeCheck(t *testing.T, p platform) (faults []string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./cmd/...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), p.environment()...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	own := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; { // each package comes after its imports
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if l.ImportPath == "unsafe" {
			continue
		}
		ours := l.Module != nil && l.Module.Main
		if ours {
			own++
		}
		conf := types.Config{
			Importer:         importer{known, l.ImportMap},
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", p.machine),
			Error: func(err error) {
				if ours {
					faults = append(faults, err.Error())
				}
			},
		}
		known[l.ImportPath], _ = conf.Check(l.ImportPath, fset, parsed(t, fset, l), nil)
	}
	if own < 50 {
		t.Errorf("only %d packages of this module were looked at", own)
	}
	return faults
}

// parsed returns the files of a package.
func parsed(t *testing.T, fset *token.FileSet, l listed) (out []*ast.File) {
	t.Helper()
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// importer finds packages that were checked before.
type importer struct {
	known map[string]*types.Package
	names map[string]string // the standard library's names for its copies of other modules
}

// Import returns the package with an import path.
func (i importer) Import(path string) (*types.Package, error) {
	if name, mapped := i.names[path]; mapped {
		path = name
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not read: " + path)
}
