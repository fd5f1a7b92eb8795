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

// routes lists all places in this repository that send something to a server. What they send is a request that has
// passed the gate, the answer to a server's question, or a message of the proxy itself. A new place may only be added
// here together with the reason why it passes the gate or need not.
var routes = map[string]int{
	// Requests: only bridge reaches these, and it is called only inside forward.
	"internal/gateway/bridge.go bridge link.Call":      1,
	"internal/gateway/bridge.go relisten link.Listen":  1,
	"internal/gateway/bridge.go toStateless link.Call": 1,
	"internal/gateway/bridge.go toStateful link.Call":  2, // the request, and the client's log level
	// A client's answer, inside forward. The error if there is no answer or the gate stopped it.
	"internal/gateway/bridge.go answer link.Notify": 3,
	// Calls of scripts: codemode calls Send only in the function that it gives to the gate
	// (TestScriptsSendThroughTheGate).
	"internal/gateway/scripts.go Send link.Call": 1,
	// Subscriptions to URIs that were in a request which came through bridge.
	"internal/gateway/listen.go listen link.Call":       1,
	"internal/gateway/session.go subscribe link.Listen": 1,
	// A client's notification, inside forward, and the end of the handshake.
	"internal/gateway/server_endpoint.go notified link.Notify":      1,
	"internal/gateway/server_endpoint.go notified link.Initialized": 1,
	"internal/gateway/link.go clientLinkTo link.Initialized":        1,
}

// guarded lists functions with the only callers that may use them, and says whether the call must be in a function
// that is passed to forward.
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

// use is one occurrence of a name, with its position.
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

// A script's calls pass the same gate as all other calls.
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

// uses finds the selectors with the given names in all files that import package upstream. Other files cannot contain
// any.
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
					return true // a function of a package, or the address to listen on
				}
				u.name, u.expr = e.Sel.Name, "…."+e.Sel.Name
				if ok {
					u.expr = x.Name + "." + e.Sel.Name
				}
			case *ast.Ident: // a function of package upstream itself
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

// called reports whether the innermost node is the function of a call.
func called(stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	return ok && call.Fun == stack[len(stack)-1]
}

// handedTo reports whether the innermost node is the last argument of a method call.
func handedTo(method string, stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[len(call.Args)-1] != stack[len(stack)-1] {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == method
}

// givenToPass reports whether the innermost node is in a function literal that is an argument of pass.
func givenToPass(stack []ast.Node) bool { return givenTo("forward", stack) }

// givenTo is givenToPass for a method with any name.
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
