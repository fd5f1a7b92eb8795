package gate_test

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// rows returns the lines, without comments, of a table of calls in package selfguard.
func rows(t testing.TB, name string) []string {
	f, err := os.Open("../selfguard/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if l := s.Text(); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

// rowCall returns the call that a row describes.
func rowCall(row string) *mcpproxy.Call {
	tool, args, ok := strings.Cut(row, " {")
	if ok && !strings.ContainsAny(tool, " $/'\"") {
		c := hooked("", tool, "{"+args)
		c.Dir = "/w/app"
		return c
	}
	c := hooked("", "Bash", object("command", row))
	c.Dir = "/w/app"
	return c
}

func TestAnAgentCannotReachThisFirewall(t *testing.T) {
	for table, denied := range map[string]bool{"denied.txt": true, "honest.txt": false} {
		wrong, all := 0, rows(t, table)
		h := newRig(t, t.TempDir(), guarding())
		for _, row := range all {
			c := rowCall(row)
			p, free := h.gate.Preview(c)
			if free && denied {
				t.Errorf("%s: Preview released the call", row)
			}
			v := h.gate.Previewed(context.Background(), c, p, false).Verdict
			if got := v.Decision == mcpproxy.Deny && v.Rule == policy.RuleSelf; got != denied {
				wrong++
				t.Errorf("%s: %s by %q", row, v.Decision, v.Rule)
			}
		}
		t.Logf("%s: %d of %d wrong", table, wrong, len(all))
	}
}
