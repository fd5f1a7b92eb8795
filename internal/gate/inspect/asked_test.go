package inspect

import (
	"bytes"
	"encoding/json"
	"testing"

	"mcpproxy"
)

// FuzzAsked checks that a command in another folder, or with another value of any member, counts as a different
// command. Only the agent's description of the command makes no difference.
func FuzzAsked(f *testing.F) {
	for _, line := range []string{"", "ls", "rm -rf build", "\x00", "a\nb", `"`} {
		f.Add(line, "/w")
	}
	f.Fuzz(func(t *testing.T, line, dir string) {
		asked := func(dir string, members map[string]any) []byte {
			raw, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			p := &subject{call: &mcpproxy.Call{Tool: "Bash", Dir: dir, Arguments: raw}}
			return p.Asked()
		}
		plain := asked(dir, map[string]any{"command": line})
		if !bytes.Equal(plain, asked(dir, map[string]any{"command": line, "description": line})) {
			t.Error("another description makes it another command")
		}
		for name, other := range map[string][]byte{
			"folder":  asked(dir+"x", map[string]any{"command": line}),
			"command": asked(dir, map[string]any{"command": line + "x"}),
			"member":  asked(dir, map[string]any{"command": line, "sandbox": false}),
		} {
			if bytes.Equal(plain, other) {
				t.Errorf("another %s does not make it another command", name)
			}
		}
	})
}
