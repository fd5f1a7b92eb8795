package suggest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy/internal/suggest"
)

func TestNearest(t *testing.T) {
	keys := []string{"listen", "api_key", "mcpServers", "security", "listens"}
	for name, c := range map[string]struct{ wrong, want string }{
		"a letter missing":            {"listn", "listen"},
		"a letter too many":           {"secuurity", "security"},
		"two letters swapped":         {"scehurity", "security"},
		"a name in upper case":        {"MCPSERVERS", "mcpServers"},
		"the name itself":             {"api_key", "api_key"},
		"the first of two as near":    {"listenx", "listen"},
		"more than half is different": {"abcdefgh", ""},
		"an empty name":               {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := suggest.Nearest(c.wrong, keys); got != c.want {
				t.Errorf("%q is nearest to %q, want %q", c.wrong, got, c.want)
			}
		})
	}
	if got := suggest.Nearest("x", nil); got != "" {
		t.Errorf("of nothing, %q is nearest", got)
	}
}

func TestACandidateIsNearestToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_]{1,12}`), 1, 20, rapid.ID[string]).
			Draw(t, "candidates")
		name := rapid.SampledFrom(candidates).Draw(t, "name")
		if got := suggest.Nearest(name, candidates); got != name {
			t.Fatalf("got %q", got)
		}
	})
}

// Agents choose the names that are compared.
func TestALongNameCostsLittle(t *testing.T) {
	candidates := make([]string, 100)
	for i := range candidates {
		candidates[i] = strings.Repeat("ab", 10000)
	}
	start := time.Now()
	suggest.Nearest(strings.Repeat("ba", 1<<20), candidates)
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %s", d)
	}
}

func ExampleNearest() {
	fmt.Println(suggest.Nearest("creat_isue", []string{"create_issue", "list_issues"}))
	// Output: create_issue
}
