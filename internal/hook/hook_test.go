package hook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/hook"
)

func ExampleAgent() {
	agent, _ := hook.Named("claude-code")
	e, err := agent.Read(
		"PreToolUse",
		[]byte(`{"session_id": "s", "tool_name": "mcp__github__push", "tool_input": {"branch": "main"}}`),
		nil,
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Kind, e.Server, e.Tool, string(e.Input))
	fmt.Printf("%q\n", agent.Reply(e, mcpproxy.Allow, "", hook.ReplyOptions{}).Stdout)
	fmt.Printf("%s", agent.Reply(e, mcpproxy.Deny, "A key would leave.", hook.ReplyOptions{}).Stdout)
	// Output:
	// pre_tool github push {"branch": "main"}
	// ""
	// {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"A key would leave."}}
}

// each calls f with every payload of the transcripts, and with its agent.
func each(t testing.TB, f func(agent, event string, payload []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range archive.Files {
			if strings.HasSuffix(in.Name, "/in") {
				event, payload, _ := strings.Cut(string(in.Data), "\n")
				f(strings.TrimSuffix(filepath.Base(file), ".txtar"), event, []byte(payload))
			}
		}
	}
}

// A payload without its agent's name is read as its agent's dialect would read it, in all respects that matter.
func TestGuessFindsTheAgentOfEveryTranscript(t *testing.T) {
	guessed := 0
	each(t, func(name, event string, payload []byte) {
		agent, ok := hook.Named(name)
		if !ok {
			return
		}
		want, err := agent.Read(event, payload, nil)
		if err != nil {
			return
		}
		guess := hook.Guess(event, payload)
		got, err := guess.Read(event, payload, nil)
		if err != nil {
			t.Errorf("%s as %s: %v\n%s", name, guess.Name(), err, payload)
			return
		}
		if got.Kind != want.Kind || got.Tool != want.Tool || got.Server != want.Server ||
			!bytes.Equal(got.Input, want.Input) ||
			got.Prompt != want.Prompt {
			t.Errorf("%s is read as %s: %+v, want %+v", name, guess.Name(), got, want)
		}
		denied, wanted := guess.Reply(
			got,
			mcpproxy.Deny,
			"x",
			hook.ReplyOptions{},
		), agent.Reply(
			want,
			mcpproxy.Deny,
			"x",
			hook.ReplyOptions{},
		)
		if !bytes.Equal(denied.Stdout, wanted.Stdout) {
			t.Errorf("%s as %s would be told %s, want %s", name, guess.Name(), denied.Stdout, wanted.Stdout)
		}
		guessed++
	})
	if guessed < 60 {
		t.Errorf("only %d payloads were guessed", guessed)
	}
}

func TestNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range hook.Agents() {
		if got, ok := hook.Named(a.Name()); !ok || got != a || seen[a.Name()] {
			t.Errorf("%q is not found by its name, or twice", a.Name())
		}
		seen[a.Name()] = true
	}
	if a, ok := hook.Named("claude-agent-sdk"); !ok || a.Name() != "claude-code" {
		t.Error("the Agent SDK does not speak as Claude Code does")
	}
	for _, name := range []string{"", "Claude-Code", "nobody"} {
		if _, ok := hook.Named(name); ok {
			t.Errorf("%q is an agent", name)
		}
	}
}

// The rules for replies: an event that cannot be stopped gets no reply; no objection gives no output; a deny reaches
// every agent, with its reason; an ask reaches agents that can ask, and becomes a deny for the others unless the user
// configured otherwise.
func TestReplies(t *testing.T) {
	decisions := []mcpproxy.Decision{
		mcpproxy.Allow,
		mcpproxy.Warn,
		mcpproxy.Redact,
		mcpproxy.Ask,
		mcpproxy.Deny,
		"",
		"nonsense",
	}
	kinds := []hook.Kind{
		hook.PreTool,
		hook.PostTool,
		hook.PostToolFailure,
		hook.Prompt,
		hook.SessionStart,
		hook.SessionEnd,
		hook.Other,
	}
	rapid.Check(t, func(t *rapid.T) {
		agent := rapid.SampledFrom(hook.Agents()).Draw(t, "agent")
		e := hook.Event{
			Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Name: rapid.SampledFrom([]string{"PreToolUse", "preToolUse", "beforeShellExecution"}).Draw(t, "name"),
		}
		d := rapid.SampledFrom(decisions).Draw(t, "decision")
		reason := rapid.String().Draw(t, "reason")
		o := hook.ReplyOptions{
			AskFallback: rapid.SampledFrom([]mcpproxy.Decision{"", mcpproxy.Deny, mcpproxy.Warn}).Draw(t, "fallback"),
		}
		r := agent.Reply(e, d, reason, o)
		stops := d != mcpproxy.Allow && d != mcpproxy.Warn
		if (d == mcpproxy.Ask || d == mcpproxy.Redact) && !agent.CanAsk(e) && o.AskFallback == mcpproxy.Warn {
			stops = false
		}
		if e.Kind != hook.PreTool {
			stops = false
		}
		if said := len(r.Stdout) > 0; said != stops || r.Exit != 0 || r.Stderr != "" {
			t.Fatalf("%s: %+v", agent.Name(), r)
		}
		if !stops {
			return
		}
		if bytes.Count(r.Stdout, []byte("\n")) != 1 || !bytes.HasSuffix(r.Stdout, []byte("\n")) ||
			!json.Valid(r.Stdout) {
			t.Fatalf("no line of JSON: %q", r.Stdout)
		}
		quoted, _ := jsontext.AppendQuote(nil, "because")
		if !bytes.Contains(agent.Reply(e, d, "because", o).Stdout, quoted) {
			t.Fatal("the reason is lost")
		}
	})
}

// The values for the gate and for the correlation are consistent, whatever arrives.
func FuzzRead(f *testing.F) {
	each(f, func(agent, event string, payload []byte) { f.Add(agent, event, payload, "github my.server") })
	f.Fuzz(func(t *testing.T, name, event string, payload []byte, servers string) {
		agents := append(hook.Agents(), hook.Guess(event, payload))
		for _, agent := range agents {
			e, err := agent.Read(event, payload, strings.Fields(servers))
			if err != nil {
				if e.Kind != "" || err.Error() == "" {
					t.Fatalf("%s: an error and an event: %+v", agent.Name(), e)
				}
				continue
			}
			if e.Kind == "" || e.Kind == hook.PreTool && e.Tool == "" || e.Tool == "" && e.Server != "" {
				t.Fatalf("%s: %+v", agent.Name(), e)
			}
			lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
			if e.Input != nil && (e.Input[0] != '{' || !jsontext.Value(e.Input).IsValid(lenient...)) {
				t.Fatalf("%s: the arguments are no object: %q", agent.Name(), e.Input)
			}
			if e.Response != nil && !jsontext.Value(e.Response).IsValid(lenient...) {
				t.Fatalf("%s: the answer is no JSON: %q", agent.Name(), e.Response)
			}
			if e.Kind == hook.PreTool && len(agent.Reply(e, mcpproxy.Deny, "no", hook.ReplyOptions{}).Stdout) == 0 {
				t.Fatalf("%s cannot be stopped: %+v", agent.Name(), e)
			}
		}
	})
}
