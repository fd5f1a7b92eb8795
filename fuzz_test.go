package mcpproxy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parsers are the functions that parse bytes. A package that calls one of them reads bytes that others may have
// written.
var parsers = []string{
	"json.Unmarshal",
	"json.NewDecoder",
	"yaml.Unmarshal",
	"yaml.NewDecoder",
	"toml.Unmarshal",
	"toml.Decode",
	"hujson.Parse",
	"hujson.Standardize",
	"jsontext.NewDecoder",
	"xml.NewDecoder",
	"csv.NewReader",
	"zip.NewReader",
	"gzip.NewReader",
	"zstd.NewReader",
	"pem.Decode",
	"binary.Read",
	"bufio.NewReader",
	"bufio.NewScanner",
}

// fuzzedElsewhere lists the packages that parse bytes and have no fuzz target of their own. The value names the fuzz
// target that covers the package, or says why the package needs none. Names are as in arch_test.go; "cmd/…" are
// commands.
var fuzzedElsewhere = map[string]string{
	"flow/table":               "FuzzLoad of flow/match reads tables as part of an index",
	"bench":                    "a program for developers: it reads the output of its own processes",
	"soak":                     "a program for developers: it reads the output of its own processes",
	"scan/learned/train":       "a program for developers: it reads corpora of the project and of others",
	"flow/model/gen":           "a program for developers: it reads packages with known hashes",
	"release":                  "a program for developers: it reads files of the repository and the key of its user",
	"text/gen":                 "a program for developers: it reads packages with known hashes",
	"e2e/agents":               "the model of a test: it reads what real agents send",
	"e2e/rig":                  "a helper of the tests of whole programs: it reads the daemon's answers",
	"ledger/ledgertest":        "a helper of the tests of stores: it reads what they have written",
	"upstream/oauth/oauthtest": "the authorization server of a test",
}

// TestEveryPackageThatParsesForeignBytesHasAFuzzTarget fails for each package that parses bytes without a fuzz target.
func TestEveryPackageThatParsesForeignBytesHasAFuzzTarget(t *testing.T) {
	unused := maps.Clone(fuzzedElsewhere)
	for _, p := range list(t) {
		dir := "." + strings.TrimPrefix(p.ImportPath, module)
		name, ok := room(p.ImportPath)
		if !ok {
			name = strings.TrimPrefix(p.ImportPath, module+"/")
		}
		delete(unused, name)
		where, elsewhere := fuzzedElsewhere[name]
		reads, targets := calls(t, dir), fuzzTargets(t, dir)
		switch {
		case elsewhere && (len(targets) > 0 || len(reads) == 0):
			t.Errorf("%q parses no bytes or has a fuzz target; remove its entry (%s)", name, where)
		case !elsewhere && len(reads) > 0 && len(targets) == 0:
			t.Errorf("%q parses bytes (%s) but has no fuzz target", name, strings.Join(reads, ", "))
		}
	}
	for name := range unused {
		t.Errorf("there is no package %q", name)
	}
}

// calls returns the functions of parsers that the package in dir calls.
func calls(t *testing.T, dir string) []string {
	t.Helper()
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); !slices.ContainsFunc(files, isSource) {
		return nil
	}
	found := map[string]bool{}
	eachFile(t, dir, func(_ *token.FileSet, parsed *ast.File) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name := types.ExprString(call.Fun); slices.Contains(parsers, name) {
					found[name] = true
				}
			}
			return true
		})
	})
	return slices.Sorted(maps.Keys(found))
}

func isSource(file string) bool { return !strings.HasSuffix(file, "_test.go") }

// fuzzTargets returns the fuzz targets in the tests of the package in dir.
func fuzzTargets(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
