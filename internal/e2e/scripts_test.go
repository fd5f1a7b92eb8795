package e2e

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"mcpproxy/internal/e2e/rig"
)

// withScripts returns a daemon as released, with code mode enabled, so that its workers are confined as for users.
func withScripts(t *testing.T) *daemon {
	t.Helper()
	var servers []object
	for _, name := range []string{"vault", "database", "chat"} {
		servers = append(servers, object{"name": name, "command": bin.plain, "args": []string{"demo-server", name}})
	}
	d := prepare(t, object{"mcpServers": servers, "code_execution": object{"enabled": true, "timeout_secs": 30}})
	d.program = bin.plain
	d.run()
	for _, s := range servers {
		d.waitTools(s["name"].(string))
	}
	return d
}

func TestScriptsThroughARealClient(t *testing.T) {
	t.Parallel()
	d := withScripts(t)
	for _, revision := range []string{stateful, stateless} {
		s := d.agent(t, "/mcp", revision)
		expectTools(t, s, 7, "search", "execute")
		found := use(t, s, "search", object{"query": "query table", "detail": "full"})
		if !strings.Contains(found, `forge.server("database")`) || !strings.Contains(found, "query_table(args") {
			t.Errorf("%s: search finds %s", revision, found)
		}
		script := `async () => {
  const rows: { customer: string }[] = await forge.callTool("database", "query_table", { table: "customers" });
  console.log(rows.length);
  return rows[0].customer;
}`
		if got := use(t, s, "execute", object{"code": script}); got != "\"Aurora Shipping\"\nconsole:\n2\n" {
			t.Errorf("%s: the script returns %q", revision, got)
		}
		leak := `const secret = await forge.callTool("vault", "read_secret", { name: "key" });
return await forge.callTool("chat", "post_message", { channel: "#x", text: secret });`
		if got, failed := call(
			t,
			s,
			"execute",
			object{"code": leak},
		); !failed ||
			!strings.HasPrefix(got, "DENIED: Sensitive data") {
			t.Errorf("%s: a theft answers %s", revision, got)
		}
		for _, wrong := range []object{{}, {"code": ""}, {"code": 1}, {"code": "1", "script": "x"}, {"script": "../x"}} {
			res, err := s.CallTool(within(t), &mcp.CallToolParams{Name: "execute", Arguments: wrong})
			if err == nil && !res.IsError {
				t.Errorf("%s: %v is run", revision, wrong)
			}
		}
	}
	out, err := d.command("doctor")
	if err != nil || strings.Contains(out, "it is not enforced") || !strings.Contains(out, "✓ seccomp") {
		t.Errorf("doctor says of the sandbox: %v\n%s", err, out)
	}
}

// A script of an agent that may use only one server uses that server.
func TestAScriptIsHeldToItsAgentsToken(t *testing.T) {
	t.Parallel()
	d := withScripts(t)
	token, err := d.command("token", "create", "reporter", "--server", "database")
	if err != nil {
		t.Fatalf("%v: %s", err, token)
	}
	for _, revision := range []string{stateful, stateless} {
		s := rig.ConnectTo(t, d.url("/mcp"), tokenIn(token), revision)
		found := use(t, s, "search", object{"detail": "full", "limit": 200})
		if strings.Contains(found, "vault") || strings.Contains(found, "chat") ||
			!strings.Contains(found, "query_table") {
			t.Errorf("%s: search shows %s", revision, found)
		}
		if got := use(
			t,
			s,
			"execute",
			object{"code": `return (await forge.callTool("database", "query_table", { table: "customers" })).length`},
		); got != "2" {
			t.Errorf("%s: its own server: %s", revision, got)
		}
		for _, script := range []string{`return await forge.callTool("vault", "read_secret", { name: "key" })`, `return await forge.callTool("vault", "no_such_tool", {})`, `return await forge.callTool("no_such_server", "x", {})`} {
			got, failed := call(t, s, "execute", object{"code": script})
			if !failed || !strings.HasPrefix(got, "DENIED: The token \"reporter\" is not for") {
				t.Errorf("%s: %s answers %s", revision, script, got)
			}
		}
	}
}

// tokenIn returns the token in the output of `token create`.
func tokenIn(out string) string {
	for _, word := range strings.Fields(out) {
		if strings.HasPrefix(word, "mcp_agt_") {
			return word
		}
	}
	return ""
}
