package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// company FILE sets PUBLIC to the public key in the file, and writes a managed.json that trusts this key. The machine
// is managed while MCPPROXY_TEST_MANAGED_FILE names that file.
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
