package codemode_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/codemode"
)

func TestAScriptRuns(t *testing.T) {
	r := newRig(t, nil, nil)
	r.gives(`async () => 1 + 1`, `2`)
	r.gives(`const x: number = 20; return { x, y: [null, "é\u0000"] };`, `{"x":20,"y":[null,"é\u0000"]}`)
	r.gives(`async () => await forge.callTool("notes", "echo", { text: "hello" })`, `{"text":"hello"}`)
	r.gives(`return await forge.server("notes").echo({ text: "hello" })`, `{"text":"hello"}`)
	r.gives(`return (await forge.server("notes")[["__pro", "to__"].join("")]({ text: "p" })).text`, `"p"`)
	r.gives(
		"const s = await forge.server('notes'); try { `${s}` } catch (e) { return [e.name, JSON.stringify({ s }), s.valueOf, s.toJSON, s.then] }",
		`["TypeError","{\"s\":{}}",null,null,null]`,
	)
	r.gives(
		`const s = await forge.server("notes"); return await forge.callTool("notes", "then", { text: "t" })`,
		`{"text":"t"}`,
	)
	r.gives(
		`const r = await forge.parallel([1, 2, 3].map((n) => () => forge.callTool("notes", "echo", { text: String(n) })));
return r.map((x) => x.value.text).join()`,
		`"1,2,3"`,
	)
	r.gives(
		`return (await forge.parallel([{ server: "notes", tool: "echo", args: { text: "a" } }, () => { throw new Error("no") }])).map((x) => x.ok)`,
		`[true,false]`,
	)
	r.gives(`async () => undefined`, ``)
	for code, hinted := range map[string]bool{`1 + 1`: true, `return 2`: false, `return null`: false, `throw 1`: false} {
		result, _ := r.execute(t.Context(), "s1", code)
		if got := strings.Contains(string(result.Raw), "returned nothing"); got != hinted {
			t.Errorf("%s: %s", code, result.Raw)
		}
	}
	if n := r.reached("notes:then"); n != 1 {
		t.Errorf("then was called %d times", n)
	}
}

func TestWhatIsPrintedIsKeptWhenAScriptFails(t *testing.T) {
	r := newRig(t, nil, nil)
	got := r.fails(
		`console.log("before", { a: 1 }, new Error("x")); console.error("bad"); throw new Error("boom")`,
		mcpproxy.CodeScript,
		"boom",
	)
	if want := "before {\"a\":1} Error: x\nerror: bad\n"; got.Console != want {
		t.Errorf("printed %q, wanted %q", got.Console, want)
	}
}

// A script's local time is UTC, whichever function it uses.
func TestLocalTimeIsUTC(t *testing.T) {
	t.Setenv("TZ", "America/New_York") // the host's time zone must have no effect
	r := newRig(t, nil, nil)
	for code, want := range map[string]string{
		`new Date(0).toString()`:                               `"Thu Jan 01 1970 00:00:00 GMT+0000"`,
		`new Date(2020, 0, 1).toISOString()`:                   `"2020-01-01T00:00:00.000Z"`,
		`Date.parse("Jan 1 2020")`:                             `1577836800000`,
		`new Date(0).getHours()`:                               `0`,
		`new Date(0).getTimezoneOffset()`:                      `0`,
		`typeof Date()`:                                        `"string"`,
		`new Date(0).toLocaleString().length > 0`:              `true`,
		`new Date(0).toLocaleDateString() !== ""`:              `true`,
		`new Date(0).toLocaleTimeString() !== ""`:              `true`,
		`(d => (d.setHours(7), d.getUTCHours()))(new Date(0))`: `7`,
	} {
		r.gives("return "+code, want)
	}
}

// If a text is cut inside a character, only that character is lost.
func TestATextCutWithinACharacterIsPassedOn(t *testing.T) {
	r := newRig(t, nil, nil)
	r.gives(`return ["abcdef😀"].map((x) => x.slice(0, 7) + "…")`, `["abcdef\ufffd…"]`)
	r.gives(
		`return { ["a😀".slice(0, 2)]: "😀".slice(1), plain: "\\ud83d", whole: "😀" }`,
		`{"a\ufffd":"\ufffd","plain":"\\ud83d","whole":"😀"}`,
	)
	r.gives(`return (await forge.callTool("notes", "echo", { text: "😀".slice(0, 1) })).text`, `"�"`)
	r.gives(
		`await forge.stash.put("😀".slice(0, 1), "😀".slice(1)); return [await forge.stash.keys(), await forge.stash.get("\ufffd")]`,
		`[["�"],"�"]`,
	)
	r.fails(`throw new Error("😀".slice(0, 1))`, mcpproxy.CodeScript, "Error: \uFFFD")
}

func TestErrorsAreTyped(t *testing.T) {
	r := newRig(t, nil, nil)
	r.tool = func(_ context.Context, call *mcpproxy.Call) (string, error) {
		switch call.Tool {
		case "fail":
			return `{"content":[{"type":"text","text":"no such note"}],"isError":true}`, nil
		case "wait":
			return "", mcpproxy.Errorf(mcpproxy.CodeTimeout, nil, "the server did not answer")
		}
		return `{"content":[{"type":"text","text":"{\"error\":true,\"code\":\"TIMEOUT\"}"}]}`, nil
	}
	r.fails(`await forge.callTool("notes", "fail", { text: "a" })`, mcpproxy.CodeTool, "no such note")
	r.fails(`await forge.callTool("notes", "wait", { text: "a" })`, mcpproxy.CodeTimeout, "did not answer")
	r.fails(`await forge.callTool("note", "fail", {})`, mcpproxy.CodeServerNotFound, `did you mean "notes"?`)
	r.fails(`await forge.callTool("notes", "ecko", {})`, mcpproxy.CodeToolNotFound, `did you mean "echo"?`)
	r.fails(`await forge.callTool("notes", "echo", 1)`, mcpproxy.CodeMalformed, "an object")
	r.gives(
		`return await forge.callTool("notes", "echo", { text: "a" })`,
		`{"error":true,"code":"TIMEOUT"}`,
	) // a value, even if it looks like an error
	r.gives(
		`return (await forge.parallel([() => forge.callTool("note", "fail", {})]))[0]`,
		`{"ok":false,"error":{"message":"there is no server \"note\": did you mean \"notes\"?","code":"SERVER_NOT_FOUND","retryable":false,"suggested_fix":"look the name up with the search tool"}}`,
	)
	got := r.run(`console.log({ e: await forge.callTool("note", "fail", {}).catch((e) => e) })`)
	if !strings.Contains(got.Console, "there is no server") {
		t.Errorf("printed: %s", got.Console)
	}
	r.gives(
		`try { await forge.callTool("notes", "wait", { text: "a" }) } catch (e) { return [e instanceof ForgeError, e.code, e.retryable, typeof e.suggested_fix] }`,
		`[true,"TIMEOUT",true,"string"]`,
	)
}

// Shows: GW-7, GW-20.
func TestLimitsAreHeldByTheHost(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) {
		l.Calls = 5
		l.Output = 1000
		l.Args = 100
		l.Parallel = 2
	}, nil)
	got := r.run(
		`const all = await Promise.all(Array.from({ length: 20 }, () => forge.callTool("notes", "echo", { text: "x" }).then(() => 1, (e) => e.code)));
return all.filter((x) => x === 1).length`,
	)
	if string(got.Value) != "5" || r.reached("notes:echo") != 5 || got.Calls != 5 {
		t.Errorf("%s of the calls passed (%d reached the server): %+v", got.Value, r.reached("notes:echo"), got.Error)
	}
	r.fails(`return "x".repeat(2000)`, mcpproxy.CodeTooLarge, "1000 are allowed")
	r.fails(
		`return await forge.callTool("notes", "echo", { text: "x".repeat(200) })`,
		mcpproxy.CodeTooLarge,
		"100 are allowed",
	)
	if got := r.run(
		`for (let i = 0; i < 1000; i++) console.log("é".repeat(10)); return 1`,
	); len(got.Console) > 1000 ||
		strings.ContainsRune(got.Console, '\uFFFD') ||
		!strings.HasSuffix(got.Console, "cut here: 1000 bytes are kept (code_execution.max_output_bytes)\n") {
		t.Errorf("the console has %d bytes: %q", len(got.Console), got.Console)
	}
}

// However many calls a script makes at once, each is answered. Calls beyond the host's limit wait in the worker.
func TestMoreCallsThanMayWaitAtOnceAreAllAnswered(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.Calls, l.Frame = 5000, 1<<20 }, nil)
	var begun atomic.Int32
	crowd := make(chan struct{})
	r.tool = func(_ context.Context, call *mcpproxy.Call) (string, error) {
		if begun.Add(1) == 1 {
			time.AfterFunc(200*time.Millisecond, func() { close(crowd) }) // all other calls have arrived by then
		}
		<-crowd
		return `{"content":[],"structuredContent":` + string(call.Arguments) + `}`, nil
	}
	r.gives(
		`const all = await Promise.all(Array.from({ length: 2500 }, (_, i) => forge.callTool("notes", "echo", { text: String(i) })));
return all.every((x, i) => x.text === String(i))`,
		`true`,
	)
	r.gives(
		`const text = "x".repeat(1e5), all = await Promise.all(Array.from({ length: 40 }, () => forge.callTool("notes", "echo", { text })));
return all.every((x) => x.text === text)`,
		`true`,
	)
	r.gives(
		`const all = await Promise.allSettled(Array.from({ length: 3000 }, (_, i) => forge.stash.get("k" + i))); return all.length`,
		`3000`,
	)
}

// Shows: GW-5.
func TestEveryCallOfAScriptIsRecordedUnderIt(t *testing.T) {
	r := newRig(t, nil, nil)
	r.run(`await forge.callTool("notes", "echo", { text: "a" }); await forge.callTool("db", "echo", { text: "b" });`)
	var parent string
	inner := 0
	for _, rec := range r.recorded() {
		if rec.Metadata.Kind == mcpproxy.KindScript {
			parent = rec.ID
		}
	}
	for _, rec := range r.recorded() {
		if rec.ParentID != "" {
			inner++
			if rec.ParentID != parent || rec.Source != string(mcpproxy.ChannelCode) || rec.FlowSessionID != "s1" ||
				rec.Principal != "local" {
				t.Errorf("%+v", rec)
			}
		}
	}
	if parent == "" || inner != 2 {
		t.Errorf("script %q, %d calls", parent, inner)
	}
}

// Shows: GW-1, GW-2.
func TestAScriptStaysInTheFirstStrictGroup(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) {
		l.Groups = map[string]string{"vault": "secret", "db": "secret", "slack": "public"}
	}, nil)
	r.gives(
		`await forge.callTool("vault", "echo", { text: "a" }); await forge.callTool("db", "echo", { text: "a" }); await forge.callTool("notes", "echo", { text: "a" });
return await forge.callTool("slack", "echo", { text: "a" }).catch((e) => [e.code, e.activity_id.length])`,
		`["GROUP_POLICY_DENIED",26]`,
	)
	r.gives(
		`const r = await forge.parallel([() => forge.callTool("vault", "echo", { text: "1" }), () => forge.callTool("slack", "echo", { text: "2" })]);
return r.filter((x) => x.ok).length`,
		`1`,
	)
	r.gives(
		`await forge.callTool("vault", "echo", { text: "a" }); await forge.stash.put("v", "kept"); await forge.stash.put("w", 2); return await forge.stash.keys()`,
		`["v","w"]`,
	)
	r.gives(`return await forge.stash.keys()`, `[]`) // names reveal something too
	r.gives(`await forge.callTool("db", "echo", { text: "a" }); return await forge.stash.keys()`, `["v","w"]`)
	r.gives(`return await forge.stash.get("v")`, `"kept"`)
	r.gives(
		`await forge.stash.get("v"); return await forge.callTool("slack", "echo", { text: "a" }).catch((e) => e.code)`,
		`"GROUP_POLICY_DENIED"`,
	)
	r.gives(
		`await forge.callTool("slack", "echo", { text: "a" }); return [await forge.stash.get("v").catch((e) => e.code), await forge.stash.keys()]`,
		`["GROUP_POLICY_DENIED",[]]`,
	)
	r.gives(
		`await forge.callTool("slack", "echo", { text: "a" }); return await forge.stash.put("v", 1).catch((e) => e.code)`,
		`"GROUP_POLICY_DENIED"`,
	)
	if got := r.runIn("s2", `return await forge.stash.keys()`); string(got.Value) != "[]" {
		t.Errorf("another session sees %s", got.Value)
	}
	l := codemode.DefaultLimits()
	l.Enabled, l.Groups = true, map[string]string{"vault": "renamed", "slack": "public"}
	r.gives(
		`await forge.callTool("vault", "echo", { text: "a" }); await forge.stash.put("u", "of vault's"); return 1`,
		`1`,
	)
	r.host.Configure(l) // a reload changed the groups, under which the values were stored
	r.gives(`return await forge.stash.keys()`, `[]`)
	r.gives(`await forge.stash.put("x", 1); return await forge.stash.keys()`, `["x"]`)
	r.host.Forget("s1")
	r.gives(`return [await forge.stash.get("v"), await forge.stash.keys()]`, `[null,[]]`)
}

// Changes that a script makes to built-ins of its language have no effect on what the host receives.
// Shows: GW-18.
func TestAttacksFromWithin(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.HeapMB = 32 }, nil)
	for name, c := range map[string]struct{ code, want string }{
		"eval by a name put together":    {`const f = function () {}; try { f[["cons", "tructor"].join("")]("return 1")(); return "ran" } catch (e) { return e.message }`, `"code made from text is not run here"`},
		"the async constructor":          {`const f = async function () {}; try { f[["cons", "tructor"].join("")]("return 1")(); return "ran" } catch (e) { return e.message }`, `"code made from text is not run here"`},
		"the generators' constructor":    {`const f = function* () {}; try { f[["cons", "tructor"].join("")]("yield 1"); return "ran" } catch (e) { return e.message }`, `"code made from text is not run here"`},
		"this is no global object":       {`return (function () { return this === undefined })()`, `true`},
		"the API is frozen":              {`try { forge.callTool = 1; return "changed" } catch (e) { return e.name }`, `"TypeError"`},
		"a part of the API is frozen":    {`try { forge.stash.put = 1; return "changed" } catch (e) { return e.name }`, `"TypeError"`},
		"this at the top":                {`return [this === undefined, (() => this === undefined)(), typeof this]`, `[true,true,"undefined"]`},
		"the API's functions are frozen": {`const open = []; for (const o of [forge, forge.stash, console, forge.server("notes")]) for (const k in o) try { o[k].x = 1; open.push(k) } catch (e) {} return open.filter((k) => k !== "stash")`, `[]`},
		"the API cannot be replaced":     {`try { forge = 1; return "changed" } catch (e) { return e.name }`, `"TypeError"`},
		"JSON is replaced":               {`JSON.stringify = () => "1"; JSON.parse = () => 2; return await forge.callTool("notes", "echo", { text: "x" })`, `{"text":"x"}`},
		"Promise is replaced":            {`Promise = 1; return await forge.callTool("notes", "echo", { text: "x" })`, `{"text":"x"}`},
		"the prototype is polluted":      {`Object.prototype.server = "vault"; Object.prototype.toJSON = undefined; return (await forge.callTool("notes", "echo", { text: "x" })).text`, `"x"`},
		"the next run sees none of it":   {`return [typeof JSON.stringify, ({}).server === undefined, typeof Promise]`, `["function",true,"function"]`},
		"toJSON of an argument":          {`return await forge.callTool("notes", "echo", { text: { toJSON: () => "y" } })`, `{"text":"y"}`},
		"a getter that throws":           {`return await forge.callTool("notes", "echo", { get text() { throw new Error("g") } }).catch((e) => e.code)`, `"MALFORMED"`},
		"a thenable result":              {`return { then: (f) => f(7) }`, `7`},
		"the host's hand":                {`return typeof __host`, `"undefined"`},
	} {
		t.Run(name, func(t *testing.T) { r.t = t; r.gives(c.code, c.want) })
	}
	r.t = t
	got := r.run(`const a = []; for (;;) a.push(new Array(1000).fill("x".repeat(1000) + a.length))`)
	if got.Error == nil {
		t.Errorf("a script that takes all memory gave %s", got.Value)
	}
	r.fails(`const a = {}; a.a = a; return a`, mcpproxy.CodeMalformed, "JSON")
	r.fails(`await new Promise(() => {})`, mcpproxy.CodeScript, "nothing will ever settle")
	r.fails(`async () => eval("1")`, mcpproxy.CodeMalformed, "eval is not available")
}

// The stash returns exactly the stored values.
func TestTheLargestValueOfTheStashComesBack(t *testing.T) {
	r := newRig(t, nil, nil)
	r.gives(`await forge.stash.put("k", "x".repeat((16 << 20) - 2))`, ``)
	r.gives(`return (await forge.stash.get("k")).length`, `16777214`)
	r.fails(`await forge.stash.put("k", "x".repeat(16 << 20))`, mcpproxy.CodeTooLarge, "16777216 are allowed")
}

// If a script exceeds the memory limit, its error names the limit.
func TestAScriptThatTakesAllMemoryIsToldSo(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.HeapMB = 16 }, nil)
	for _, code := range []string{`const a = []; for (;;) a.push(new Uint8Array(1e6))`, `return "x".repeat(1e7) + "y"`} {
		r.fails(code, mcpproxy.CodeTooLarge, "code_execution.heap_mb")
	}
	for _, code := range []string{`const a = []; for (let i = 0; ; i++) a.push({ i })`, `let p = Promise.resolve(); for (;;) p = p.then(() => 1)`,
		`await forge.callTool("notes", "echo", { text: "x".repeat(1e7) + "y" })`} {
		if got := r.run(code); got.Error == nil || !strings.Contains(got.Error.Message, "code_execution.heap_mb") {
			t.Errorf("%s: %+v", code, got.Error)
		}
	}
	r.fails(`throw null`, mcpproxy.CodeScript, "the script threw null")
	r.fails(`throw new Error("out of memory")`, mcpproxy.CodeScript, "Error: out of memory")
}

func TestResourcesAreNamedPlainly(t *testing.T) {
	r := newRig(t, nil, nil)
	r.tool = func(context.Context, *mcpproxy.Call) (string, error) {
		return `{"contents":[{"uri":"x","text":"{\"a\":1}"}]}`, nil
	}
	for _, uri := range []string{"note://a/b..c", "note://a/100%", "note://a/%zz", "note:a", "note://a/%C3%A9"} {
		r.gives(fmt.Sprintf(`return await forge.readResource("notes", %q)`, uri), `{"a":1}`)
	}
	for _, uri := range []string{"file:///a/../b", "file:///a/%2e%2e/b", "file:///a/%252e%252e/b", "file:///a/%25252e./b", `file:///a\\..\\b`, "note://a%00", "note://a\\u0000", "note://a\\nb",
		"javascript:alert(1)", "DATA:text/plain,x",
		"file:///srv/%2e%2e/%2e%2e/etc/passwd?%zz", "file:///srv/%zz/%2e%2e/x", "note:../secret", "note:%2e%2e/secret", "note://a?file=../secret", "note://a;../b", "nothing", "", "note://" + strings.Repeat("x", 2048)} {
		got := r.fails(
			fmt.Sprintf(`return await forge.readResource("notes", "%s")`, uri),
			mcpproxy.CodeMalformed,
			"the URI",
		)
		if got.Error != nil && len(uri) > 8 && strings.Contains(got.Error.Message, uri) {
			t.Errorf("the error repeats %s", uri)
		}
	}
	r.fails(`return await forge.readResource("nobody", "note://a")`, mcpproxy.CodeServerNotFound, "there is no server")
}
