package mcpproxy_test

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
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpproxy"
)

// rooms says which rooms each room may import. The root package, atomicfile, lazyregexp, suggest,
// locate and text, which know no other room but the root, may be imported by all.
var rooms = map[string][]string{
	"":                  {},
	"atomicfile":        {},
	"lazyregexp":        {},
	"suggest":           {},
	"wire":              {},
	"locate":            {},
	"text":              {},
	"text/gen":          {},
	"classify":          {},
	"classify/shell":    {},
	"detect":            {"detect/personal"},
	"detect/numbering":  {},
	"detect/personal":   {"detect/numbering"},
	"flow":              {"flow/gram", "flow/match"},
	"flow/gram":         {},
	"flow/match":        {"flow/gram", "flow/model", "flow/table", "flow/value"},
	"flow/table":        {},
	"flow/value":        {"flow/model", "flow/table"},
	"flow/model":        {"flow/gram"},
	"flow/model/gen":    {"flow/gram", "flow/model"},
	"risk":              {},
	"redact":            {},
	"scan":              {},
	"trust":             {},
	"scan/definition":   {"scan"},
	"policy":            {},
	"approval":          {},
	"explain":           {"policy", "risk", "trust"},
	"policy/rules":      {"policy"},
	"policy/replay":     {"policy", "risk"},
	"state":             {},
	"state/memory":      {},
	"state/sealed":      {},
	"ledger":            {},
	"ledger/sqlite":     {"ledger"},
	"catalog":           {},
	"keyring":           {},
	"config":            {"keyring"},
	"upstream":          {"wire"},
	"upstream/oauth":    {"keyring", "upstream"},
	"bridge":            {"wire"},
	"gate":              {"approval", "classify", "classify/shell", "detect", "flow", "policy", "redact", "risk", "scan"},
	"token":             {},
	"door":              {"token"},
	"audit":             {"flow", "ledger"},
	"gateway":           {"gate", "catalog", "door", "flow", "token", "upstream", "wire"},
	"api":               {"alert", "approval", "catalog", "door", "explain", "flow", "gate", "gateway", "hook/evaluate", "ledger", "policy/replay", "probe", "report", "telemetry", "token", "trust", "upstream", "web"},
	"codemode":          {"catalog", "codemode/frame", "codemode/worker", "gate", "policy", "wire"},
	"codemode/frame":    {},
	"codemode/validate": {},
	"codemode/worker":   {"codemode/frame", "codemode/validate"},
	"report":            {},
	"probe":             {"classify", "detect", "probe/raw", "scan", "scan/definition", "wire"},
	"probe/raw":         {"wire"},
	"bench":             {"codemode", "codemode/frame", "wire"},
	"adversary":         {},
	"alert":             {},
	"telemetry":         {},
	"telemetry/metrics": {},
	"hook/client":       {},
	"hook/evaluate":     {"flow", "gate", "hook"},
	"eval":              {"classify", "detect", "flow", "flow/gram", "gate", "scan", "scan/definition", "state/memory"},
	"detect/detecttest": {},
	"ledger/ledgertest": {"ledger"},
	"state/statetest":   {"state"},
	"hook":              {},
	"hook/install":      {"hook", "settings"},
	"settings":          {},
	"connect":           {"settings"},
	"e2e":               {},
	"cputime":           {},
	"e2e/agents":        {},
	"e2e/page":          {},
	"web":               {},

	"upstream/oauth/oauthtest": {},
	"detect/numbering/gen":     {"detect/numbering"},
}

// everywhere are the rooms that need no mention.
var everywhere = []string{"", "atomicfile", "lazyregexp", "suggest", "locate", "text"}

// module is the module's own name.
var module = strings.TrimSuffix(reflect.TypeFor[mcpproxy.Call]().PkgPath(), "/")

type goPackage struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// room is the name of a package of this module; ok is false for others.
func room(path string) (name string, ok bool) {
	if path == module {
		return "", true
	}
	if path == module+"/web" { // the page, which is no Go but for its embedding
		return "web", true
	}
	return strings.CutPrefix(path, module+"/internal/")
}

func TestRoomsKnowOnlyWhatTheyMay(t *testing.T) {
	for _, p := range list(t) {
		if strings.HasPrefix(p.ImportPath, module+"/cmd/") {
			continue // wires, and may know everything
		}
		name, _ := room(p.ImportPath)
		may, known := rooms[name]
		if !known {
			t.Errorf("the room %q has no place in the table", name)
		}
		for _, imported := range p.Imports {
			other, ours := room(imported)
			if strings.HasPrefix(imported, module+"/cmd/") {
				t.Errorf("%q imports the command %s", name, imported)
			}
			if ours && !slices.Contains(may, other) && !slices.Contains(everywhere, other) {
				t.Errorf("%q must not know %q", name, other)
			}
		}
	}
}

func TestTheVocabularyNeedsTheStandardLibraryOnly(t *testing.T) {
	for _, p := range list(t) {
		if p.ImportPath != module {
			continue
		}
		for _, imported := range p.Imports {
			if strings.Contains(imported, ".") || strings.HasPrefix(imported, module+"/") {
				t.Errorf("the root package imports %s", imported)
			}
		}
	}
}

// What inspects content must not be able to reach anything while it does.
func TestInspectionIsOffline(t *testing.T) {
	for _, p := range list(t) {
		if name, _ := room(p.ImportPath); !slices.Contains([]string{"detect", "detect/numbering", "detect/personal", "text", "classify", "classify/shell", "flow", "redact", "risk", "policy", "scan", "scan/definition", "hook"}, name) {
			continue
		}
		for _, banned := range []string{"net", "net/http", "os", "os/exec"} {
			if slices.Contains(p.Imports, banned) {
				t.Errorf("%s imports %s", p.ImportPath, banned)
			}
		}
	}
}

// What takes long to start is for generators and tests: everything that starts the
// program, each hook and each script's sandbox, would pay for it.
func TestTheProgramDoesWithoutWhatIsSlowToStart(t *testing.T) {
	slow := map[string]string{"github.com/nyaruka/phonenumbers": "detect/numbering/gen"} // and who may
	for _, p := range list(t) {
		name, _ := room(p.ImportPath)
		for _, imported := range p.Imports {
			if may, known := slow[imported]; known && name != may {
				t.Errorf("%s imports %s, which is slow to start", p.ImportPath, imported)
			}
		}
	}
}

// Patterns that were compiled before main would be paid for by every start, whatever
// it is for: lazyregexp compiles them when one is needed.
func TestNoPatternIsCompiledAtTheStart(t *testing.T) {
	imports := map[string][]string{}
	for _, p := range list(t) {
		imports[p.ImportPath] = p.Imports
	}
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if seen[path] || !strings.HasPrefix(path, module) {
			return
		}
		seen[path] = true
		compilesNone(t, "."+strings.TrimPrefix(path, module))
		for _, imported := range imports[path] {
			visit(imported)
		}
	}
	visit(module + "/cmd/mcpproxy")
	visit(module + "/cmd/mcpproxy-hook")
	if len(seen) < 40 {
		t.Errorf("the programs have %d packages only", len(seen))
	}
}

// compilesNone looks for patterns in the variables of the package in dir.
func compilesNone(t *testing.T, dir string) {
	t.Helper()
	eachFile(t, dir, func(fset *token.FileSet, parsed *ast.File) {
		for _, decl := range parsed.Decls {
			variables, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(variables, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && strings.HasPrefix(types.ExprString(call.Fun), "regexp.MustCompile") {
					t.Errorf("%s compiles a pattern before main", fset.Position(n.Pos()))
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	})
}

// eachFile calls f with the files of the package in dir, tests left out.
func eachFile(t *testing.T, dir string, f func(*token.FileSet, *ast.File)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", dir, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		f(fset, parsed)
	}
}

// The rooms that the Makefile tests without the race detector start no goroutine.
func TestTheQuietRoomsStartNoGoroutine(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	quiet := regexp.MustCompile(`(?m)^QUIET = (.+)$`).FindSubmatch(makefile)
	if quiet == nil {
		t.Fatal("the Makefile names no quiet rooms")
	}
	for _, name := range strings.Fields(string(quiet[1])) {
		eachFile(t, filepath.Join("internal", name), func(fset *token.FileSet, parsed *ast.File) {
			ast.Inspect(parsed, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if _, starts := n.(*ast.GoStmt); starts || ok && (selector.Sel.Name == "Go" || selector.Sel.Name == "AfterFunc") {
					t.Errorf("%s starts a goroutine", fset.Position(n.Pos()))
				}
				return true
			})
		})
	}
}
