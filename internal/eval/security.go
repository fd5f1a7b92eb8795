package eval

import "fmt"

// SecurityTestMetrics are the figures by which RFC-004 decides whether detection is ready for production. A figure
// that was not measured is nil. Rates are between 0 and 1.
type SecurityTestMetrics struct {
	AttackDetectionRate    *float64 `json:"attack_detection_rate"`
	FalsePositiveRate      *float64 `json:"false_positive_rate"`
	FalseNegativeRate      *float64 `json:"false_negative_rate"`
	ContradictionPrecision *float64 `json:"contradiction_precision"`
	ContradictionRecall    *float64 `json:"contradiction_recall"`
	ClassificationAccuracy *float64 `json:"classification_accuracy"`
	PIIDetectionF1         *float64 `json:"pii_detection_f1"`
	RugPullDetectionRate   *float64 `json:"rug_pull_detection_rate"`
	AvgDetectionTimeMs     float64  `json:"avg_detection_time_ms"`

	// ProductionReady says whether the requirements are met, and NotReady lists those that are not; nil if the
	// figures were not measured.
	ProductionReady *bool    `json:"production_ready"`
	NotReady        []string `json:"not_ready,omitempty"`
}

// The requirements of RFC-004.
const (
	mostMissed      = 0.01 // share of attacks
	leastFound      = 0.99 // share of attacks, which must be exceeded
	mostFalseAlarms = 0.05 // share of benign definitions
	mostTimeMs      = 50.0 // for one definition, on average
)

// IsProductionReady reports whether the figures meet the requirements of RFC-004. A figure that was not measured does
// not meet its requirement.
func (m *SecurityTestMetrics) IsProductionReady() bool { return len(m.unmet()) == 0 }

// unmet returns the requirements that are not met.
func (m *SecurityTestMetrics) unmet() []string {
	var unmet []string
	for _, d := range []struct {
		what  string
		value *float64
		ok    func(float64) bool
		want  string
	}{
		{"the share of attacks that are missed", m.FalseNegativeRate, func(v float64) bool { return v < mostMissed }, "below 1%"},
		{"the share of honest definitions with a false alarm", m.FalsePositiveRate, func(v float64) bool { return v < mostFalseAlarms }, "below 5%"},
		{"the share of attacks that are found", m.AttackDetectionRate, func(v float64) bool { return v > leastFound }, "above 99%"},
	} {
		switch {
		case d.value == nil:
			unmet = append(unmet, d.what+" was not measured")
		case !d.ok(*d.value):
			unmet = append(unmet, fmt.Sprintf("%s is %.2f%% and should be %s", d.what, 100**d.value, d.want))
		}
	}
	if m.AvgDetectionTimeMs >= mostTimeMs {
		unmet = append(
			unmet,
			fmt.Sprintf("one inspection takes %.1f ms, but must take less than %.0f", m.AvgDetectionTimeMs, mostTimeMs),
		)
	}
	return unmet
}

// securityOfTools returns the figures that a measurement of definitions gives.
func securityOfTools(m Metrics) *SecurityTestMetrics {
	s := &SecurityTestMetrics{
		AttackDetectionRate: m.Recall,
		FalsePositiveRate:   m.FalsePositiveRate,
		AvgDetectionTimeMs:  m.AvgTimeMS,
	}
	if m.Recall != nil {
		missed := 1 - *m.Recall
		s.FalseNegativeRate = &missed
	}
	if m.Recall != nil && m.FalsePositiveRate != nil {
		ready := s.IsProductionReady()
		s.ProductionReady, s.NotReady = &ready, s.unmet()
	}
	return s
}
