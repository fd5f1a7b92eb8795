package eval

import (
	"testing"

	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// The minimum results of the gate on the embedded calls and names; see docs/measure.md. Raise them when the gate
// improves, and never lower them.
const (
	leastContradictions = 0.90 // share of contradictions that are found
	leastPrecision      = 0.95 // share of reported contradictions that are right
	leastAccuracy       = 0.95 // share of names that are classified correctly
	leastOwnRows        = 100
)

// ordinary returns a gate with the default configuration.
func ordinary(t *testing.T) FlowSetup {
	t.Helper()
	c := config.Default()
	d, err := daemon.DetectorFor("", c)
	if err != nil {
		t.Fatal(err)
	}
	return FlowSetup{Settings: daemon.GateSettings(c, d), Limits: daemon.FlowLimits(c)}
}

// Shows: RFC-35.
func TestTheProjectsOwnContradictionsAreFound(t *testing.T) {
	r, err := Contradictions(Options{By: ByFile}, ordinary(t))
	if err != nil {
		t.Fatal(err)
	}
	s := r.Security
	if r.Metrics.Positives+r.Metrics.Negatives < leastOwnRows || len(r.ByCategory) != 2 {
		t.Errorf("only %+v", r.Metrics)
	}
	if *s.ContradictionRecall < leastContradictions || *s.ContradictionPrecision < leastPrecision {
		t.Errorf("found %.4f, precision %.4f: missed %v, false alarms %v",
			*s.ContradictionRecall, *s.ContradictionPrecision, places(r.Misses), places(r.FalsePositives))
	}
}

// Shows: RFC-35.
func TestTheProjectsOwnNamesAreClassifiedRightly(t *testing.T) {
	r, err := Classification(Options{By: ByFile}, ordinary(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Metrics.Positives+r.Metrics.Negatives < leastOwnRows || len(r.ByCategory) != 2 {
		t.Errorf("only %+v", r.Metrics)
	}
	if got := *r.Security.ClassificationAccuracy; got < leastAccuracy {
		t.Errorf("accuracy %.4f: wrong are %v and %v", got, places(r.Misses), places(r.FalsePositives))
	}
}
