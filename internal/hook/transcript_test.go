package hook_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"mcpproxy"
	"mcpproxy/internal/hook"
)

var update = flag.Bool("update", false, "write what is got into testdata")

// shown is an event in the form of the transcripts.
type shown struct {
	Agent    string          `json:"agent,omitempty"`
	Kind     hook.Kind       `json:"kind"`
	Name     string          `json:"name"`
	Session  string          `json:"session,omitempty"`
	Call     string          `json:"call,omitempty"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Prompt   string          `json:"prompt,omitempty"`
	Cwd      string          `json:"cwd,omitempty"`
}

// TestTranscripts plays testdata/AGENT.txtar. Every case consists of two files. NAME/in contains a line with the
// event's name from the command line, and the payload. NAME/out contains the event, and the reply to each decision.
// The first line of an archive lists the names of the known servers.
// Shows: FR-052.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) < len(hook.Agents()) {
		t.Fatalf("only %d transcripts for %d agents (%v)", len(files), len(hook.Agents()), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(archive.Comment), "\n")
		_, known, _ := strings.Cut(first, ": ")
		play(t, name, strings.Fields(known), archive)
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func play(t *testing.T, name string, servers []string, archive *txtar.Archive) {
	for i := range archive.Files {
		in := archive.Files[i]
		caseName, ok := strings.CutSuffix(in.Name, "/in")
		if !ok {
			continue
		}
		t.Run(name+"/"+caseName, func(t *testing.T) {
			if i+1 == len(archive.Files) || archive.Files[i+1].Name != caseName+"/out" {
				t.Fatalf("%s/out must follow", caseName)
			}
			event, payload, _ := strings.Cut(string(in.Data), "\n")
			agent, ok := hook.Named(name)
			if name == "plain" {
				agent, ok = hook.Guess(event, []byte(payload)), true
			}
			if !ok {
				t.Fatalf("there is no agent %s", name)
			}
			out := &archive.Files[i+1]
			got := transcript(t, agent, event, []byte(payload), servers)
			if *update {
				out.Data = []byte(got)
			}
			if d := cmp.Diff(string(out.Data), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func transcript(t *testing.T, agent hook.Agent, event string, payload []byte, servers []string) string {
	e, err := agent.Read(event, payload, servers)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(
		shown{e.Agent, e.Kind, e.Name, e.Session, e.CallID, e.Server, e.Tool, e.Input, e.Response, e.Prompt, e.Cwd},
	); err != nil {
		t.Fatal(err)
	}
	silent := true
	var replies strings.Builder
	for _, c := range []struct {
		words    string
		decision mcpproxy.Decision
		options  hook.ReplyOptions
	}{
		{"allow", mcpproxy.Allow, hook.ReplyOptions{}},
		{"warn", mcpproxy.Warn, hook.ReplyOptions{}},
		{"allow, explicitly", mcpproxy.Allow, hook.ReplyOptions{ExplicitAllow: true}},
		{"ask", mcpproxy.Ask, hook.ReplyOptions{}},
		{"ask, falling back to warn", mcpproxy.Ask, hook.ReplyOptions{AskFallback: mcpproxy.Warn}},
		{"redact", mcpproxy.Redact, hook.ReplyOptions{}},
		{"deny", mcpproxy.Deny, hook.ReplyOptions{}},
	} {
		r := agent.Reply(e, c.decision, "Because.", c.options)
		if r.Exit != 0 || r.Stderr != "" {
			t.Errorf("%s: exit %d, stderr %q", c.words, r.Exit, r.Stderr)
		}
		silent = silent && len(r.Stdout) == 0
		fmt.Fprintf(&replies, "%s: %s\n", c.words, strings.TrimSuffix(string(r.Stdout), "\n"))
	}
	if silent {
		return b.String() + "always silent\n"
	}
	return b.String() + strings.ReplaceAll(replies.String(), ": \n", ": silent\n")
}
