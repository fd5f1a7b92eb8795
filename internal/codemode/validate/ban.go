package validate

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"golang.org/x/text/unicode/norm"

	"mcpproxy/internal/text"
)

// Names are the identifiers that a script cannot use: functions that run text as code,
// reflection, shared memory, and globals of browsers and other runtimes. The worker also
// removes those of them that its engine defines.
var Names = []string{
	"eval",
	"Function",
	"AsyncFunction",
	"GeneratorFunction",
	"AsyncGeneratorFunction",
	"Reflect",
	"Proxy",
	"WebAssembly",
	"SharedArrayBuffer",
	"Atomics",
	"globalThis",
	"window",
	"self",
	"global",
	"require",
	"process",
	"Deno",
	"Bun",
	"importScripts",
	"FinalizationRegistry",
	"WeakRef",
}

// members are member names that a script must not access on any object.
var members = []string{"__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
	"fromCharCode", "fromCodePoint", "setPrototypeOf", "caller", "callee"}

// of maps names of objects to the member names that a script must not access on them.
var of = map[string][]string{"String": {"raw"}, "Symbol": {"toPrimitive", "hasInstance", "species", "unscopables"}}

// ban is the error for a construct that is banned in every form of a script. After a ban, the script
// is not tried in another form.
type ban struct{ why *Error }

func (b *ban) Error() string { return b.why.Error() }

// walk checks a node and its descendants.
func walk(v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return walk(v.Elem(), depth)
	case reflect.Slice:
		for i := range v.Len() {
			if err := walk(v.Index(i), depth); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if node, ok := v.Interface().(ast.Node); ok {
			if depth--; depth < 0 {
				return forbid("its constructs are nested more than %d deep", MaxNesting)
			}
			if name, ok := named(node); ok {
				return walk(reflect.ValueOf(name), depth) // `.name` is the only allowed use of a constructor
			}
			if err := judge(node); err != nil {
				return err
			}
		}
		return walk(v.Elem(), depth)
	case reflect.Struct:
		return fields(v, depth)
	}
	return nil
}

// fields checks the fields of a node. It skips lists of declarations, which repeat nodes below.
func fields(v reflect.Value, depth int) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Name == "DeclarationList" || f.Name == "File" {
			continue
		}
		switch f.Type.Kind() {
		case reflect.Interface, reflect.Slice, reflect.Pointer, reflect.Struct:
			if err := walk(v.Field(i), depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func forbid(format string, args ...any) error {
	return &ban{&Error{Message: "the script is not run: " + fmt.Sprintf(format, args...)}}
}

// named returns the object whose constructor's name a node reads.
func named(n ast.Node) (ast.Expression, bool) {
	name, ok := n.(*ast.DotExpression)
	if !ok || name.Identifier.Name != "name" {
		return nil, false
	}
	of, ok := name.Left.(*ast.DotExpression)
	if !ok || of.Identifier.Name != "constructor" {
		return nil, false
	}
	return of.Left, true
}

// judge refuses a node that is a banned construct.
func judge(n ast.Node) error {
	switch n := n.(type) {
	case *ast.Identifier:
		return identifier(n.Name.String())
	case *ast.DotExpression:
		return member(n.Left, n.Identifier.Name.String())
	case *ast.BracketExpression:
		if name, ok := constant(n.Member); ok {
			return member(n.Left, name)
		}
	case *ast.PropertyKeyed:
		if name, ok := constant(n.Key); ok {
			return key(name)
		}
	case *ast.MethodDefinition:
		return method(n)
	case *ast.FieldDefinition:
		if name, ok := constant(n.Key); ok {
			return key(name)
		}
	case *ast.CallExpression:
		return field(n)
	case *ast.PropertyShort:
		return key(n.Name.Name.String())
	case *ast.WithStatement:
		return forbid("`with` is not available")
	case *ast.MetaProperty:
		return forbid("%s.%s is not available", n.Meta.Name, n.Property.Name)
	}
	return nil
}

func identifier(name string) error {
	if slices.Contains(Names, name) {
		return forbid("%s is not available (a variable of your own needs another name)", name)
	}
	return lookalike(name)
}

func member(object ast.Expression, name string) error {
	if name == "constructor" {
		return forbid(".constructor is only available as .constructor.name")
	}
	if id, ok := object.(*ast.Identifier); ok && slices.Contains(of[id.Name.String()], name) {
		return forbid("%s.%s is not available", id.Name, name)
	}
	return key(name)
}

// key checks the name of a member in an object or a pattern.
func key(name string) error {
	switch {
	case slices.Contains(members, name):
		return forbid("%s is not available", name)
	case name == "constructor":
		return forbid(".constructor is only available as .constructor.name")
	}
	return lookalike(name)
}

// method checks the name of a class's method. A constructor is allowed.
func method(n *ast.MethodDefinition) error {
	name, ok := constant(n.Key)
	if !ok || name == "constructor" && n.Kind == ast.PropertyKindMethod && !n.Static && !n.Computed {
		return nil
	}
	return key(name)
}

// field checks the name of a class field that esbuild has lowered to a call with the name as second
// argument.
func field(n *ast.CallExpression) error {
	helper, ok := n.Callee.(*ast.Identifier)
	if !ok || helper.Name != "__publicField" || len(n.ArgumentList) < 2 {
		return nil
	}
	if name, ok := constant(n.ArgumentList[1]); ok {
		return key(name)
	}
	return nil
}

// lookalike refuses names that resemble others.
func lookalike(name string) error {
	if norm.NFKC.String(name) != name {
		return forbid("the name %q is not in its normal form (NFKC): write it with plain letters", name)
	}
	if plain := text.NormalForm(name); plain != name && ascii(plain) {
		return forbid("the name %q looks like %q and is another: write it with plain letters", name, plain)
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// constant returns the text of a constant string expression.
func constant(e ast.Expression) (string, bool) {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return e.Value.String(), true
	case *ast.TemplateLiteral:
		if e.Tag == nil && len(e.Elements) == 1 {
			return e.Elements[0].Parsed.String(), true
		}
	}
	return "", false
}
