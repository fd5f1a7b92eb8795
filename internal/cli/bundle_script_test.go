package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// company FILE sets PUBLIC to the public key that a file holds, and writes managed.json for a
// machine whose bundles that key signs. The machine is a managed one once
// MCPPROXY_TEST_MANAGED_FILE names the file.
func company(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	public := strings.TrimSpace(ts.ReadFile(args[0]))
	ts.Setenv("PUBLIC", public)
	text := fmt.Sprintf(`{
  "source": %q,
  "public_keys": [%q],
  "on_expiry": "deny",
  "refresh_secs": 1
}`, ts.MkAbs("source"), public)
	ts.Check(os.WriteFile(ts.MkAbs("managed.json"), []byte(text), 0o600))
}
