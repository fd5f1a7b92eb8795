package e2e

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// The reference server answers 400 instead of 404 to an unknown session.
func TestCallsGoOnWhenTheReferenceServerIsStartedAnew(t *testing.T) {
	t.Parallel()
	address := porttest.Free(t)
	_, port, _ := strings.Cut(address, ":")
	log := &rig.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the server:\n%s", log.Tail(4000))
		}
	})
	var server *rig.Process
	t.Cleanup(func() {
		if server != nil {
			server.Kill()
		}
	})
	run := func() {
		t.Helper()
		cmd := exec.Command(node(t), filepath.Join(packages(t), "@modelcontextprotocol", "server-everything", "dist", "index.js"),
			"streamableHttp")
		cmd.Env = rig.Environment("PORT=" + port)
		var err error
		if server, err = rig.Start(cmd, log); err != nil {
			t.Fatal(err)
		}
		eventually.SucceedsWithin(t, 30*time.Second, "the server listens", func() error {
			if err := server.Check(); err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			resp, err := http.Get("http://" + address + "/mcp")
			if err != nil {
				return err
			}
			return resp.Body.Close()
		})
	}
	run()
	d := start(t, object{"name": "everything", "url": "http://" + address + "/mcp"})
	agent := d.agent(t, "/mcp/all", stateful)
	use(t, agent, "everything__echo", object{"message": "before"})
	server.Kill()
	run()
	if text := use(t, agent, "everything__echo", object{"message": "after"}); !strings.Contains(text, "after") {
		t.Errorf("the answer is %q", text)
	}
}
