package gateway_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// routes are all the places in this repository at which something is handed to
// a server: what is sent is a request that has passed the gate, the answer to a
// server's question, or a word of the proxy's own. A new one belongs here only
// together with the reason why it goes round the gate, or does not.
var routes = map[string]int{
	// Requests: reached through bridge only, which is called inside forward only.
	"internal/gateway/bridge.go bridge link.Call":      1,
	"internal/gateway/bridge.go relisten link.Listen":  1,
	"internal/gateway/bridge.go toStateless link.Call": 1,
	"internal/gateway/bridge.go toStateful link.Call":  2, // the request, and the log level it wants
	// A client's answer, inside forward; and the error when there is none or the gate stopped it.
	"internal/gateway/bridge.go answer link.Notify": 3,
	// Calls of scripts: codemode calls Send in what it hands to the gate, and nowhere
	// else (TestScriptsSendThroughTheGate).
	"internal/gateway/scripts.go Send link.Call": 1,
	// Subscriptions to URIs of a request that came through bridge.
	"internal/gateway/listen.go listen link.Call":       1,
	"internal/gateway/session.go subscribe link.Listen": 1,
	// A client's notification, inside forward; and the end of the handshake.
	"internal/gateway/server_endpoint.go notified link.Notify":      1,
	"internal/gateway/server_endpoint.go notified link.Initialized": 1,
	"internal/gateway/link.go clientLinkTo link.Initialized":        1,
}

// guarded are the functions that only the named ones may call, and whether the
// call must stand in a function that is handed to forward.
var guarded = map[string]struct {
	callers   []string
	inForward bool
}{
	"bridge":      {[]string{"handle", "callServerTool"}, true},
	"toStateful":  {[]string{"bridge"}, false},
	"toStateless": {[]string{"bridge"}, false},
	"relisten":    {[]string{"bridge"}, false},
	"subscribe":   {[]string{"toStateless"}, false},
}

// use is one mention of a name, with where it stands.
type use struct {
	file, function, expr, name string
	inForward                  bool
}

func TestEveryRouteToAServerIsKnown(t *testing.T) {
	got := map[string]int{}
	for _, u := range uses(t, "Call", "Listen", "Notify", "Initialized") {
		got[u.file+" "+u.function+" "+u.expr]++
	}
	if diff := cmp.Diff(routes, got); diff != "" {
		t.Errorf("the routes to servers are others than those that are known (-known +found):\n%s", diff)
	}
}

func TestRoutesAreReachedThroughTheGate(t *testing.T) {
	var names []string
	for name := range guarded {
		names = append(names, name)
	}
	seen := map[string]bool{}
	for _, u := range uses(t, names...) {
		if !strings.HasPrefix(u.file, "internal/gateway/") {
			continue
		}
		seen[u.name] = true
		rule := guarded[u.name]
		if !slices.Contains(rule.callers, u.function) || rule.inForward && !u.inForward {
			t.Errorf("%s: %s uses %s, inside a function given to forward: %t", u.file, u.function, u.name, u.inForward)
		}
	}
	for _, name := range names {
		if !seen[name] {
			t.Errorf("nothing uses %s any more: has the route another name now?", name)
		}
	}
	for _, u := range uses(t, "Notify") {
		if u.function == "notified" && !u.inForward {
			t.Errorf("%s: a client's notification is sent outside of forward", u.file)
		}
	}
}

// A script's calls take the same gate as all others.
func TestScriptsSendThroughTheGate(t *testing.T) {
	sends := 0
	files, err := filepath.Glob(filepath.Join("..", "codemode", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Send" {
				sends++
				if !handedTo("Forward", stack) && (!called(stack) || !givenTo("Forward", stack)) {
					t.Errorf("%s uses Send outside of what it hands to the gate", file)
				}
			}
			return true
		})
	}
	if sends != 1 {
		t.Errorf("Send is used %d times", sends)
	}
}

// uses finds the selectors with the given names in all files of this module
// that know the upstream package, and in no others can there be any.
func uses(t *testing.T, names ...string) []use {
	t.Helper()
	var found []use
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(rel, "internal/upstream/") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		imports := map[string]bool{}
		for _, i := range f.Imports {
			imports[strings.Trim(i.Path.Value, `"`)] = true
		}
		if imports["mcpproxy/internal/upstream"] || strings.HasPrefix(rel, "internal/gateway/") {
			found = append(found, usesIn(f, rel, names)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func usesIn(f *ast.File, file string, names []string) []use {
	packages := map[string]bool{}
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		packages[path[strings.LastIndexByte(path, '/')+1:]] = true
	}
	var found []use
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		var stack []ast.Node
		ast.Inspect(fn, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			u := use{file: file, function: fn.Name.Name, inForward: givenToPass(stack)}
			switch e := n.(type) {
			case *ast.SelectorExpr:
				x, ok := e.X.(*ast.Ident)
				if ok && packages[x.Name] || !slices.Contains(names, e.Sel.Name) ||
					e.Sel.Name == "Listen" && !called(stack) {
					return true // a package's function; or the address to listen on
				}
				u.name, u.expr = e.Sel.Name, "…."+e.Sel.Name
				if ok {
					u.expr = x.Name + "." + e.Sel.Name
				}
			case *ast.Ident: // a function of the package itself
				_, selected := stack[max(0, len(stack)-2)].(*ast.SelectorExpr)
				if selected || e == fn.Name || ast.IsExported(e.Name) || !slices.Contains(names, e.Name) {
					return true
				}
				u.name, u.expr = e.Name, e.Name
			default:
				return true
			}
			found = append(found, u)
			return true
		})
	}
	return found
}

// called reports whether the innermost node is what a call calls.
func called(stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	return ok && call.Fun == stack[len(stack)-1]
}

// handedTo reports whether the innermost node is itself the last argument of a method.
func handedTo(method string, stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[len(call.Args)-1] != stack[len(stack)-1] {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == method
}

// givenToPass reports whether the innermost node stands in a function literal
// that is an argument of pass.
func givenToPass(stack []ast.Node) bool { return givenTo("forward", stack) }

// givenTo is givenToPass for a method of any name.
func givenTo(method string, stack []ast.Node) bool {
	for i := 1; i < len(stack); i++ {
		if _, ok := stack[i].(*ast.FuncLit); !ok {
			continue
		}
		if call, ok := stack[i-1].(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == method {
				return true
			}
		}
	}
	return false
}
