//go:build linux

package guard_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a host with open decisions: a held tool, a call that waits for an answer, and an agent's settings with
// the hook and the proxy.
type machine struct {
	*host
	agent    *agent
	waiting  string // id of the question
	settings map[string]string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{host: newHost(t, object{"security": object{
		"tool_policy": object{"write": "ask"},
		"approvals":   object{"wait": "1ms", "expiry": "1h"},
	}})}
	m.Serve(0)
	m.until("the chat's tool can be approved", func() bool {
		status, _ := m.request(
			http.MethodPost,
			"/api/v1/servers/chat/tools/approve",
			object{"tools": []string{"post_message"}},
		)
		return status == http.StatusOK
	})
	m.mcpproxy("call", "chat:post_message", "channel=x", "text=hello")
	var open []struct{ ID string }
	if !m.Get("/api/v1/approvals", &open) || len(open) != 1 {
		t.Fatalf("%d questions are open", len(open))
	}
	m.waiting = open[0].ID
	for _, args := range [][]string{{"hook", "install", "--agent", "claude-code"}, {"connect", "claude-code"}} {
		if out, code := m.mcpproxy(args...); code != 0 {
			t.Fatalf("mcpproxy %s: %s", strings.Join(args, " "), out)
		}
	}
	m.settings = map[string]string{}
	for _, name := range []string{".claude/settings.json", ".claude.json"} {
		path := filepath.Join(m.Home, name)
		if m.settings[path] = m.read(path); !strings.Contains(m.settings[path], "mcpproxy") {
			t.Fatalf("%s says %q", name, m.settings[path])
		}
	}
	m.agent = m.host.agent(t)
	return m
}

// state returns the state of everything that an attack could have decided.
func (m *machine) state() (decided []string) {
	m.t.Helper()
	var tools []struct {
		Name  string
		Trust struct{ State string }
	}
	if !m.Get("/api/v1/servers/vault/tools?kind=all", &tools) || len(tools) == 0 {
		m.t.Fatal("the vault's tools cannot be listed")
	}
	for _, one := range tools {
		if one.Trust.State != "quarantined" {
			decided = append(decided, one.Name+" is "+one.Trust.State)
		}
	}
	var questions []struct {
		ID       string
		Approved bool
	}
	if !m.Get("/api/v1/approvals", &questions) || len(questions) != 1 || questions[0].ID != m.waiting {
		decided = append(decided, fmt.Sprint("the open questions are ", questions))
	} else if questions[0].Approved {
		decided = append(decided, "the call is approved")
	}
	var tokens []object
	if !m.Get("/api/v1/tokens", &tokens) || len(tokens) != 0 {
		decided = append(decided, fmt.Sprint("the tokens are ", tokens))
	}
	for path, was := range m.settings {
		if m.read(path) != was {
			decided = append(decided, path+" was changed")
		}
	}
	return decided
}

// verbs returns the command lines of the user's decisions.
func (m *machine) verbs() map[string]string {
	return map[string]string{
		"approve a call":     "approvals approve " + m.waiting,
		"approve a tool":     "trust approve vault read_secret",
		"take the hooks out": "hook uninstall",
		"disconnect":         "disconnect claude-code",
		"make a token":       "token create mine",
	}
}

// wrappers are ways to start a program from a tool's shell. TRY stands for the attack, and FILE for a script that runs
// it. The attack's output is written to "out" in its folder.
var wrappers = []struct {
	name, program string
	line          string
}{
	{"the program", "", "TRY"},
	{"the program after another one", "", "true; TRY; true"},
	{"the program in place of the shell", "", "exec TRY"},
	{"a copy", "", "cp MCPPROXY DIR/notes && DIR/notes ARGS"},
	{"a symbolic link", "", "ln -s MCPPROXY DIR/notes && DIR/notes ARGS"},
	{"a path that the shell finds", "", "$(which mcpproxy) ARGS"},
	{"a name put together", "", `a=mcp; b=proxy; eval "$a$b ARGS"`},
	{"another name in its arguments", "", "exec -a mcpproxy-hook MCPPROXY ARGS"},
	{"python", "python3", `python3 -c 'import os; os.system("sh FILE")'`},
	{"perl", "perl", `perl -e 'system("sh", "FILE")'`},
	{"node", "node", `node -e 'require("child_process").execFileSync("sh", ["FILE"])'`},
	{"make", "make", `printf 'all:\n\tsh FILE\n' | make -f -`},
	{"find", "", `find FILE -exec sh {} \;`},
	{"xargs", "", `echo FILE | xargs sh`},
	{"an empty environment", "", "env -i HOME=HOME TRY"},
	{"nohup", "", "nohup sh FILE >/dev/null 2>&1 &"},
	{"a session of its own", "setsid", "setsid sh FILE"},
	{"a session of its own in the background", "setsid", "setsid sh FILE >/dev/null 2>&1 &"},
	{"a job that the shell disowns, later", "", "(sleep 0.5; sh FILE) >/dev/null 2>&1 & disown"},
	{"a double fork", "python3", `python3 -c 'import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
time.sleep(0.3)
os.execv("/bin/sh", ["sh", "FILE"])'`},
	{"tmux", "tmux", "tmux -S DIR/tmux -f /dev/null new-session -d 'sh FILE'"},
	{"script", "script", "script -qc 'sh FILE' /dev/null"},
}

// attack runs "mcpproxy ARGS" through a wrapper from the tool's shell. It returns the output, and whether the command
// succeeded.
func (m *machine) attack(
	t *testing.T,
	run func(line string) outcome,
	wrapper, args string,
) (said string, succeeded bool) {
	t.Helper()
	dir, err := os.MkdirTemp(m.Home, "a")
	if err != nil {
		t.Fatal(err)
	}
	file, out := filepath.Join(dir, "run"), filepath.Join(dir, "out")
	m.Write(
		file,
		m.fill("MCPPROXY "+args+" >"+out+".part 2>&1\necho exit=$? >>"+out+".part\nmv "+out+".part "+out+"\n"),
	)
	line := strings.NewReplacer("TRY", "MCPPROXY "+args, "ARGS", args, "FILE", file, "DIR", dir).Replace(wrapper)
	result := run(m.fill(line))
	if !strings.Contains(wrapper, "FILE") {
		return result.Stdout + result.Stderr, result.Code == 0 && !strings.Contains(wrapper, "; true")
	}
	m.until("the attack has run ("+result.Stderr+")", func() bool { _, err := os.Stat(out); return err == nil })
	said = m.read(out)
	return said, strings.Contains(said, "exit=0")
}

func TestNothingBelowAToolsShellTakesTheUsersDecisions(t *testing.T) {
	t.Parallel()
	for _, w := range wrappers {
		t.Run("by "+w.name, func(t *testing.T) {
			t.Parallel()
			needs(t, w.program)
			m := newMachine(t)
			for what, args := range m.verbs() {
				said, succeeded := m.attack(t, m.agent.evade, w.line, args)
				if succeeded || !strings.Contains(said, "the user's") {
					t.Errorf("%s: succeeded %v, and says %s", what, succeeded, said)
				}
				if decided := m.state(); decided != nil {
					t.Fatalf("%s: %s", what, strings.Join(decided, "; "))
				}
			}
			if out, code := m.mcpproxy("kill", "on"); code != 0 {
				t.Fatal(out)
			}
			bash := func(line string) outcome { return m.agent.do(order{Do: "bash", Line: line}) }
			said, succeeded := m.attack(t, bash, w.line, "kill off")
			if succeeded || !strings.Contains(said, "the user's") {
				t.Errorf("end the kill switch: succeeded %v, and says %s", succeeded, said)
			}
			var st struct{ On bool }
			if !m.Get("/api/v1/kill", &st) || !st.On {
				t.Error("the kill switch was ended")
			}
			m.recorded("decision")
		})
	}
}

// requests make the same decisions without the program mcpproxy. DO and BODY stand for the request.
var requests = []struct{ name, program, line string }{
	{
		"curl on the socket",
		"curl",
		"curl -s --unix-socket SOCKET -H 'Content-Type: application/json' -d 'BODY' http://localhostDO",
	},
	{
		"curl with the key of the configuration",
		"curl",
		`curl -s -H "X-API-Key: $(sed -n 's/.*"api_key": "\(.*\)".*/\1/p' CONFIG)" -H 'Content-Type: application/json' -d 'BODY' http://127.0.0.1:PORTDO`,
	},
	{"python on the socket", "python3", `python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.connect("SOCKET")
body = b"""BODY"""
s.sendall(b"POST DO HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
print(b"".join(iter(lambda: s.recv(65536), b"")).decode())'`},
	{
		"a double fork and curl",
		"curl",
		`setsid sh -c 'sleep 0.3; curl -s --unix-socket SOCKET -H "Content-Type: application/json" -d @FILE -o OUT.part http://localhostDO; mv OUT.part OUT' >/dev/null 2>&1 &`,
	},
}

func TestNothingBelowAToolsShellDecidesOverHTTP(t *testing.T) {
	t.Parallel()
	for _, q := range requests {
		t.Run("by "+q.name, func(t *testing.T) {
			t.Parallel()
			needs(t, q.program)
			m := newMachine(t)
			for path, body := range map[string]string{
				"/api/v1/approvals/" + m.waiting + "/approve": `{}`,
				"/api/v1/approvals":                           `{"id":"` + m.waiting + `","approve":true}`,
				"/api/v1/servers/vault/tools/approve":         `{"tools":["read_secret"]}`,
				"/api/v1/tokens":                              `{"name":"mine"}`,
				"/api/v1/kill":                                `{"on":false}`,
				"/api/v1/login":                               `{}`,
			} {
				file := filepath.Join(m.Home, "body"+strings.ReplaceAll(path, "/", "-"))
				m.Write(file, body)
				line := strings.NewReplacer("FILE", file, "OUT", file+".out", "BODY", body, "DO", path).Replace(q.line)
				said := m.agent.evade(m.fill(line)).Stdout
				if strings.Contains(q.line, "OUT") {
					m.until("curl has an answer", func() bool { said = m.read(file + ".out"); return said != "" })
				}
				if !strings.Contains(said, "this decision is the user's") {
					t.Errorf("POST %s is answered with %q", path, said)
				}
				if decided := m.state(); decided != nil {
					t.Fatalf("POST %s: %s", path, strings.Join(decided, "; "))
				}
			}
			m.recorded("decision")
		})
	}
}

func TestTheUserDecidesWhileAgentsRun(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.agent.evade("true")
	for what, args := range m.verbs() {
		if out, code := m.mcpproxy(strings.Fields(args)...); code != 0 {
			t.Errorf("%s: exit code %d: %s", what, code, out)
		}
	}
	if decided := m.state(); len(decided) != 5 {
		t.Errorf("what the user decided shows as %q", decided)
	}
	if found := m.refusals("decision"); len(found) != 0 {
		t.Errorf("the user was refused: %v", found)
	}
}
