package eval

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/trust"
)

// The minimum results of the scanner on the project's own definitions. Raise them when it improves, and never lower
// them.
const (
	leastHardRecall  = 0.90
	leastSoftRecall  = 0.65
	mostHardOnBenign = 0.015
	mostAnyOnBenign  = 0.05
)

// The minimum contents of the corpus.
const (
	leastMalicious    = 250
	leastBenign       = 250
	leastHardNegative = 120
	leastChanges      = 60
)

// withSecrets returns a scanner that finds secrets with all rules.
func withSecrets() definition.Scanner {
	return definition.Scanner{Secrets: detect.New(detect.Rules()).Secrets}
}

func TestTheProjectsOwnDefinitionsAreJudgedRight(t *testing.T) {
	r, err := Tools(Options{Inputs: []string{filepath.Join("testdata", "tools")}}, withSecrets(), "")
	if err != nil {
		t.Fatal(err)
	}
	m := r.Metrics
	if m.Positives < leastMalicious || m.Negatives < leastBenign ||
		r.ByCategory["hard_negative"].Negatives < leastHardNegative {
		t.Errorf(
			"only %d malicious and %d benign definitions, of those %d that look bad",
			m.Positives,
			m.Negatives,
			r.ByCategory["hard_negative"].Negatives,
		)
	}
	least := leastHardRecall
	leastSoft := leastSoftRecall
	most := mostHardOnBenign
	for _, missed := range (Gate{MinRecall: &least}).Missed(r.ByTier[scan.TierHard]) {
		t.Errorf("of the tier hard: %s: %+v", missed, places(r.Misses))
	}
	for _, missed := range (Gate{MinRecall: &leastSoft}).Missed(r.ByTier[scan.TierSoft]) {
		t.Errorf("of the tier soft: %s: %+v", missed, places(r.Misses))
	}
	for _, missed := range (Gate{MaxFPR: &most}).Missed(r.Metrics) {
		t.Errorf("%s: %+v", missed, places(r.FalsePositives))
	}
	if *r.Metrics.AnyFindingRate > mostAnyOnBenign {
		t.Errorf(
			"%.2f%% of the benign definitions would have to be reviewed: %+v",
			100**r.Metrics.AnyFindingRate,
			places(r.Reviews),
		)
	}
}

// places returns the positions of items, without their long texts.
func places(items []Item) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.Place.String())
	}
	return out
}

func TestTheProjectsOwnChangesAreReportedExactly(t *testing.T) {
	diff := func(before, after json.RawMessage) (parts []string, err error) {
		found, err := trust.Diff(before, after)
		for _, d := range found {
			parts = append(parts, d.Part)
		}
		return parts, err
	}
	r, err := Changes(Options{Inputs: []string{filepath.Join("testdata", "changes")}}, diff)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Metrics.Positives + r.Metrics.Negatives; n < leastChanges {
		t.Errorf("only %d changes", n)
	}
	if len(r.Misses)+len(r.FalsePositives) > 0 {
		t.Errorf("not reported: %+v, reported without need: %+v", r.Misses, r.FalsePositives)
	}
	for _, none := range []string{"reordered", "whitespace", "spelling", "unchanged"} {
		if r.ByCategory[none].Positives > 0 || r.ByCategory[none].Negatives == 0 {
			t.Errorf("%s: %+v", none, r.ByCategory[none])
		}
	}
}

// The hosts in the malicious rows belong to nobody: they are reserved for examples.
func TestAttacksOfTheCorpusNameOnlyReservedHosts(t *testing.T) {
	rows, err := read[toolRow](Options{Inputs: []string{filepath.Join("testdata", "tools")}})
	if err != nil {
		t.Fatal(err)
	}
	host := regexp.MustCompile(`https?://([A-Za-z0-9.-]+)`)
	seen := map[string]Place{}
	for _, r := range rows {
		shown := r.data.Server + " " + string(r.data.Kind) + " " + r.data.show()
		if first, twice := seen[shown]; twice {
			t.Errorf("%s repeats %s", r.Place, first)
		}
		seen[shown] = r.Place
		for _, m := range host.FindAllStringSubmatch(r.data.show(), -1) {
			name := strings.TrimRight(m[1], ".")
			if r.data.malicious() && !strings.HasSuffix(name, ".example") && !strings.HasPrefix(name, "203.0.113.") &&
				!strings.HasPrefix(name, "198.51.100.") &&
				name != "webhook.site" {
				t.Errorf("%s names the host %s", r.Place, name)
			}
		}
	}
}
