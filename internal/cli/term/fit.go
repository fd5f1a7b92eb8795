package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	gap       = 2  // spaces between two columns of a table
	narrowest = 8  // minimum width of a column
	readable  = 40 // minimum width of the other columns before spare columns are dropped
)

// width returns the width of the terminal that w writes to, in columns, or 0 without a terminal.
func width(w io.Writer) int {
	if out, is := w.(*Results); is {
		w = out.File
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// spared returns the table without the spare columns for which there is no room. The other columns
// keep their width, up to [readable].
func (t *Table) spared(columns int) *Table {
	var out []int // widths of the columns
	for _, spare := range t.Spare {
		total := -gap
		for i, n := range t.widths() {
			if !slices.Contains(out, i) {
				total += gap + min(n, readable)
			}
		}
		if columns <= 0 || total <= columns {
			break
		}
		out = append(out, spare)
	}
	if len(out) == 0 {
		return t
	}
	cells := func(row []string) (kept []string) {
		for i, cell := range row {
			if !slices.Contains(out, i) {
				kept = append(kept, cell)
			}
		}
		return kept
	}
	left := &Table{Header: cells(t.Header)}
	for _, row := range t.Rows {
		left.Rows = append(left.Rows, cells(row))
	}
	for _, whole := range t.Whole {
		before := 0
		for _, i := range out {
			if i < whole {
				before++
			}
		}
		left.Whole = append(left.Whole, whole-before)
	}
	return left
}

// widths returns the natural widths of the columns.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Header))
	for i, name := range t.Header {
		widths[i] = utf8.RuneCountInString(name)
		for _, row := range t.Rows {
			if i < len(row) {
				widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			}
		}
	}
	return widths
}

// fit returns the maximum widths of the columns so that a row fits into the given width. It
// shortens the widest columns first. It returns nil if everything fits or if columns is 0.
func (t *Table) fit(columns int) []int {
	widths := t.widths()
	total := gap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	if columns <= 0 || total <= columns {
		return nil
	}
	for ; total > columns; total-- {
		widest := -1
		for i, n := range widths {
			least := max(narrowest, utf8.RuneCountInString(t.Header[i]))
			if n > least && !slices.Contains(t.Whole, i) && (widest < 0 || n > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // the terminal is too narrow for any row
		}
		widths[widest]--
	}
	return widths
}

// cut returns the table with cells of at most the given widths.
func (t *Table) cut(limits []int) *Table {
	out := &Table{Header: t.Header}
	for _, row := range t.Rows {
		cells := slices.Clone(row)
		for i := range cells {
			if i < len(limits) {
				cells[i] = Cut(cells[i], limits[i])
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// When formats a time for w. On a terminal a time that is less than a month away is relative; elsewhere
// the format is fixed, for programs.
func When(w io.Writer, at time.Time, layout string) string {
	if width(w) == 0 {
		return at.Local().Format(layout)
	}
	return Ago(at, time.Now())
}

// At formats a time for w, within a sentence: 3m ago on a terminal, and elsewhere "at" and the time.
func At(w io.Writer, at time.Time, layout string) string {
	if width(w) == 0 {
		return "at " + at.Local().Format(layout)
	}
	return Ago(at, time.Now())
}

// month limits the times that [Ago] formats relative to now.
const month = 31 * 24 * time.Hour

// Ago formats how long ago a time was, or in how long it will be. A time that is more than a month away is formatted
// as a date.
func Ago(at, now time.Time) string {
	away, form := now.Sub(at), "%s ago"
	if away < 0 {
		away, form = -away, "in %s"
	}
	if away >= month {
		return at.Local().Format(time.DateOnly)
	}
	return fmt.Sprintf(form, roughly(away))
}

// roughly formats a duration in its largest unit: 5s, 3m, 12h or 7d.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
