package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/ledger"
)

func activitySummary(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "summary",
		Short: "Count records by kind and over time",
		Args:  noArguments,
		Example: `  mcpproxy activity summary --start-time 2026-01-01T00:00:00Z
  mcpproxy activity summary --server slack -o json`,
	}
	filters := filterFlags(cmd.Flags(), "limit", "offset", "cursor", "order")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := newClient(g)
		if err != nil {
			return err
		}
		var sum ledger.Breakdown
		query, err := filters()
		if err != nil {
			return err
		}
		if err := setSession(cmd, g, query); err != nil {
			return err
		}
		if err := c.Get(cmd.Context(), "/api/v1/activity/summary", query, &sum); err != nil {
			return err
		}
		if g.output != "table" {
			return g.print(cmd.OutOrStdout(), sum, nil)
		}
		return drawSummary(cmd.OutOrStdout(), sum)
	}
	return cmd
}

// drawSummary prints a summary for people.
func drawSummary(w io.Writer, sum ledger.Breakdown) error {
	t := &term.Table{Header: []string{"WHAT", "RECORDS"}}
	t.Add("all", fmt.Sprint(sum.Total))
	for _, s := range mcpproxy.Statuses {
		t.Add(string(s), fmt.Sprint(sum.Status[s]))
	}
	for _, l := range mcpproxy.RiskLevels[1:] {
		t.Add("risk "+string(l)+" and above", fmt.Sprint(sum.AtLeastRisk[l]))
	}
	t.Add("with sensitive data", fmt.Sprint(sum.Sensitive))
	if err := t.Write(w); err != nil {
		return err
	}
	for _, l := range []struct {
		name   string
		values []ledger.Value
	}{{"TYPE", sum.Types}, {"DECISION", sum.Decisions}, {"SERVER", sum.Servers}, {"TOOL", sum.Tools}, {"RULE", sum.Rules}, {"DETECTED", sum.Detections}} {
		if len(l.values) == 0 {
			continue
		}
		t := &term.Table{Header: []string{l.name, "RECORDS"}}
		for _, v := range l.values {
			t.Add(term.Cut(v.Value, 60), fmt.Sprint(v.Records))
		}
		fmt.Fprintln(w)
		if err := t.Write(w); err != nil {
			return err
		}
	}
	return drawBuckets(w, sum)
}

// barWidth is the length of the longest bar in a chart.
const barWidth = 40

// drawBuckets draws the number of records over time; # marks stopped calls.
func drawBuckets(w io.Writer, sum ledger.Breakdown) error {
	most := 0
	for _, b := range sum.Buckets {
		most = max(most, b.Total)
	}
	if most == 0 {
		return nil
	}
	format := "2006-01-02"
	if sum.Width < 24*3600 {
		format = "2006-01-02 15:04"
	}
	t := &term.Table{Header: []string{"FROM", "RECORDS", "STOPPED", ""}}
	for _, b := range sum.Buckets {
		stopped := (b.Blocked*barWidth + most - 1) / most
		bar := strings.Repeat("#", stopped) + strings.Repeat("=", max(0, (b.Total*barWidth+most-1)/most-stopped))
		t.Add(b.Start.Local().Format(format), fmt.Sprint(b.Total), fmt.Sprint(b.Blocked), bar)
	}
	fmt.Fprintln(w)
	return t.Write(w)
}
