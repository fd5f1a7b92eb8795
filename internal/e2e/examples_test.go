package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/e2e/rig"
)

// The examples start unchanged, even if their servers cannot be reached.
func TestTheExamplesStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"container", "laptop", "team"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, err := os.MkdirTemp("", "mp")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(home) })
			example, err := os.ReadFile(filepath.Join("..", "..", "examples", name, "mcp_config.json"))
			if err != nil {
				t.Fatal(err)
			}
			d := &daemon{
				t:       t,
				program: bin.race,
				dir:     filepath.Join(home, ".mcpproxy"),
				log:     &rig.Log{},
				env: []string{
					"HOME=" + home,
					"WORKSPACE=" + home + "/workspace",
					"MCPPROXY_DATA=" + home + "/.mcpproxy",
					"MCPPROXY_LISTEN=127.0.0.1:0",
					"MCPPROXY_KEY=" + apiKey,
					"CRM_TOKEN=crm",
					"PAYROLL_TOKEN=payroll",
					"SLACK_TOKEN=slack",
				},
			}
			d.config = filepath.Join(d.dir, "mcp_config.json")
			rig.Write(t, d.config, string(example))
			t.Cleanup(d.stop)
			d.run()
			resp, err := http.Get("http://" + d.addr + "/healthz")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("/healthz answers %s", resp.Status)
			}
		})
	}
}
