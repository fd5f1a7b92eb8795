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

// rooms lists the packages below internal that each package may import. Every package may also import the packages in
// everywhere.
var rooms = map[string]string{
	"":          "",
	"adversary": "",
	"agent":     "",
	"alert":     "",
	"api": `
		alert approval approval/store auth auth/oidc catalog explain flow gate gate/journal gateway home home/store hook/evaluate ledger peer
		policy/replay probe report telemetry token trust upstream web`,
	"approval":           "",
	"approval/store":     "",
	"atomicfile":         "",
	"atrest":             "",
	"audit":              "flow ledger",
	"auth":               "auth/oidc token",
	"auth/oidc":          "",
	"auth/oidc/oidctest": "",
	"bench":              "codemode codemode/frame ledger/postgres/pgtest porttest wire",
	"bind":               "",
	"bridge":             "wire",
	"bucket":             "",
	"bundle":             "bucket",
	"bundle/fetch":       "bucket bundle",
	"catalog":            "",
	"child":              "",
	"classify":           "intent",
	"classify/shell":     "provider",
	"cli": `
		api approval approval/store bridge bundle certs cli/term codemode codemode/worker config connect connect/adopt daemon daemon/intake
		demo demo/servers detect doctor eval exit explain flow home hook/client hook/evaluate hook/install ledger
		ledger/postgres ledger/verify nodump peer policy policy/replay probe probe/export probe/targets registry remote report risk scan scan/definition
		scan/export scan/run scan/source service settings ship token trust upstream upstream/oauth wire`,
	"cli/term":          "detect",
	"codemode":          "catalog codemode/frame codemode/worker gate gate/journal policy wire",
	"codemode/frame":    "",
	"codemode/validate": "",
	"codemode/worker":   "codemode/frame codemode/validate",
	"certs":             "",
	"certs/certstest":   "",
	"config":            "bucket bundle certs child egress home keyring registry state/valkey token",
	"connect/adopt":     "config connect settings",
	"connect":           "settings",
	"cputime":           "",
	"daemon": `
		alert api approval approval/store atrest audit auth auth/oidc bucket bundle bundle/fetch catalog certs child classify codemode config daemon/intake detect egress exit
		flow gate gate/journal gateway home home/gitconfig home/store hook/client hub hook/evaluate hook/install keyring
		ledger ledger/backend ledger/postgres ledger/verify peer policy
		policy/replay policy/rules probe probe/targets redact replica risk scan scan/definition settings ship state state/memory
		state/sealed state/valkey telemetry telemetry/metrics token trust upstream upstream/oauth wire selfguard service`,
	"daemon/intake":        "catalog ledger policy program scan scan/definition trust upstream",
	"demo":                 "api cli/term config daemon ledger remote upstream",
	"demo/servers":         "",
	"detect":               "detect/personal",
	"detect/detecttest":    "",
	"detect/numbering":     "",
	"detect/numbering/gen": "detect/numbering",
	"detect/personal":      "detect/numbering",
	"doctor": `
		api auth auth/oidc codemode config daemon daemon/intake hook/evaluate hook/install ledger ledger/backend ledger/verify
		policy redact remote service upstream`,
	"egress":                    "zone",
	"e2e":                       "",
	"e2e/agents":                "",
	"e2e/day":                   "",
	"e2e/guard":                 "",
	"e2e/page":                  "",
	"e2e/rig":                   "eventually porttest",
	"eval":                      "catalog classify detect flow flow/gram gate scan scan/definition state/memory",
	"eventually":                "",
	"exit":                      "",
	"explain":                   "policy risk trust",
	"flow":                      "flow/gram flow/match flow/passage flow/surprise intent",
	"flow/gram":                 "",
	"flow/match":                "flow/gram flow/model flow/table flow/value",
	"flow/model":                "flow/gram",
	"flow/model/gen":            "flow/gram flow/model",
	"flow/passage":              "intent provider",
	"flow/surprise":             "flow/model",
	"flow/table":                "",
	"flow/value":                "flow/model flow/table",
	"gate":                      "approval atrest classify detect flow gate/inspect gate/journal home policy redact risk scan selfguard",
	"gate/inspect":              "bind classify classify/shell detect flow flow/passage home policy provider redact risk scan selfguard",
	"gate/journal":              "atrest detect gate/inspect policy redact",
	"gate/gatetest":             "classify detect flow gate gate/journal ledger/ledgertest policy state/memory",
	"gateway":                   "approval auth catalog flow gate gate/journal peer token upstream wire",
	"home":                      "",
	"home/gitconfig":            "",
	"home/store":                "home",
	"hook":                      "",
	"hook/client":               "",
	"hook/evaluate":             "flow gate gate/inspect gate/journal hook peer policy",
	"hook/install":              "hook settings",
	"hub":                       "ledger ledger/postgres ship",
	"intent":                    "",
	"keyring":                   "",
	"lazyregexp":                "",
	"lazyregexp/lazyregexptest": "",
	"ledger":                    "",
	"ledger/backend":            "ledger ledger/postgres ledger/sqlite",
	"ledger/ledgertest":         "ledger",
	"ledger/postgres":           "ledger",
	"ledger/postgres/pgtest":    "porttest",
	"ledger/sqlite":             "ledger",
	"ledger/verify":             "ledger ledger/backend ledger/sqlite",
	"lint":                      "",
	"locate":                    "",
	"nodump":                    "",
	"peer":                      "",
	"policy":                    "",
	"policy/replay":             "policy risk",
	"policy/rules":              "policy",
	"porttest":                  "",
	"probe":                     "classify detect probe/raw scan scan/definition wire",
	"probe/export":              "probe report",
	"probe/raw":                 "child wire",
	"probe/targets":             "config probe probe/raw upstream",
	"program":                   "registry",
	"provider":                  "",
	"redact":                    "",
	"registry":                  "",
	"release":                   "service",
	"remote":                    "config nodump token wire",
	"replica":                   "flow gateway state state/valkey",
	"report":                    "",
	"risk":                      "",
	"scan":                      "",
	"scan/definition":           "scan scan/learned",
	"scan/learned":              "",
	"scan/learned/train":        "scan scan/definition scan/learned",
	"scan/export":               "report scan scan/definition scan/run scan/source",
	"scan/run":                  "scan scan/definition scan/source",
	"scan/source":               "scan/definition",
	"selfguard":                 "classify/shell",
	"service":                   "",
	"site":                      "",
	"settings":                  "",
	"ship":                      "bucket ledger",
	"soak":                      "e2e/rig",
	"state":                     "",
	"state/memory":              "state",
	"state/sealed":              "",
	"state/statetest":           "eventually state",
	"state/valkey":              "state",
	"state/valkey/valkeytest":   "eventually porttest",
	"suggest":                   "",
	"telemetry":                 "",
	"telemetry/metrics":         "",
	"text":                      "",
	"text/gen":                  "",
	"token":                     "",
	"trust":                     "",
	"upstream":                  "child egress program registry wire",
	"upstream/oauth":            "keyring upstream zone",
	"upstream/oauth/oauthtest":  "",
	"version":                   "",
	"web":                       "",
	"wire":                      "",
	"zone":                      "",
}

// everywhere lists the packages that every package may import. They import no other package of the module except the
// root.
var everywhere = []string{"", "agent", "atomicfile", "lazyregexp", "suggest", "locate", "text", "version"}

// module is the path of this module.
var module = strings.TrimSuffix(reflect.TypeFor[mcpproxy.Call]().PkgPath(), "/")

type goPackage struct {
	Dir        string
	ImportPath string
	Name       string
	Imports    []string
	GoFiles    []string
}

func list(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=Dir,ImportPath,Name,Imports,GoFiles", "./...").Output()
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

// room returns the path of a package below internal; ok is false if the package does not belong to this module.
func room(path string) (name string, ok bool) {
	if path == module {
		return "", true
	}
	if path == module+"/web" { // the page, which has no Go code except its embedding
		return "web", true
	}
	return strings.CutPrefix(path, module+"/internal/")
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	for _, p := range list(t) {
		if strings.HasPrefix(p.ImportPath, module+"/cmd/") {
			if p.ImportPath == module+"/cmd/mcpproxy" &&
				!slices.Equal(p.Imports, []string{module + "/internal/cli", "os"}) {
				t.Errorf("%s imports %v: a main package may import only internal/cli", p.ImportPath, p.Imports)
			}
			continue
		}
		name, _ := room(p.ImportPath)
		may, known := rooms[name]
		if !known {
			t.Errorf("the package %q is missing from the table of rooms", name)
		}
		for _, imported := range p.Imports {
			other, ours := room(imported)
			if strings.HasPrefix(imported, module+"/cmd/") {
				t.Errorf("%q imports the command %s", name, imported)
			}
			if ours && !slices.Contains(strings.Fields(may), other) && !slices.Contains(everywhere, other) {
				t.Errorf("%q must not import %q", name, other)
			}
		}
	}
}

func TestEveryPackageHasOnePackageComment(t *testing.T) {
	for _, p := range list(t) {
		begins := "Package " + p.Name + " "
		if p.Name == "main" {
			begins = "Command "
		}
		var said []string
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(
				token.NewFileSet(),
				filepath.Join(p.Dir, name),
				nil,
				parser.PackageClauseOnly|parser.ParseComments,
			)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				said = append(said, name)
				if !strings.HasPrefix(file.Doc.Text(), begins) {
					t.Errorf("the package comment of %s in %s does not begin with %q", p.ImportPath, name, begins)
				}
			}
		}
		if len(said) != 1 {
			t.Errorf("%s has %d package comments, in %q; want exactly one", p.ImportPath, len(said), said)
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

// The packages that inspect content must not import anything that can reach a network, a file or a process.
func TestInspectionIsOffline(t *testing.T) {
	for _, p := range list(t) {
		name, _ := room(p.ImportPath)
		if !slices.Contains(
			[]string{
				"agent",
				"detect",
				"detect/numbering",
				"detect/personal",
				"text",
				"classify",
				"classify/shell",
				"flow",
				"redact",
				"risk",
				"policy",
				"scan",
				"scan/definition",
				"scan/learned",
				"selfguard",
				"home",
				"hook",
			},
			name,
		) {
			continue
		}
		for _, banned := range []string{"net", "net/http", "os", "os/exec"} {
			if slices.Contains(p.Imports, banned) {
				t.Errorf("%s imports %s", p.ImportPath, banned)
			}
		}
	}
}

// Libraries that take long to initialise may be used by generators and tests only: every start of the program,
// including each hook and each script's sandbox, would pay for them.
func TestTheProgramImportsNoLibraryThatIsSlowToStart(t *testing.T) {
	slow := map[string]string{"github.com/nyaruka/phonenumbers": "detect/numbering/gen"} // library → the package that may import it
	for _, p := range list(t) {
		name, _ := room(p.ImportPath)
		for _, imported := range p.Imports {
			if may, known := slow[imported]; known && name != may {
				t.Errorf("%s imports %s, which is slow to start", p.ImportPath, imported)
			}
		}
	}
}

// A pattern that is compiled before main costs time at every start, even if it is not used. Package lazyregexp
// compiles a pattern when it is first used.
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
		t.Errorf("the programs have only %d packages", len(seen))
	}
}

// compilesNone fails the test if a package variable of the package in dir holds a compiled pattern.
func compilesNone(t *testing.T, dir string) {
	t.Helper()
	eachFile(t, dir, func(fset *token.FileSet, parsed *ast.File) {
		for _, decl := range parsed.Decls {
			variables, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(variables, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if ok && strings.HasPrefix(types.ExprString(call.Fun), "regexp.MustCompile") {
					t.Errorf("%s compiles a pattern before main", fset.Position(n.Pos()))
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	})
}

// eachFile calls f with each Go file of the package in dir, except tests.
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

// supports reports whether the package named name exists only for tests.
func supports(name string) bool {
	return name == "eventually" || name == "e2e/rig" || strings.HasSuffix(name, "test")
}

// forDevelopers are programs that are not shipped: they measure the shipped ones.
var forDevelopers = []string{"bench", "soak"}

// A package that exists only for tests must not be part of a shipped program.
func TestNoProgramContainsAPackageForTests(t *testing.T) {
	for _, p := range list(t) {
		if name, _ := room(p.ImportPath); supports(name) || slices.Contains(forDevelopers, name) {
			continue
		}
		for _, imported := range p.Imports {
			if name, ours := room(imported); ours && supports(name) {
				t.Errorf("%s imports %s outside its tests", p.ImportPath, imported)
			}
		}
	}
}

// The packages that the Makefile tests without the race detector must start no goroutine.
func TestPackagesTestedWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	eachFile(t, ".", func(fset *token.FileSet, parsed *ast.File) { startsNone(t, fset, parsed) })
	for _, name := range makes(t, "QUIET") {
		eachFile(t, filepath.Join("internal", name), func(fset *token.FileSet, parsed *ast.File) {
			startsNone(t, fset, parsed)
		})
	}
}

// The tests that the Makefile runs without the race detector in other packages must start no goroutine either.
func TestTheTestsWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	alone := makes(t, "ALONE")
	var found []string
	for _, name := range makes(t, "ALONE_ROOMS") {
		files, err := filepath.Glob(filepath.Join("internal", name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			fset := token.NewFileSet()
			parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range parsed.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !slices.Contains(alone, strings.TrimPrefix(f.Name.Name, "Test")) {
					continue
				}
				found = append(found, strings.TrimPrefix(f.Name.Name, "Test"))
				startsNone(t, fset, f)
			}
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, alone) {
		t.Errorf("the Makefile names the tests %q, but their packages have %q", alone, found)
	}
}

// makes returns the words in the value of a variable of the Makefile.
func makes(t *testing.T, variable string) []string {
	t.Helper()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.ReplaceAll(string(makefile), "\\\n", " ")
	value := regexp.MustCompile(`(?m)^` + variable + ` = (.+)$`).FindStringSubmatch(whole)
	if value == nil {
		t.Fatalf("the Makefile has no variable %s", variable)
	}
	return strings.Fields(value[1])
}

// startsNone fails the test if a goroutine is started in the syntax tree piece.
func startsNone(t *testing.T, fset *token.FileSet, piece ast.Node) {
	t.Helper()
	ast.Inspect(piece, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		_, starts := n.(*ast.GoStmt)
		if starts || ok && (selector.Sel.Name == "Go" || selector.Sel.Name == "AfterFunc") {
			t.Errorf("%s starts a goroutine", fset.Position(n.Pos()))
		}
		return true
	})
}
