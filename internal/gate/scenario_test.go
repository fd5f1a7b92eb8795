package gate_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcpproxy"
	"mcpproxy/internal/gate/gatetest"
)

// A scenario is a script of one session: what the user asked for (prompt), calls of the agent's own tools (hook TOOL)
// and of servers (mcp SERVER TOOL), their results (result), and the gate's expected verdict about the call before it
// (expect). The agent's claims about a call (intent) and the server's definition of its tool (tool) follow the call.
// Each scenario is played twice (spec-027, SC-008 and SC-009): without hooks and with hooks. Words in {{}} stand for
// secrets, which are not written into files.

// The modes in which scenarios are played.
const (
	proxyOnly = "proxy" // the agent's own tools and the user's words are not seen
	withHooks = "hooks"
)

var secrets = strings.NewReplacer(
	"{{token}}", gitToken,
	"{{base64 token}}", base64.StdEncoding.EncodeToString([]byte(gitToken)),
	"{{hex token}}", hex.EncodeToString([]byte(gitToken)),
	"{{first half of token}}", gitToken[:len(gitToken)/2],
	"{{second half of token}}", gitToken[len(gitToken)/2:],
	"{{connection}}", "postgres://app:"+"w0mbat-Tree-41@db.internal:5432/orders",
)

// Shows: FR-027, SC-008, SC-009, story 1b, edge 3.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txtar"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, file := range files {
		steps := parse(t, file)
		for _, mode := range []string{proxyOnly, withHooks} {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + mode
			t.Run(name, func(t *testing.T) {
				if err := play(t, steps, mode); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// step is a call of a scenario, or the user's prompt.
type step struct {
	what         string // prompt, hook or mcp
	server, tool string
	body         string // the arguments, or the user's words
	result       string
	intent       mcpproxy.Intent
	definition   *mcpproxy.Tool
	expect       map[string]string // by mode; empty if the call must be allowed
}

// parse reads a scenario. It must have expectations for each mode.
func parse(t *testing.T, file string) []step {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(strings.TrimSpace(string(archive.Comment))) == 0 {
		t.Fatalf("%s does not say what it is about", file)
	}
	var steps []step
	for _, f := range archive.Files {
		words, body := strings.Fields(f.Name), secrets.Replace(strings.TrimSuffix(string(f.Data), "\n"))
		if strings.Contains(body, "{{") {
			t.Fatalf("%s: %s has an unknown word in braces", file, f.Name)
		}
		switch {
		case f.Name == "prompt":
			steps = append(steps, step{what: "prompt", body: body})
		case words[0] == "hook" && len(words) == 2:
			steps = append(steps, step{what: "hook", tool: words[1], body: body})
		case words[0] == "mcp" && len(words) == 3:
			steps = append(steps, step{
				what:   "mcp",
				server: words[1],
				tool:   words[2],
				body:   body,
			})
		case f.Name == "result" && len(steps) > 0:
			steps[len(steps)-1].result = body
		case f.Name == "intent" && len(steps) > 0:
			if err := json.Unmarshal([]byte(body), &steps[len(steps)-1].intent); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		case f.Name == "tool" && len(steps) > 0:
			steps[len(steps)-1].definition = definition(t, body)
		case f.Name == "expect" && len(steps) > 0:
			steps[len(steps)-1].expect = expected(body)
		default:
			t.Fatalf("%s: unknown section %q", file, f.Name)
		}
	}
	for _, s := range steps {
		if s.expect == nil {
			continue
		}
		if unseen := s.expect[proxyOnly] == "unseen"; len(s.expect) != 2 || unseen != (s.what == "hook") {
			t.Fatalf("%s: %s %s expects %v; want one verdict per mode, and \"unseen\" for a hook's call without hooks", file, s.what, s.tool, s.expect)
		}
	}
	if len(steps) == 0 || steps[len(steps)-1].expect == nil {
		t.Fatalf("%s must end with a section \"expect\"", file)
	}
	return steps
}

// definition returns a tool as its server announces it.
func definition(t *testing.T, body string) *mcpproxy.Tool {
	t.Helper()
	var d struct {
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations struct {
			ReadOnly    *bool `json:"readOnlyHint"`
			Destructive *bool `json:"destructiveHint"`
		} `json:"annotations"`
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	return &mcpproxy.Tool{
		InputSchema: d.InputSchema,
		ReadOnly:    d.Annotations.ReadOnly,
		Destructive: d.Annotations.Destructive,
	}
}

// expected reads lines of the form "mode: decision rule". Without a rule only the decision is compared; "any" accepts
// every decision.
func expected(body string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(body) {
		mode, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if mode == "both" {
			out[proxyOnly], out[withHooks] = want, want
		} else {
			out[mode] = want
		}
	}
	return out
}

// play plays a session and returns an error for the first unexpected verdict.
func play(t *testing.T, steps []step, mode string) error {
	t.Helper()
	r := gatetest.New(t)
	g, tracker := r.Gate, r.Tracker
	for i, s := range steps {
		switch {
		case mode == proxyOnly && s.what != "mcp":
			continue // the proxy does not see it
		case s.what == "prompt":
			tracker.Prompt("flow-1", s.body)
			continue
		}
		c := call(s.server, s.tool, s.body)
		c.Intent, c.Definition = s.intent, s.definition
		if s.what == "hook" {
			c.Channel = mcpproxy.ChannelHook
		}
		p := g.Decides(context.Background(), c)
		want := "allow"
		if s.expect != nil {
			want = s.expect[mode]
		}
		got := said(p.Verdict)
		decision, _, _ := strings.Cut(got, " ")
		if want != "any" && got != want && decision != want {
			return fmt.Errorf("step %d, %s %s: %q, want %q: %s", i+1, s.server, s.tool, got, want, p.Verdict.Reason)
		}
		if !p.Stopped() {
			g.Deliver(context.Background(), p, &mcpproxy.Result{Raw: json.RawMessage(content(s.result))})
		}
	}
	return nil
}

// said returns a verdict in the form of scenarios: the decision and the end of the rule's name. If nobody could be
// asked, it uses the policy's decision.
func said(v mcpproxy.Verdict) string {
	d := v.Decision
	if v.Asked {
		d = mcpproxy.Ask
	}
	if d == mcpproxy.Allow {
		return string(d)
	}
	parts := strings.Split(v.Rule, ".")
	return string(d) + " " + parts[len(parts)-1]
}

// Every decision about a flow occurs in some scenario, in both modes.
func TestScenariosMeetEveryDecision(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var met []string
	for _, file := range files {
		for _, s := range parse(t, file) {
			for mode, want := range s.expect {
				decision, _, _ := strings.Cut(want, " ")
				met = append(met, mode+" "+decision)
			}
		}
	}
	for _, mode := range []string{proxyOnly, withHooks} {
		for _, d := range []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Ask, mcpproxy.Deny} {
			if !slices.Contains(met, mode+" "+string(d)) {
				t.Errorf("no scenario expects %s in mode %s", d, mode)
			}
		}
	}
}
