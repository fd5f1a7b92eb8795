package oracle

import (
	"bufio"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gitleaks "github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

const (
	samples  = 24  // strings for each rule
	attempts = 400 // attempts to generate them
)

// theirs returns gitleaks with its own rules. Rules for certain files are applied to every text.
func theirs(t testing.TB) *gitleaks.Detector {
	t.Helper()
	d, err := gitleaks.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	for id, rule := range d.Config.Rules {
		if rule.Regex != nil {
			rule.Path = nil
			d.Config.Rules[id] = rule
		}
	}
	return d
}

func ours(t testing.TB) *detect.Detector {
	t.Helper()
	d := detect.New(detect.Rules())
	if err := d.Warm(); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOracle checks that our detector finds what gitleaks finds.
func TestOracle(t *testing.T) {
	g, d := theirs(t), ours(t)
	listed := differences(t)
	var ids []string
	for id, rule := range g.Config.Rules {
		if rule.Regex != nil { // rules without a pattern depend on file names
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	unread := map[string]bool{} // the listed forms, and whether each was needed
	for what, of := range listed {
		if of.found == "form" {
			unread[what] = false
		} else if !slices.Contains(ids, what) {
			t.Errorf("differences.txt: there is no rule %s", what)
		}
	}
	for _, id := range ids {
		t.Run(id, func(t *testing.T) {
			forged := forgeAll(g, id)
			if len(forged) == 0 {
				t.Fatal("nothing could be forged that gitleaks finds")
			}
			var missed []string
			for _, s := range forged {
				if finds(t, d, s) {
					continue
				}
				if _, ok := unread[s.form]; ok {
					unread[s.form] = true
					continue
				}
				missed = append(missed, s.text)
			}
			compare(t, id, len(forged), missed, listed[id])
		})
	}
	for form, needed := range unread {
		if !needed {
			t.Errorf("everything is found that is written as %s: take it off differences.txt", form)
		}
	}
}

// compare compares the missed strings with the listed differences.
func compare(t *testing.T, id string, of int, missed []string, listed difference) {
	got := "all"
	switch len(missed) {
	case 0:
	case of:
		got = "none"
	default:
		got = "some"
	}
	switch {
	case got == "all" && listed.found != "":
		t.Errorf("all %d strings are found: take %s off differences.txt", of, id)
	case got != "all" && listed.found != got:
		t.Errorf(
			"%d of %d strings are not found, such as\n\t%q\nAdd a rule, or a line to differences.txt:\n%s  %s  REASON",
			len(missed),
			of,
			missed[:min(3, len(missed))],
			id,
			got,
		)
	}
}

// forgeAll returns strings that gitleaks finds with the rule. They are the same in each run.
func forgeAll(g *gitleaks.Detector, id string) []sample {
	h := fnv.New64a()
	h.Write([]byte(id))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	rule := g.Config.Rules[id]
	var out []sample
	for range attempts {
		s, form := forge(r, rule.Regex.String())
		if len(rule.Keywords) > 0 &&
			!slices.ContainsFunc(
				rule.Keywords,
				func(k string) bool { return strings.Contains(strings.ToLower(s), k) },
			) {
			s = "# " + rule.Keywords[0] + "\n" + s
		}
		found := g.DetectString(s)
		if i := slices.IndexFunc(found, func(f report.Finding) bool { return f.RuleID == id }); i >= 0 {
			out = append(out, sample{s, form, found[i].Secret})
		}
		if len(out) == samples {
			break
		}
	}
	return out
}

// sample is a string with the secret that gitleaks finds in it and, if it is an assignment, its form.
type sample struct{ text, form, secret string }

// finds reports whether a finding of d overlaps the secret.
func finds(t testing.TB, d *detect.Detector, s sample) bool {
	t.Helper()
	doc, err := text.Parse(text.Quote(s.text), "text")
	if err != nil {
		t.Fatal(err)
	}
	found, err := d.Find(doc)
	if err != nil {
		t.Fatal(err)
	}
	from := strings.Index(s.text, s.secret)
	for _, f := range found {
		for _, span := range f.Spans {
			if span.Part == 0 && span.Start < from+len(s.secret) && from < span.End {
				return true
			}
		}
	}
	return false
}

// difference is a line of differences.txt. It says that some or none of a rule's strings are found, and why, or that a
// form of assignment is not recognised.
type difference struct{ found, reason string }

func differences(t *testing.T) map[string]difference {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]difference{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		what, d, ok := split(line)
		if !ok || out[what].found != "" {
			t.Fatalf(
				"differences.txt:%d: want WHAT, then some, none or form, then a REASON, two spaces apart, and each only once",
				n,
			)
		}
		out[what] = d
	}
	return out
}

func split(line string) (what string, d difference, ok bool) {
	what, rest, _ := strings.Cut(line, "  ")
	d.found, d.reason, _ = strings.Cut(strings.TrimSpace(rest), "  ")
	d.reason = strings.TrimSpace(d.reason)
	return what, d, d.reason != "" && d.reason != "REASON" && slices.Contains([]string{"some", "none", "form"}, d.found)
}
