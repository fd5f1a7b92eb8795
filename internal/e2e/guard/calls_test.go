//go:build linux

package guard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const (
	callSecret = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_secret","arguments":{"name":"deploy-key"}}}`
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}`
	// treasure is the beginning of the demo vault's key. It is assembled here, so that scanners for secrets do not
	// find it in a file.
	treasure = "sk-" + "proj-"
)

// detours are ways to call a tool without using the agent's own connection.
var detours = []struct{ name, program, line string }{
	{"mcpproxy call", "", "MCPPROXY call vault:read_secret name=deploy-key"},
	{"mcpproxy stdio", "", `printf '%s\n' 'INIT' 'CALL' | MCPPROXY stdio --server vault`},
	{"mcpproxy stdio in place of the shell", "", `exec MCPPROXY stdio --server vault < <(printf '%s\n' 'INIT' 'CALL')`},
	{"mcpproxy stdio in the background", "python3", `python3 -c '
import os, subprocess, time
if os.fork() == 0:
    os.setsid()
    time.sleep(0.3)
    out = subprocess.run(["MCPPROXY", "stdio", "--server", "vault"], input=b"""INIT
CALL
""", capture_output=True)
    with open("HOME/detour.part", "wb") as f: f.write(out.stdout + out.stderr)
    os.rename("HOME/detour.part", "HOME/detour")
    os._exit(0)
'; until test -e HOME/detour; do sleep 0.05; done; cat HOME/detour`},
	{"mcpproxy code run", "", `echo 'call("vault:read_secret", {name: "deploy-key"})' | MCPPROXY code run -`},
	{
		"curl",
		"curl",
		`curl -s -H "X-API-Key: KEY" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d 'INIT' http://127.0.0.1:PORT/mcp/s/vault`,
	},
	{
		"curl with the key on localhost",
		"curl",
		`curl -s -H "X-API-Key: KEY" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d 'CALL' http://localhost:PORT/mcp/all`,
	},
	{
		"curl on the socket",
		"curl",
		`curl -s --unix-socket SOCKET -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d 'INIT' http://localhost/mcp/s/vault`,
	},
	{"python on the socket", "python3", `python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.connect("SOCKET")
body = b"""CALL"""
s.sendall(b"POST /mcp/s/vault HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
print(b"".join(iter(lambda: s.recv(65536), b"")).decode())'`},
}

func TestNothingBelowAToolsShellCallsTools(t *testing.T) {
	t.Parallel()
	r := newHost(t, object{"code_execution": object{"enabled": true}})
	r.Serve(2)
	a := r.agent(t)
	for _, d := range detours {
		t.Run("by "+d.name, func(t *testing.T) {
			needs(t, d.program)
			said := a.evade(r.fill(strings.NewReplacer("INIT", initialize, "CALL", callSecret).Replace(d.line)))
			all := said.Stdout + said.Stderr
			refused := strings.Contains(all, "may not use mcpproxy") ||
				strings.Contains(all, "this decision is the user's")
			if strings.Contains(all, treasure) || !refused {
				t.Errorf("answered with exit code %d: %s", said.Code, all)
			}
		})
	}
	if calls := r.records("type=tool_call"); len(calls) != 0 {
		t.Errorf("%d calls reached the gate: %+v", len(calls), calls)
	}
}

func TestTheAgentsOwnBridgeWorksWhileItsShellIsRefused(t *testing.T) {
	t.Parallel()
	r := newHost(t, nil)
	r.Serve(2)
	a := r.agent(t)
	a.do(order{Do: "bridge", Line: r.fill("MCPPROXY stdio --server vault")})
	tell := func(line string) string { return a.do(order{Do: "bridge", Line: line}).Stdout }
	if got := tell(initialize); !strings.Contains(got, "serverInfo") {
		t.Fatalf("initialize is answered with %s", got)
	}
	tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := range 3 {
		said := a.evade(r.fill("MCPPROXY call vault:read_secret name=deploy-key"))
		if !strings.Contains(said.Stderr, "may not use mcpproxy") {
			t.Errorf("the shell's call is answered with %+v", said)
		}
		got := tell(strings.Replace(callSecret, `"id":1`, fmt.Sprintf(`"id":%d`, i+1), 1))
		if !json.Valid([]byte(got)) || !strings.Contains(got, treasure) {
			t.Errorf("the bridge's call is answered with %s", got)
		}
	}
	r.recorded("call")
}
