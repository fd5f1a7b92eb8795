package validate_test

import (
	"errors"
	"strings"
	"testing"

	"mcpproxy/internal/codemode/validate"
)

// maxSource is the maximum length of a script in these tests, in bytes.
const maxSource = 64 << 10

// bs is a backslash, for escapes that the script and not Go should interpret.
const bs = `\`

// Shows: GW-17.
func TestAScriptThatReachesForMoreThanToolsIsRefused(t *testing.T) {
	for name, source := range map[string]string{
		"eval":                             `async () => eval("1")`,
		"eval after a comment":             `async () => eval/**/("1")`,
		"eval before a line comment":       "async () => eval//\n('1')",
		"eval before a newline":            "async () => eval\n(\"1\")",
		"eval before a tab":                "async () => eval\t(\"1\")",
		"eval with a Cyrillic letter":      `async () => еval("1")`,
		"eval in full width":               `async () => ｅｖａｌ("1")`,
		"eval with an escape":              `async () => ` + bs + `u0065val("1")`,
		"eval indirectly":                  `async () => (0, eval)("1")`,
		"Function":                         `async () => Function("return 1")()`,
		"new Function":                     `async () => new Function("return 1")()`,
		"AsyncFunction":                    `async () => new AsyncFunction("return 1")()`,
		"GeneratorFunction":                `async () => new GeneratorFunction("yield 1")()`,
		"AsyncGeneratorFunction":           `async () => new AsyncGeneratorFunction("yield 1")()`,
		"the constructor's constructor":    `async () => [].constructor.constructor("return 1")()`,
		"the same by brackets":             `async () => []["constructor"]["constructor"]("return 1")()`,
		"the same by templates":            "async () => []['x'][`constructor`]('return 1')()",
		"the constructor of a generator":   `async () => (function*(){}).constructor("yield 1")`,
		"a constructor, destructured":      `async () => { const { constructor: c } = () => {}; return c("return 1")(); }`,
		"__proto__":                        `async () => ({}).__proto__`,
		"__proto__ by brackets":            `async () => ({})["__proto__"]`,
		"__proto__ as a key":               `async () => ({ __proto__: null })`,
		"Reflect":                          `async () => Reflect.ownKeys({})`,
		"Proxy":                            `async () => new Proxy({}, {})`,
		"String.raw":                       "async () => String.raw`x`",
		"fromCharCode":                     `async () => String.fromCharCode(101)`,
		"Symbol.toPrimitive":               `async () => ({ [Symbol.toPrimitive]: () => 1 })`,
		"Symbol.hasInstance":               `async () => ({ [Symbol.hasInstance]: () => true })`,
		"WebAssembly":                      `async () => WebAssembly.compile([])`,
		"SharedArrayBuffer":                `async () => new SharedArrayBuffer(8)`,
		"Atomics":                          `async () => Atomics.load([], 0)`,
		"with":                             `async () => { with ({}) {} }`,
		"import()":                         `async () => import("fs")`,
		"import.meta":                      `async () => import.meta.url`,
		"an import":                        "import fs from 'fs';\nreturn fs;",
		"require":                          `async () => require("fs")`,
		"Deno":                             `async () => Deno.readTextFile("x")`,
		"process":                          `async () => process.env`,
		"globalThis":                       `async () => globalThis["ev" + "al"]("1")`,
		"an alias":                         `async () => { const e = eval; return e("1"); }`,
		"an alias of an alias":             `async () => { const a = eval; const b = a; return b("1"); }`,
		"eval, destructured":               `async () => { const { eval: e } = globalThis; return e("1"); }`,
		"eval as a default":                `async (a = eval("1")) => a`,
		"eval as a default in a pattern":   `async ({ a = eval } = {}) => a("1")`,
		"eval in a template":               "async () => `${eval('1')}`",
		"eval in a class":                  `async () => { class A { static x = eval("1") } return A.x; }`,
		"new.target of a caller":           `async () => (function () { return arguments.callee })()`,
		"257 nested arrays":                `async () => ` + strings.Repeat("[", 257) + strings.Repeat("]", 257),
		"257 nested calls of a name":       `async () => ` + strings.Repeat("f(", 257) + strings.Repeat(")", 257),
		"more bytes than allowed":          `async () => "` + strings.Repeat("x", maxSource) + `"`,
		"nothing":                          "",
		"blanks":                           " \n\t ",
		"a comment that is never closed":   "async () => 1 /*",
		"half a function":                  "async () => {",
		"a way out of the body":            `}); evil(); (async () => {`,
		"a way out of the function":        `async () => 1); evil(); (async () => 2`,
		"a character that reverses text":   "async () => '\u202e'",
		"a NUL":                            "async () => '\x00'",
		"bytes that are no text":           "async () => '\xff'",
		"a generator":                      `function* () { yield 1 }`,
		"an assignment to the prototype":   `async () => Object.setPrototypeOf({}, null)`,
		"a name that is not normal":        `async () => { const ﬁ = 1; return ﬁ; }`,
		"a member in full width":           `async () => ({}).ｃonstructor`,
		"a member that looks like another": `async () => ({}).сonstructor`,
		"a field of a class":               `async () => class { callee = 1 }`,
		"a static field of a class":        `async () => class { static __proto__ = 1 }`,
		"a field by brackets":              `async () => class { ["caller"] = 1 }`,
		"a method of a class":              `async () => class { fromCharCode() {} }`,
		"a static method of a class":       `async () => class { static fromCharCode() {} }`,
		"a static constructor":             `async () => class { static constructor() {} }`,
		"a constructor by brackets":        `async () => class { ["constructor"]() {} }`,
		"a getter of a class":              `async () => class { get callee() { return 1 } }`,
		"a setter of a class":              `async () => class { set "__proto__"(v) {} }`,
		"a method that looks like another": `async () => class { сonstructor() {} }`,
		"a field that looks like another":  `async () => class { сonstructor = 1 }`,
		"a private name like another":      `async () => class { #сonstructor = 1 }`,
		"an accessor of a class":           `async () => class { accessor callee = 1 }`,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := validate.Check(source, maxSource)
			if e, ok := errors.AsType[*validate.Error](err); !ok || e.Error() == "" {
				t.Errorf("it came through as %q (%v)", text, err)
			}
		})
	}
}

func TestAnHonestScriptIsRun(t *testing.T) {
	for name, source := range map[string]string{
		"an async function":               `async () => 1`,
		"a function":                      `() => 1`,
		"a function with a semicolon":     `async () => { return 1; };`,
		"a named function":                `async function main() { return 1; }`,
		"a default export":                `export default async () => 1`,
		"a body":                          "const x = await forge.callTool('a', 'b', {});\nreturn x;",
		"a body after a comment":          "// first\nreturn 1; // last",
		"a function after a comment":      "// first\nasync () => 1 // last",
		"types":                           `async (): Promise<number> => { interface A { b: string } const x: A = { b: "1" }; return x.b.length as number; }`,
		"an enum":                         `async () => { enum E { A, B } return E.B; }`,
		"the words in strings":            `async () => "eval(Function, process, require) __proto__ constructor globalThis"`,
		"the words in templates":          "async () => `eval ${1} import() WebAssembly`",
		"the words in comments":           `async () => { /* eval("1") */ return 1; }`,
		"a member that is called process": `async () => { const data = { process: { status: 1 } }; return data.process.status; }`,
		"the name of a constructor":       `async () => [].constructor.name`,
		"Symbol.iterator":                 `async () => [][Symbol.iterator]().next()`,
		"an async generator":              `async () => { async function* g() { yield 1 } for await (const x of g()) return x; }`,
		"private members":                 `async () => { class A { #x = 1; get x() { return this.#x } } return new A().x; }`,
		"the members of a class":          `async () => { class A { static n = 1; "a b" = "constructor"; ["x"] = "callee"; constructor(public y = 2) {} get z() { return 1 } static m() {} [Symbol.iterator]() {} } return new A() }`,
		"a class that extends another":    `async () => { class A {} class B extends A { constructor() { super() } } return new B() }`,
		"what is newer than ES2017":       `async () => { const a = { b: null }; return { ...a, c: a?.b ?? 2, d: 2 ** 3, n: 1_000 }; }`,
		"names of other scripts":          `async () => { const größe = 1, имя = 2; return größe + имя; }`,
		"text of other scripts":           `async () => "ｅｖａｌ еval ﬁ …"`,
		"a tagged template of its own":    "async () => { const t = (s: any) => s[0]; return t`x`; }",
		"256 levels and no more":          `async () => ` + strings.Repeat("[", 250) + strings.Repeat("]", 250),
		"a regular expression":            `async () => /a+[(]/.test("a")`,
	} {
		t.Run(name, func(t *testing.T) {
			if text, err := validate.Check(source, maxSource); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

func TestAFaultNamesItsLine(t *testing.T) {
	_, err := validate.Check("async () => {\n  const x = ;\n}", maxSource)
	if e, ok := errors.AsType[*validate.Error](err); !ok || e.Line != 2 {
		t.Errorf("%v", err)
	}
}

// If a script is accepted, its checked form is accepted too and keeps its meaning: the text is one function and needs
// no second translation.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`async () => 1`, `return 1`, `async () => eval("1")`, "`${eval}`", `({}).constructor.name`, `}); x(); (async () => {`, `a=>{"use strict"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 200 {
			return // long inputs are slow and test nothing more
		}
		text, err := validate.Check(source, 1000)
		if err != nil {
			return
		}
		for _, word := range []string{"eval(", "import(", "Function(", "Reflect.", "globalThis", "WebAssembly"} {
			if strings.Contains(text, word) && !strings.ContainsAny(source, "\"'`/") {
				t.Fatalf("%q came through as %q", source, text)
			}
		}
		if !strings.HasPrefix(text, `"use strict";`) {
			t.Fatalf("%q came through as %q", source, text)
		}
	})
}
