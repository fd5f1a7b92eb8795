package codemode_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/wire"
)

func TestSearchShowsWhatTheCallerMayUse(t *testing.T) {
	r := newRig(t, nil, nil)
	only := func(tool *mcpproxy.Tool) bool { return tool.Server == "notes" && tool.Name == "echo" }
	for _, args := range []string{`{}`, `{"detail":"full","limit":200}`, `{"query":"echo","detail":"names"}`, `{"server":"vault"}`} {
		said, err := r.host.Search([]byte(args), only)
		if err != nil || !strings.Contains(said, " of 1 tools") || strings.Contains(said, "vault") ||
			strings.Contains(said, "wait") {
			t.Errorf("%s: %v %s", args, err, said)
		}
		if shown := strings.Contains(said, "echo"); shown == strings.Contains(args, "vault") {
			t.Errorf("%s: %s", args, said)
		}
	}
	if said, err := r.host.Search([]byte(`{}`), all); err != nil || !strings.HasPrefix(said, "// 20 of 20 tools") {
		t.Errorf("%v %s", err, said)
	}
}

// A script has the rights of its caller: the gate checks each of its calls against the caller's scope, and no error
// reveals what is outside the scope.
func TestAScriptReachesWhatItsCallerMayUse(t *testing.T) {
	r := newRig(t, nil, nil)
	r.gate.Configure(gate.Settings{Scope: func(c *mcpproxy.Call, _ mcpproxy.Operation) string {
		if c.Kind == mcpproxy.KindScript || c.Server == "notes" && c.Kind == mcpproxy.KindTool && c.Tool == "echo" {
			return ""
		}
		return "outside"
	}})
	r.gives(`return await forge.callTool("notes", "echo", { text: "a" })`, `{"text":"a"}`)
	for _, call := range []string{`forge.callTool("vault", "echo", { text: "a" })`, `forge.callTool("vault", "ecko", {})`, `forge.callTool("vaul", "echo", {})`,
		`forge.callTool("notes", "wait", { text: "a" })`, `forge.readResource("vault", "note://a")`, `forge.readResource("nobody", "note://a")`} {
		got := r.fails("await "+call, mcpproxy.CodeDenied, "outside")
		if got.Error == nil || strings.Contains(got.Error.Message, "did you mean") || got.Error.ActivityID == "" {
			t.Errorf("%s: %+v", call, got.Error)
		}
	}
	if len(r.sent) != 1 {
		t.Errorf("these reached a server: %v", r.sent)
	}
}

func TestErrorsOfServersRevealNoInternals(t *testing.T) {
	r := newRig(t, nil, nil)
	r.tool = func(_ context.Context, call *mcpproxy.Call) (string, error) {
		if call.Tool == "wait" {
			return "", mcpproxy.Errorf(
				mcpproxy.CodeUpstream,
				nil,
				"server %q refused: see http://10.0.0.1:99/x and /galaxy/y/z",
				call.Server,
			)
		}
		return `{"isError":true,"content":[{"type":"text","text":"open /galaxy/y/z: no such file"}]}`, nil
	}
	r.gives(
		`return await forge.callTool("notes", "wait", { text: "a" }).catch((e) => e.message)`,
		`"server \"notes\" refused: see [url] and [path]"`,
	)
	r.gives(
		`return await forge.callTool("notes", "fail", { text: "a" }).catch((e) => e.message)`,
		`"open [path]: no such file"`,
	)
}

// A tool is called only after the definitions of its server were read.
func TestAScriptWaitsUntilDefinitionsAreRead(t *testing.T) {
	r := newRig(t, nil, nil)
	r.host.Ready = func(_ context.Context, server string) error {
		if server == "vault" {
			return mcpproxy.Errorf(mcpproxy.CodeUpstream, context.DeadlineExceeded, "what it declares cannot be read")
		}
		return nil
	}
	r.gives(`return await forge.callTool("notes", "echo", { text: "a" })`, `{"text":"a"}`)
	for _, call := range []string{`forge.callTool("vault", "echo", { text: "a" })`, `forge.readResource("vault", "note://a")`} {
		r.fails("await "+call, mcpproxy.CodeUpstream, "cannot be read")
	}
	if n := r.reached("vault:echo"); n != 0 {
		t.Errorf("%d calls reached it", n)
	}
}

func TestAStopThatMayPassLaterSaysSo(t *testing.T) {
	r := newRig(t, nil, nil)
	for _, code := range []mcpproxy.Code{mcpproxy.CodeCircuitOpen, mcpproxy.CodeRateLimit} {
		r.tool = func(context.Context, *mcpproxy.Call) (string, error) {
			return "", mcpproxy.Errorf(code, nil, "server busy").Later("try again in 7s")
		}
		r.gives(
			`return await forge.callTool("notes", "wait", { text: "a" }).catch((e) => [e.code, e.retryable, e.suggested_fix])`,
			`["`+string(code)+`",true,"try again in 7s"]`,
		)
	}
}

func TestCallsOfAScriptStandInItsTrace(t *testing.T) {
	r := newRig(t, nil, nil)
	trace, _ := mcpproxy.ParseTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	args, err := json.Marshal(map[string]string{"code": `await forge.callTool("notes", "echo", { text: "a" })`})
	if err != nil {
		t.Fatal(err)
	}
	var seen mcpproxy.Trace
	r.tool = func(_ context.Context, call *mcpproxy.Call) (string, error) {
		seen = call.Trace
		return `{"content":[]}`, nil
	}
	own := &mcpproxy.Call{
		Principal:   "local",
		FlowSession: "s1",
		Tool:        "execute",
		Arguments:   args,
		Trace:       trace,
	}
	if result, v := r.host.Execute(t.Context(), own, nil); result == nil {
		t.Fatal(v.Reason)
	}
	if seen.ID != trace.ID || seen.Parent == "" || seen.Parent != own.Trace.Span || seen.Span == own.Trace.Span {
		t.Errorf("the script stands at %+v, its call at %+v", own.Trace, seen)
	}
}

func TestStoredScriptsAreRunByTheirName(t *testing.T) {
	r := newRig(t, nil, nil)
	run := func(args string) (string, string) {
		call := &mcpproxy.Call{
			Principal:   "local",
			FlowSession: "s1",
			Tool:        "execute",
			Arguments:   []byte(args),
		}
		result, v := r.host.Execute(t.Context(), call, nil)
		if result == nil {
			t.Fatal(v.Reason)
		}
		return string(
				wire.Member(result.Raw, "structuredContent", "result"),
			), wire.String(
				result.Raw,
				"structuredContent",
				"error",
				"message",
			)
	}
	if _, failed := run(`{"script":"a"}`); !strings.Contains(failed, "no stored script") {
		t.Errorf("without a folder: %s", failed)
	}
	r.folder = t.TempDir()
	for name, code := range map[string]string{
		"weekly.ts":  `const n: number = 7; return n`,
		"other.js":   `return 8`,
		"no name.ts": `return 9`,
		"notes.txt":  `return 10`,
	} {
		if err := os.WriteFile(filepath.Join(r.folder, name), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(r.folder, "link.ts")); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{`{"script":"weekly"}`: "7", `{"script":"other"}`: "8"} {
		if got, failed := run(args); got != want {
			t.Errorf("%s: %s %s", args, got, failed)
		}
	}
	for args, want := range map[string]string{
		`{"script":"weakly"}`:                   "did you mean weekly",
		`{"script":"../weekly"}`:                "no stored script",
		`{"script":"no name"}`:                  "no stored script",
		`{"script":"link"}`:                     "no stored script",
		`{"script":"weekly","code":"return 1"}`: "not both",
		`{"script":""}`:                         "not both",
		`{"script":1}`:                          "not both",
	} {
		if got, failed := run(args); got != "" || !strings.Contains(failed, want) {
			t.Errorf("%s: %s %s", args, got, failed)
		}
	}
	recorded := false
	for _, rec := range r.recorded() {
		recorded = recorded || strings.Contains(string(rec.Arguments), "const n: number = 7")
	}
	if !recorded {
		t.Error("the record does not hold what was run")
	}
	if said, err := r.host.Search(
		[]byte(`{}`),
		all,
	); err != nil ||
		!strings.Contains(said, "stored scripts, for execute {script}: other, weekly\n") {
		t.Errorf("%v %s", err, said)
	}
}

// An invalid lifetime is refused, not replaced by another one.
func TestTheLifetimeOfAStashedValueIsChecked(t *testing.T) {
	r := newRig(t, nil, nil)
	for ttl, ok := range map[string]bool{
		"1":         true,
		"86400":     true,
		"undefined": true,
		"0":         false,
		"-1":        false,
		"86401":     false,
		"NaN":       false,
		"Infinity":  false,
		"null":      false,
		"'9'":       false,
	} {
		code := `await forge.stash.put("k", 1, { ttl: ` + ttl + ` }); return await forge.stash.get("k")`
		if ok {
			r.gives(code, "1")
		} else {
			r.fails(code, mcpproxy.CodeMalformed, "more than 0 and at most 86400")
		}
	}
	for _, options := range []string{"60", "'60'", "true"} {
		r.fails(`await forge.stash.put("k", 1, `+options+`)`, mcpproxy.CodeMalformed, "write { ttl: seconds }")
	}
}

// The text of a failure contains the error code once, even if the reason of a verdict contains it too.
func TestTheErrorCodeAppearsOnce(t *testing.T) {
	r := newRig(t, func(l *codemode.Limits) { l.Groups = map[string]string{"vault": "a", "slack": "b"} }, nil)
	result, _ := r.execute(t.Context(), "s1",
		`await forge.callTool("vault", "echo", {}); await forge.callTool("slack", "echo", {})`)
	var out struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(result.Raw, &out); err != nil || len(out.Content) == 0 {
		t.Fatal(err)
	}
	if n := strings.Count(out.Content[0].Text, "GROUP_POLICY_DENIED"); n != 1 {
		t.Errorf("%d times: %s", n, out.Content[0].Text)
	}
}
