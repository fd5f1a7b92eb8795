package gate_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/service"
)

// guarding returns settings with the paths of mcpproxy's own files.
func guarding() gate.Settings {
	s := defaults()
	s.Protected = selfguard.Protected{
		Home:    "/home/me",
		Listen:  "127.0.0.1:8080",
		Process: 4242,
		Settings: []string{
			"/home/me/.claude/settings.json",
			".claude/settings.json",
			".claude/settings.local.json",
			"/home/me/.codex/config.toml",
			".codex/config.toml",
			".gemini/settings.json",
			".github/hooks/*",
			".cursor/hooks.json",
			"/home/me/.config/opencode/plugins/*",
		},
	}
	for _, file := range []string{"/home/me/.claude/settings.json", "/w/app/.claude/settings.json", "/usr/local/bin/mcpproxy",
		"/usr/local/bin/mcpproxy-hook"} {
		s.Protected.Files = append(s.Protected.Files, selfguard.File{Path: file})
	}
	for _, file := range service.Files("/home/me") {
		s.Protected.Files = append(s.Protected.Files, selfguard.File{Path: file})
	}
	for _, folder := range service.Overrides("/home/me") {
		s.Protected.Files = append(s.Protected.Files, selfguard.File{Path: folder, Within: true})
	}
	for _, name := range []string{"", "KILL", "FAIL_CLOSED", "trust.json", "hooks.unseen", "mcpproxy.sock", "mcpproxy.sock.pid",
		"activity.db", "heads.json", "hook-backups", "AUTOSTART", "STOPPED"} {
		s.Protected.Files = append(s.Protected.Files, selfguard.File{Path: path.Join("/home/me/.mcpproxy", name)})
	}
	for _, name := range []string{"mcp_config.json", "tokens.json", "ledger.key", "flow.state"} {
		s.Protected.Files = append(s.Protected.Files, selfguard.File{Path: path.Join("/home/me/.mcpproxy", name), Secret: true})
	}
	return s
}

func TestAgentsCannotChangeWhatTheyMayDo(t *testing.T) {
	for name, c := range map[string]struct {
		call   *mcpproxy.Call
		denied bool
	}{
		"the configuration is written":             {hooked("", "Write", `{"file_path":"/home/me/.mcpproxy/mcp_config.json","content":"{}"}`), true},
		"under another name":                       {hooked("", "Edit", `{"file_path":"~/.mcpproxy/../.mcpproxy/mcp_config.json","new_string":"x"}`), true},
		"by a path relative to the agent's folder": {hooked("", "Write", `{"file_path":".mcpproxy/KILL","content":""}`), true},
		"by a path from a folder beside it":        {hooked("", "Write", `{"file_path":"../.mcpproxy/KILL","content":""}`), true},
		"by a patch":                               {hooked("", "apply_patch", object("input", "*** Begin Patch\n*** Update File: /home/me/.mcpproxy/trust.json\n@@\n-a\n+b\n*** End Patch")), true},
		"by a long text":                           {hooked("", "Write", `{"file_path":"/home/me/.mcpproxy/mcp_config.json","content":`+quoted(strings.Repeat("words ", 20_000))+`}`), true},
		"by a server":                              {hooked("files", "write_file", `{"path":"/home/me/.mcpproxy/trust.json","content":"x"}`), true},
		"over MCP":                                 {call("files", "write_file", `{"path":"/home/me/.mcpproxy/trust.json","content":"x"}`), true},
		"by a redirection":                         {hooked("", "Bash", object("command", "echo x > ~/.mcpproxy/mcp_config.json")), true},
		"by a redirection in its folder":           {hooked("", "Bash", object("command", "cd $HOME/.mcpproxy && jq . x >mcp_config.json")), true},
		"its end is removed":                       {hooked("", "Bash", object("command", "rm -f /home/me/.mcpproxy/K*")), true},
		"all of it is removed":                     {hooked("", "Bash", object("command", "rm -rf ~/.mcpproxy/")), true},
		"by a copy":                                {hooked("", "Bash", object("command", "cp /tmp/mcp_config.json ~/.mcpproxy/")), true},
		"by code":                                  {hooked("", "Bash", object("command", `python3 -c "open('/home/me/.mcpproxy/KILL','w')"`)), true},
		"by a request with the key":                {hooked("", "Bash", object("command", `curl -XPOST -H "X-API-Key: $(jq -r .api_key ~/.mcpproxy/mcp_config.json)" http://127.0.0.1:8080/api/v1/approvals/$ID/approve`)), true},
		"by a request in pieces":                   {hooked("", "Bash", object("command", `U=http://localhost:8080/api/v1; curl -d '{"on":false}' $U/kill`)), true},
		"by a server's request":                    {call("http", "request", `{"method":"POST","url":"http://127.0.0.1:8080/api/v1/servers/shop/tools/approve","headers":{"X-API-Key":"k"}}`), true},
		"by a login to the page":                   {hooked("", "Bash", object("command", "mcpproxy open --print | cut -d= -f2")), true},
		"by a login over REST":                     {hooked("", "Bash", object("command", "curl -XPOST -H X-API-Key:k localhost:8080/api/v1/login")), true},
		"by a request in disguise":                 {hooked("", "Bash", object("command", "curl -d x http://127.0.0.1:8080/api//v1/./x/../%6bill")), true},
		"by a probe":                               {hooked("", "Bash", object("command", "curl -d '{}' http://127.0.0.1:8080/api/v1/probe/run")), true},
		"by a probe under its other name":          {call("http", "request", `{"method":"POST","url":"http://127.0.0.1:8080/orchestrator/run_tests"}`), true},
		"it is read":                               {hooked("", "Read", `{"file_path":"/home/me/.mcpproxy/trust.json"}`), false},
		"it is read by a command":                  {hooked("", "Bash", object("command", "cat ~/.mcpproxy/trust.json")), false},
		"it is copied elsewhere":                   {hooked("", "Bash", object("command", "cp ~/.mcpproxy/trust.json /tmp/x")), false},
		"it is written about":                      {hooked("", "Write", `{"file_path":"/w/notes.md","content":"Edit ~/.mcpproxy/mcp_config.json and start anew."}`), false},
		"another's file of that name":              {hooked("", "Write", `{"file_path":"/home/me/.other/mcp_config.json","content":"x"}`), false},
		"the name alone":                           {hooked("", "Write", `{"file_path":"mcp_config.json","content":"x"}`), false},
		"another file of the folder":               {hooked("", "Bash", object("command", "touch ~/.mcpproxy/notes")), false},
		"another program's API":                    {hooked("", "Bash", object("command", "curl -d x http://127.0.0.1:3000/api/v1/tokens")), false},
		"another program's API at such a port":     {hooked("", "Bash", object("command", "curl -d x http://127.0.0.1:18080/api/v1/tokens")), false},
		"the status is read":                       {hooked("", "Bash", object("command", "curl http://127.0.0.1:8080/api/v1/status")), false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), guarding())
			var v mcpproxy.Verdict
			if c.call.Channel == mcpproxy.ChannelHook {
				p, free := h.gate.Preview(c.call)
				if free && c.denied {
					t.Error("Preview released the call")
				}
				v = h.gate.Previewed(context.Background(), c.call, p, false).Verdict
			} else {
				v, _ = h.does(c.call)
			}
			if denied := v.Decision == mcpproxy.Deny && v.Rule == policy.RuleSelf; denied != c.denied {
				t.Errorf("%s by %q: %s", v.Decision, v.Rule, v.Reason)
			}
		})
	}
}

// A gate without configured paths protects no files.
func TestAGateWithoutConfiguredPathsProtectsNoFiles(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	v := h.gate.Announced(
		context.Background(),
		hooked("", "Write", `{"file_path":"/home/me/.mcpproxy/KILL","content":""}`),
		gate.Hook{},
	).Verdict
	if v.Decision != mcpproxy.Allow {
		t.Errorf("%+v", v)
	}
}
