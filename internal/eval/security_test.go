package eval

import (
	"strings"
	"testing"
)

// Shows: RFC-35.
func TestFiguresAreReadyForProductionIfTheyMeetEveryRequirement(t *testing.T) {
	good := func() *SecurityTestMetrics {
		return &SecurityTestMetrics{
			AttackDetectionRate: num(0.995),
			FalseNegativeRate:   num(0.005),
			FalsePositiveRate:   num(0.01),
			AvgDetectionTimeMs:  2,
		}
	}
	for _, c := range []struct {
		name   string
		change func(*SecurityTestMetrics)
		unmet  string
	}{
		{"all met", func(*SecurityTestMetrics) {}, ""},
		{"one attack in a hundred missed", func(m *SecurityTestMetrics) { m.FalseNegativeRate = num(0.01) }, "missed is 1.00%"},
		{"one false alarm in twenty", func(m *SecurityTestMetrics) { m.FalsePositiveRate = num(0.05) }, "false alarm is 5.00%"},
		{"99 of 100 found", func(m *SecurityTestMetrics) { m.AttackDetectionRate = num(0.99) }, "found is 99.00%"},
		{"slow", func(m *SecurityTestMetrics) { m.AvgDetectionTimeMs = 50 }, "takes 50.0 ms"},
		{"false alarms unmeasured", func(m *SecurityTestMetrics) { m.FalsePositiveRate = nil }, "was not measured"},
		{"nothing measured", func(m *SecurityTestMetrics) { *m = SecurityTestMetrics{} }, "was not measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := good()
			c.change(m)
			if got := m.IsProductionReady(); got != (c.unmet == "") {
				t.Errorf("ready: %v", got)
			}
			if got := strings.Join(m.unmet(), "; "); !strings.Contains(got, c.unmet) || (c.unmet == "") != (got == "") {
				t.Errorf("unmet: %q", got)
			}
		})
	}
}

func TestWithoutHonestDefinitionsNothingIsReadyForProduction(t *testing.T) {
	if got := securityOfTools(
		answered(100, 100, 0, 0).metrics(),
	); got.ProductionReady != nil ||
		*got.FalseNegativeRate != 0 {
		t.Errorf("%+v", got)
	}
	if got := securityOfTools(
		answered(100, 100, 10, 0).metrics(),
	); got.ProductionReady == nil || !*got.ProductionReady ||
		len(got.NotReady) != 0 {
		t.Errorf("%+v", got)
	}
	if got := securityOfTools(answered(100, 98, 10, 0).metrics()); *got.ProductionReady || len(got.NotReady) != 2 {
		t.Errorf("%+v", got)
	}
}
