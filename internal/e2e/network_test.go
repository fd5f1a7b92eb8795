package e2e

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/eventually"
)

// A Node.js server finds the proxy by its environment variables, and so does the curl that it starts.
func TestARealServerReachesTheHostsOfItsListOnly(t *testing.T) {
	t.Parallel()
	if exec.Command("unshare", "-n", "true").Run() != nil && exec.Command("unshare", "-rn", "true").Run() != nil {
		t.Skip("SKIPPED: THIS SYSTEM ALLOWS NO NETWORK NAMESPACE: A LIST OF HOSTS IS ADVICE ONLY")
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a page")) })
	listed, other := httptest.NewServer(page), httptest.NewServer(page)
	t.Cleanup(listed.Close)
	t.Cleanup(other.Close)
	script, err := filepath.Abs(filepath.Join("testdata", "fetcher.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(listed.URL, "http://")
	d := start(t, object{
		"name":    "fetcher",
		"command": node(t),
		"args":    []string{script},
		"isolation": object{
			"profile":  "standard",
			"network":  []string{host},
			"required": true,
		},
	})
	s := d.agent(t, "/mcp/all", stateful)
	for _, c := range []struct {
		by, address, wants string
	}{
		{"fetch", listed.URL, "200 a page"},
		{"curl", listed.URL, "a page"},
		{"connect", listed.URL, "failed"},
		{"curl", other.URL, "isolation.network"},
		{"fetch", other.URL, "403"},
		{"connect", other.URL, "failed"},
		{"connect", d.url(""), "failed"},
		{"curl", d.url("/mcp"), "isolation.network"},
	} {
		got := use(t, s, "fetcher__fetch", object{"by": c.by, "address": c.address})
		if !strings.Contains(got, c.wants) && !(c.wants == "403" && strings.HasPrefix(got, "failed")) {
			t.Errorf("%s %s: %s", c.by, c.address, got)
		}
	}
	var all []mcpproxy.Record
	eventually.True(t, "two refused connections are records", func() bool {
		all = nil
		found := struct{ Activities []mcpproxy.Record }{}
		if err := d.api("/activity?type=policy_decision&server=fetcher", &found); err != nil {
			return false
		}
		all = found.Activities
		return len(all) == 2
	})
	id := all[0].ID
	out, err := d.command("explain", id)
	if err != nil || !strings.Contains(out, "isolation.network") || !strings.Contains(out, "no agent called it for that") {
		t.Errorf("explain: %v\n%s", err, out)
	}
}
