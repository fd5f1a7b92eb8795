package eval

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func num(f float64) *float64 { return &f }

// answered returns a tally of positives, found ones, negatives and false alarms, of 1 ms each.
func answered(positives, found, negatives, alarms int) *tally {
	t := &tally{}
	for i := range positives {
		t.add(true, answer{found: i < found, took: time.Millisecond})
	}
	for i := range negatives {
		t.add(false, answer{found: i < alarms, took: time.Millisecond})
	}
	return t
}

func TestFiguresAgreeWithManualCalculation(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   *tally
		want Metrics
	}{
		{"three of four found, one alarm in five", answered(4, 3, 5, 1), Metrics{
			Recall:            num(0.75),
			FalsePositiveRate: num(0.2),
			Precision:         num(0.75),
			F1:                num(0.75),
			AvgTimeMS:         1,
			Positives:         4,
			Negatives:         5,
			Found:             3,
			FalseAlarms:       1,
		}},
		{"all found, one alarm in two", answered(1, 1, 2, 1), Metrics{
			Recall:            num(1),
			FalsePositiveRate: num(0.5),
			Precision:         num(0.5),
			F1:                num(2.0 / 3),
			AvgTimeMS:         1,
			Positives:         1,
			Negatives:         2,
			Found:             1,
			FalseAlarms:       1,
		}},
		{"nothing found has no precision, and an F1 of zero", answered(2, 0, 1, 0), Metrics{
			Recall:            num(0),
			FalsePositiveRate: num(0),
			F1:                num(0),
			AvgTimeMS:         1,
			Positives:         2,
			Negatives:         1,
		}},
		{"without positives there is no recall", answered(0, 0, 4, 1), Metrics{
			FalsePositiveRate: num(0.25),
			Precision:         num(0),
			F1:                num(0),
			AvgTimeMS:         1,
			Negatives:         4,
			FalseAlarms:       1,
		}},
		{"without negatives there is no false-positive rate", answered(2, 1, 0, 0), Metrics{
			Recall:    num(0.5),
			Precision: num(1),
			F1:        num(2.0 / 3),
			AvgTimeMS: 1,
			Positives: 2,
			Found:     1,
		}},
		{"without rows there is nothing", answered(0, 0, 0, 0), Metrics{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.of.metrics()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARowCountsOnceInAllAndInEachOfItsCategories(t *testing.T) {
	r := newReport(ByLabel)
	r.add(outcome{
		Place:      Place{"a", 1},
		categories: []string{"CARD", "EMAIL"},
		positive:   true,
		answer:     answer{found: true},
	})
	r.add(outcome{
		Place:      Place{"a", 2},
		categories: []string{"CARD"},
		kind:       "pii",
		text:       "x",
		positive:   true,
	})
	r.add(
		outcome{
			Place:      Place{"a", 3},
			categories: []string{"EMAIL"},
			answer:     answer{found: true, by: []string{"email"}},
		},
	)
	r.add(outcome{Place: Place{"a", 4}, categories: []string{""}})
	r.finish(true)
	if got := r.Metrics; got.Positives != 2 || got.Negatives != 2 || *got.Recall != 0.5 ||
		*got.FalsePositiveRate != 0.5 {
		t.Errorf("in all: %+v", got)
	}
	if got := *r.Metrics.MacroRecall; got != 0.75 { // CARD 1/2 and EMAIL 1/1; the others have no positives
		t.Errorf("macro recall %v, want 0.75", got)
	}
	if got := r.ByCategory["CARD"]; got.Positives != 2 || got.Found != 1 || got.Negatives != 0 {
		t.Errorf("CARD: %+v", got)
	}
	if got := r.ByCategory["EMAIL"]; got.Positives != 1 || got.Found != 1 || got.FalseAlarms != 1 {
		t.Errorf("EMAIL: %+v", got)
	}
	if got := r.ByCategory["(none)"]; got.Negatives != 1 {
		t.Errorf("without category: %+v", got)
	}
	want := []Item{{
		Place:    Place{"a", 2},
		Category: "CARD",
		Kind:     "pii",
		Text:     "x",
	}}
	if diff := cmp.Diff(want, r.Misses); diff != "" {
		t.Error(diff)
	}
	want = []Item{{Place: Place{"a", 3}, Category: "EMAIL", Found: []string{"email"}}}
	if diff := cmp.Diff(want, r.FalsePositives); diff != "" {
		t.Error(diff)
	}
}

func TestARequirementIsMissedByAWorseFigureAndByAMissingOne(t *testing.T) {
	m := answered(4, 3, 5, 1).metrics() // recall 0.75, false-positive rate 0.2
	for _, tt := range []struct {
		name string
		gate Gate
		of   Metrics
		want []string
	}{
		{"nothing asked", Gate{}, m, nil},
		{"just reached", Gate{num(0.75), num(0.2)}, m, nil},
		{"recall too low", Gate{MinRecall: num(0.8)}, m, []string{"recall 0.75 is below 0.8"}},
		{"too many alarms", Gate{MaxFPR: num(0.19)}, m, []string{"the false-positive rate 0.2 is above 0.19"}},
		{"both", Gate{num(0.9), num(0)}, m, []string{"recall 0.75 is below 0.9", "the false-positive rate 0.2 is above 0"}},
		{"no positives", Gate{MinRecall: num(0)}, answered(0, 0, 1, 0).metrics(), []string{"there is no recall: the input has no positives"}},
		{"no negatives", Gate{MaxFPR: num(1)}, answered(1, 1, 0, 0).metrics(), []string{"there is no false-positive rate: the input has no negatives"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.gate.Missed(tt.of); !slices.Equal(got, tt.want) {
				t.Errorf("missed: %q, want %q", got, tt.want)
			}
		})
	}
}
