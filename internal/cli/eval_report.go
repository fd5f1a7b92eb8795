package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/eval"
)

// hide removes the texts from the report, except those that were requested: they may contain real
// secrets, and reports are kept.
func (f *evalFlags) hide(r *eval.Report) {
	for name, items := range map[string][]eval.Item{"misses": r.Misses, "false-positives": r.FalsePositives, "reviews": r.Reviews} {
		shown := min(f.shown[name], len(items))
		for i := range items[shown:] {
			items[shown+i].Text = ""
			if step := items[shown+i].Step; step != nil {
				step.Reason = ""
			}
		}
	}
}

func metricsTable(r *eval.Report) *term.Table {
	if r.Suites != nil {
		return suiteTable(headed(r, "SUITE"), r.Suites)
	}
	t := &term.Table{
		Header: []string{
			headed(r, "CATEGORY"),
			"POSITIVES",
			"FOUND",
			"RECALL",
			"NEGATIVES",
			"FALSE ALARMS",
			"RATE",
			"PRECISION",
			"F1",
			"MS/TEXT",
		},
	}
	line := func(name string, m eval.Metrics) {
		t.Add(
			name,
			fmt.Sprint(m.Positives),
			fmt.Sprint(m.Found),
			share(m.Recall),
			fmt.Sprint(m.Negatives),
			fmt.Sprint(m.FalseAlarms),
			share(m.FalsePositiveRate),
			share(m.Precision),
			share(m.F1),
			fmt.Sprintf("%.3f", m.AvgTimeMS),
		)
	}
	line("all", r.Metrics)
	for _, c := range slices.Sorted(maps.Keys(r.ByCategory)) {
		line(c, r.ByCategory[c])
	}
	return t
}

// headed returns the heading of the column by which items are grouped; category is the default.
func headed(r *eval.Report, category string) string {
	switch r.By {
	case eval.BySource, eval.ByFile:
		return strings.ToUpper(string(r.By))
	}
	return category
}

func share(ratio *float64) string {
	if ratio == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f%%", 100**ratio)
}

// printRest prints the lines below the table.
func printRest(w io.Writer, r *eval.Report) {
	if r.Metrics.MacroRecall != nil {
		fmt.Fprintf(w, "\nMacro recall, the mean over %s: %s\n", r.By.Plural(), share(r.Metrics.MacroRecall))
	}
	if r.OutOfScope != nil {
		var parts []string
		for _, label := range slices.Sorted(maps.Keys(r.OutOfScope.Labels)) {
			parts = append(parts, fmt.Sprintf("%s %d", term.Plain(label), r.OutOfScope.Labels[label]))
		}
		fmt.Fprintf(w, "\nOut of scope, not counted: %d texts (%s)\n", r.OutOfScope.Rows, strings.Join(parts, ", "))
	}
	if r.Weak > 0 {
		fmt.Fprintf(w, "\nMarked as weak, not counted: %d texts\n", r.Weak)
	}
	printFlow(w, r)
	printSecurity(w, r)
	printItems(w, "Missed", r.Misses)
	printItems(w, "False alarms", r.FalsePositives)
	printItems(w, "To be reviewed without need", r.Reviews)
}

// printItems lists the items whose text was requested.
func printItems(w io.Writer, title string, items []eval.Item) {
	shown := 0
	for ; shown < len(items) && items[shown].Text != ""; shown++ {
		i := items[shown]
		if shown == 0 {
			fmt.Fprintf(w, "\n%s:\n", title)
		}
		found := ""
		if len(i.Found) > 0 {
			found = " found " + strings.Join(i.Found, ", ")
		}
		if i.Step != nil {
			found = fmt.Sprintf(" %s step %d, %s: %s", i.Session, i.Number, i.Tool, i.Decision) +
				strings.TrimSuffix(found+" "+i.Reason, " ")
			if i.Elsewhere {
				found += " (another malicious step was answered)"
			}
		}
		fmt.Fprintf(
			w,
			"  %s  %s%s\n    %s\n",
			term.Plain(i.Place.String()),
			term.Plain(i.Category),
			term.Plain(found),
			term.Plain(term.Cut(i.Text, 300)),
		)
	}
	if shown > 0 && shown < len(items) {
		fmt.Fprintf(w, "  … and %d more\n", len(items)-shown)
	}
}
