package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/gate"
)

// githubToken is a secret that the detectors recognise.
const githubToken = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

func TestTheRecordOfACallNamesItsAgentAndFolder(t *testing.T) {
	for name, c := range map[string]struct {
		says mcpproxy.SessionAgent
		want *mcpproxy.SessionAgent
	}{
		"in the user's home":     {mcpproxy.SessionAgent{Name: "codex", Folder: "/home/ann/src/app/"}, &mcpproxy.SessionAgent{Name: "codex", Folder: "~/src/app"}},
		"the home itself":        {mcpproxy.SessionAgent{Folder: "/home/ann"}, &mcpproxy.SessionAgent{Folder: "~"}},
		"another user's home":    {mcpproxy.SessionAgent{Folder: "/home/anna/x"}, &mcpproxy.SessionAgent{Folder: "/home/anna/x"}},
		"the root of the system": {mcpproxy.SessionAgent{Folder: "/"}, &mcpproxy.SessionAgent{Folder: "/"}},
		"an MCP client":          {mcpproxy.SessionAgent{Name: "t", Claimed: true}, &mcpproxy.SessionAgent{Name: "t", Claimed: true}},
		"nobody":                 {mcpproxy.SessionAgent{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := defaults()
			s.Protected.Home = "/home/ann"
			h := newRig(t, t.TempDir(), s)
			asked := call("files", "read_file", `{"path":"a"}`)
			asked.Agent = c.says
			v, _ := h.does(asked)
			h.log.Close()
			got := h.stored(v.ID).Metadata.Agent
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			sum := h.summary("flow-1")
			if (sum == nil) != (c.want == nil) || sum != nil && *sum != *c.want {
				t.Errorf("the session has %+v, want %+v", sum, c.want)
			}
		})
	}
}

// summary returns the agent of a session.
func (h *rig) summary(key string) *mcpproxy.SessionAgent { return h.tracker.Agent(key).Recorded() }

func TestSecretsInAFolderOrANameAreMasked(t *testing.T) {
	s := defaults()
	s.Protected.Home = "/home/ann"
	for name, says := range map[string]mcpproxy.SessionAgent{
		"in a folder":               {Name: "codex", Folder: "/home/ann/" + githubToken + "/x"},
		"in a name":                 {Name: "client " + githubToken, Claimed: true},
		"in a place for tokens":     {Name: "codex", Folder: "/srv/x?token=" + githubToken},
		"in a call that is refused": {Name: "refused", Folder: "/srv/" + githubToken},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), s)
			asked := call("files", "read_file", `{"path":"a"}`)
			asked.Agent = says
			if says.Name == "refused" {
				asked.ID = gate.NewID()
				h.gate.Reject(asked, "no such tool")
			} else {
				h.does(asked)
			}
			h.log.Close()
			stored := h.stored(asked.ID)
			if stored == nil || stored.Metadata.Agent == nil || stored.Metadata.Agent.Name == "" {
				t.Fatalf("the record is %+v", stored)
			}
			var snapshot strings.Builder
			if err := h.tracker.Save(&snapshot, ""); err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(stored)
			if err != nil {
				t.Fatal(err)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			all := string(raw) + snapshot.String()
			for _, e := range h.events {
				all += e.json
			}
			if strings.Contains(all, githubToken) {
				t.Errorf("the token is stored or published: %s", all)
			}
		})
	}
}

func TestLongNamesOfAgentsAreCut(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	asked := call("files", "read_file", `{"path":"a"}`)
	asked.Agent = mcpproxy.SessionAgent{
		Name:   strings.Repeat("é", 1000),
		Folder: "/" + strings.Repeat("ü/", 5000) + "end",
	}
	h.does(asked)
	a := h.tracker.Agent("flow-1")
	if len(a.Name) > 128 || len(a.Folder) > 1024 || !strings.HasSuffix(a.Folder, "/end") ||
		!utf8.ValidString(a.Name+a.Folder) {
		t.Errorf("name of %d bytes, folder of %d: %q", len(a.Name), len(a.Folder), a.Folder)
	}
}

// A client that is linked to a hook's session works in the folder that the hook reports.
func TestACallInAHooksSessionHasTheHooksFolder(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	announced := hooked("", "Read", `{"file_path":"a"}`)
	announced.Agent = mcpproxy.SessionAgent{Name: "claude-code", Folder: "/w/app"}
	h.gate.Decide(context.Background(), gate.Request{Call: announced, Hook: &gate.Hook{Agent: "claude-code"}})
	asked := call("files", "read_file", `{"path":"a"}`)
	asked.FlowSession = announced.FlowSession
	asked.Agent = mcpproxy.SessionAgent{Name: "claude-code", Folder: "/elsewhere", Claimed: true}
	h.does(asked)
	h.log.Close()
	if got := h.stored(asked.ID).Metadata.Agent; got == nil || *got != announced.Agent {
		t.Errorf("%+v, want %+v", got, announced.Agent)
	}
}

// The number of stored agents is bounded, and further agents are masked too.
func TestManyAgentsAreMaskedToo(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	for i := range 600 {
		asked := call("files", "read_file", `{"path":"a"}`)
		asked.Principal = fmt.Sprint("p", i)
		asked.Agent = mcpproxy.SessionAgent{Folder: fmt.Sprint("/w/", i%300, "/", githubToken)}
		h.gate.Reject(asked, "no such tool")
		if strings.Contains(asked.Agent.Folder, githubToken) {
			t.Fatalf("%d: %s", i, asked.Agent.Folder)
		}
	}
}
