package shell_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/classify/shell"
)

func TestWhatACommandLineWrites(t *testing.T) {
	for command, want := range map[string]string{
		"claude mcp remove mcpproxy":                             "~/.claude.json .mcp.json",
		"cd /home/me/p && claude mcp add -s project x -- npx x":  "~/.claude.json /home/me/p/.mcp.json",
		"codex mcp remove mcpproxy":                              "~/.codex/config.toml",
		"copilot mcp disable mcpproxy":                           "~/.copilot/mcp-config.json",
		"codex mcp list":                                         "",
		"gemini mcp remove mcpproxy":                             "~/.gemini/settings.json .gemini/settings.json",
		"echo x > ~/.mcpproxy/KILL":                              "~/.mcpproxy/KILL",
		"cd ~/.mcpproxy && echo x >> mcp_config.json":            "~/.mcpproxy/mcp_config.json",
		"cd /home/me; cd .mcpproxy; rm KILL":                     "/home/me/.mcpproxy/KILL",
		"D=/data/mcpproxy; rm -f $D/KILL $D/trust.json":          "/data/mcpproxy/KILL /data/mcpproxy/trust.json",
		"tee -a $HOME/.mcpproxy/trust.json < x":                  "$HOME/.mcpproxy/trust.json",
		"sed -i s/deny/allow/ ~/.mcpproxy/mcp_config.json":       "s/deny/allow/ ~/.mcpproxy/mcp_config.json",
		"sed s/deny/allow/ ~/.mcpproxy/mcp_config.json":          "",
		"cp /tmp/x ~/.mcpproxy/mcp_config.json":                  "~/.mcpproxy/mcp_config.json",
		"cp ~/.mcpproxy/mcp_config.json /tmp/x":                  "/tmp/x",
		"cp -t ~/.mcpproxy /tmp/mcp_config.json":                 "~/.mcpproxy",
		"mv a b":                                                 "a a/** b",
		"dd if=/tmp/x of=/data/KILL":                             "/data/KILL /data",
		"find ~/.mcpproxy/KILL -exec rm {} ;":                    "~/.mcpproxy/KILL",
		"echo ~/.mcpproxy/KILL | xargs rm":                       "~/.mcpproxy/KILL",
		`bash -c "rm ~/.mcpproxy/KILL"`:                          "~/.mcpproxy/KILL",
		`python3 -c "import os; os.remove('/data/KILL')"`:        "/data/KILL",
		`python3 -c "print(open('/data/KILL').read())"`:          "",
		`node -e "fs.writeFileSync('/data/mcp_config.json', s)"`: "/data/mcp_config.json",
		"jq . ~/.mcpproxy/mcp_config.json | sponge /data/x.json": "/data/x.json",
		"cat ~/.mcpproxy/mcp_config.json > /dev/null":            "",
		"if rm '~/.mcpproxy/KILL":                                "~/.mcpproxy/KILL",
		"sqlite3 ~/.mcpproxy/activity.db 'delete from activity'": "~/.mcpproxy/activity.db delete from activity",
	} {
		t.Run(command, func(t *testing.T) {
			if got := strings.Join(shell.Parse(command).Writes, " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := shell.ParsePowerShell(`Set-Content -Path C:\Users\me\.mcpproxy\KILL`).Writes; len(got) != 1 {
		t.Errorf("a PowerShell line writes %q", got)
	}
}

// Only the owner may accept a break of the log's hash chain, so accepting it is a decision.
func TestToAcceptABreakOfTheLogIsToDecide(t *testing.T) {
	for command, want := range map[string]bool{
		"mcpproxy activity verify":                       false,
		"mcpproxy activity verify --accept --yes":        true,
		"mcpproxy activity verify --accept=true":         true,
		"cd /tmp && ./mcpproxy activity verify --accept": true,
	} {
		if got := shell.Parse(command).Decides; (got != "") != want {
			t.Errorf("%s decides by %q", command, got)
		}
	}
}

func TestARequestOfAnAPIIsNoted(t *testing.T) {
	for command, want := range map[string]bool{
		"curl -XPOST -H \"X-API-Key: $(jq -r .api_key c.json)\" http://127.0.0.1:8080/api/v1/approvals/$ID/approve -d {}": true,
		"U=http://127.0.0.1:8080/api; curl -d {} $U/v1/kill":                                                              true,
		"printf 'POST /api/v1/kill HTTP/1.1\\r\\n' | nc 127.0.0.1 8080":                                                   true,
		`python3 -c "import requests; requests.post('http://localhost:8080/api/v1/kill')"`:                                true,
		"if curl 'http://127.0.0.1:8080/api/v1/kill":                                                                      true,
		"curl -d {} http://127.0.0.1:8080/orchestrator/run_tests":                                                         true,
		"curl -d {} http://127.0.0.1:8080/a/../api//%76%31/kill":                                                          true,
		"echo http://127.0.0.1:8080/api/v1/kill":                                                                          false,
		"curl http://127.0.0.1:8080/healthz":                                                                              false,
	} {
		t.Run(command, func(t *testing.T) {
			if got := shell.Parse(command).Knocks; (len(got) > 0) != want {
				t.Errorf("%q", got)
			}
		})
	}
	if c := shell.Parse(`python3 -c "import socket; s.connect('/home/me/.mcpproxy/mcpproxy.sock')"`); c.Decides == "" {
		t.Error("code that names the owner's socket has no Knocks")
	}
}
