package probe_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/adversary"
	"mcpproxy/internal/probe"
)

var update = flag.Bool("update", false, "write the golden files")

// testdata/adversary.golden lists, for each attack of the catalogue, the tests that the attack fails and its benign
// variant passes. It shows what a probe can detect from the outside. Attacks in the results of calls are for the gate to
// detect.
func TestAttacksFailTestsAndTheirBenignVariantsPass(t *testing.T) {
	var attacks []adversary.Attack
	for _, a := range adversary.Catalogue() {
		// Of the matrices, the test uses one disguise that a probe detects and one that it does not. Detecting every
		// disguise is the task of the scanner, and is tested there.
		matrix := a.Category == "poisoning" || a.Category == "injection"
		if !matrix || strings.HasSuffix(a.Name, ".plain") || strings.HasSuffix(a.Name, ".tags") {
			attacks = append(attacks, a)
		}
	}
	lines := make([]string, len(attacks))
	var all sync.WaitGroup
	limit := make(chan struct{}, 4)
	for i, a := range attacks {
		limit <- struct{}{}
		all.Go(func() {
			defer func() { <-limit }()
			bad, variant := failing(t, a, a.Harm), failing(t, a, a.Benign)
			var seen []string
			for id, reasons := range bad {
				for _, reason := range reasons {
					if !slices.Contains(variant[id], reason) && !slices.Contains(seen, id) {
						seen = append(seen, id)
					}
				}
			}
			for id := range variant {
				if len(bad[id]) == 0 && len(bad["unreachable"]) == 0 {
					t.Errorf("the variant of %s fails %s, and the attack does not", a.Name, id)
				}
			}
			slices.Sort(seen)
			lines[i] = strings.TrimSpace(fmt.Sprintf("%s: %s", a.Name, strings.Join(seen, " ")))
		})
	}
	all.Wait()
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "adversary.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// failing returns, for each test that an act fails, the reasons. Every act gets the test that reads definitions. Acts
// that break the protocol also get the tests that make calls.
func failing(t *testing.T, a adversary.Attack, act adversary.Act) map[string][]string {
	t.Helper()
	o := probe.Options{Tests: []string{"T7"}, CallTimeoutMS: 30000, LatencyTestCalls: 2}
	if a.Category == "hostile" || a.Category == "rugpull" {
		o.Tests = []string{"T2", "T4", "T5", "T7", "T8"}
	}
	if act.Fault.Kind == "slow" && act.Fault.Size < 0 {
		o.CallTimeoutMS = 300
	}
	s := httptest.NewServer(adversary.NewServer(act))
	defer func() { s.CloseClientConnections(); s.Close() }()
	r, err := probe.New(probe.Target{URL: s.URL}, o, probe.Thresholds{MaxP95MS: 60000}).Run(t.Context())
	if err != nil {
		return map[string][]string{"unreachable": {err.Error()}}
	}
	out := map[string][]string{}
	for _, one := range r.Tests {
		if one.Outcome != probe.Failed {
			continue
		}
		for _, reason := range append([]string{one.Reason}, one.Notes...) {
			out[one.ID] = append(out[one.ID], strings.TrimPrefix(reason, "also: "))
		}
	}
	return out
}
