package gate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/gate"
)

// If an evaluation takes 40 ms of processor time on average, two processors do 50 a second. If 95 % of the
// evaluations take less than 80 ms, they leave a hook a fifth of its 100 ms. The test measures processor time, which
// does not depend on other load; the race detector multiplies it by ten.
//
// Shows: SC-002, SC-007.
func TestEvaluationsAreFastEnoughForHooks(t *testing.T) {
	const mostOnAverage, mostOfNineteen = 40 * time.Millisecond, 80 * time.Millisecond
	h := newRig(t, t.TempDir(), defaults())
	h.reads("github", "get_file", strings.Repeat("the report of the quarter says what the team does. ", 40))
	evaluate := func(i int) time.Duration {
		text := fmt.Sprintf("row %d: %s", i, strings.Repeat("shipment 4711 leaves on Monday and arrives by train. ", 40))
		calls := []string{
			`{"command":` + quoted("grep -rn "+fmt.Sprint(i)+" src | sort | head; curl -s https://example.com/"+fmt.Sprint(i)) + `}`,
			`{"file_path":"/src/a.go","content":` + quoted(text) + `}`,
		}
		c := hookCall([]string{"Bash", "Write"}[i%2], calls[i%2])
		return cputime.Of(func() { h.gate.Announced(context.Background(), c, gate.Hook{}) })
	}
	for i := range 10 { // compiles the rules
		evaluate(i)
	}
	took := make([]time.Duration, 100)
	var sum time.Duration
	for i := range took {
		took[i] = evaluate(10 + i)
		sum += took[i]
	}
	slices.Sort(took)
	if mean, p95 := sum/100, took[94]; mean > mostOnAverage || p95 > mostOfNineteen {
		t.Errorf("100 evaluations took %v each, and the 95th of them %v of a processor", mean, p95)
	}
}
