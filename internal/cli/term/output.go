// Package term prints to terminals and asks the person who uses them. It removes characters from
// untrusted text that change how a terminal displays the surrounding text.
package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/term"
)

// Results is standard output. It remembers write errors, because a command whose output was lost
// has failed.
type Results struct {
	File *os.File
	Lost error
}

// Write implements [io.Writer].
func (r *Results) Write(p []byte) (int, error) {
	n, err := r.File.Write(p)
	if err != nil && r.Lost == nil {
		r.Lost = fmt.Errorf("the results could not be written: %w", err)
	}
	return n, err
}

// Table is a listing as rows of cells.
type Table struct {
	Header []string
	Rows   [][]string
	// Whole are the indices of columns that are never shortened, such as those of ids.
	Whole []int
	// Spare are the indices of columns that are dropped, in this order, if the terminal is too
	// narrow for the others.
	Spare []int
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Formats are the output formats of every verb.
var Formats = []string{"table", "json", "yaml"}

// Print writes v in one of [formats], using t for a table.
func Print(w io.Writer, format string, v any, t *Table) error {
	switch format {
	case "json":
		return WriteJSON(w, v)
	case "yaml":
		return writeYAML(w, v)
	}
	return t.Write(w)
}

// Write prints the table. On a terminal it shortens cells so that a row fits on a line, and paints states and
// decisions.
func (t *Table) Write(w io.Writer) error {
	return t.write(w, width(w), Colors(w))
}

func (t *Table) write(w io.Writer, columns int, p Palette) error {
	for _, row := range t.Rows {
		for i := range row {
			row[i] = Plain(row[i])
		}
	}
	t = t.spared(columns)
	if limits := t.fit(columns); limits != nil {
		t = t.cut(limits)
	}
	widths := t.widths()
	var b strings.Builder
	for i, name := range t.Header {
		padded(&b, p.Bold(name), name, i, len(t.Header), widths)
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			shown := cell
			if i < len(t.Header) && slices.Contains(stateColumns, t.Header[i]) {
				shown = p.State(cell)
			}
			padded(&b, shown, cell, i, len(row), widths)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// padded writes cell i of n, and the spaces after it up to the next column or the end of the line. The escape
// sequences of shown, which is the painted cell, take no space.
func padded(b *strings.Builder, shown, cell string, i, n int, widths []int) {
	b.WriteString(shown)
	if i == n-1 {
		b.WriteByte('\n')
		return
	}
	spaces := gap
	if i < len(widths) {
		spaces += widths[i] - utf8.RuneCountInString(cell)
	}
	b.WriteString(strings.Repeat(" ", spaces))
}

// Paint prints the table with each row in the colour that of returns.
func (t *Table) Paint(w io.Writer, of func(row int) func(string) string) error {
	var drawn bytes.Buffer
	if err := t.write(&drawn, width(w), false); err != nil {
		return err
	}
	row := -1 // the header
	for line := range strings.Lines(drawn.String()) {
		if row >= 0 {
			line = of(row)(strings.TrimSuffix(line, "\n")) + "\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
		row++
	}
	return nil
}

// Plain makes untrusted text safe to print by removing control and format characters.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if deceives(r) {
			return '·'
		}
		return r
	}, s)
}

// deceives reports whether a character is invisible or changes how a terminal displays the
// surrounding text: control characters, direction marks, zero-width characters, and code points
// that are not characters, which YAML does not allow.
func deceives(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// escaped escapes deceptive characters in JSON or YAML; all of them are inside double quotes. It
// keeps line feeds and tabs, which are layout outside strings. Wide writes characters beyond
// U+FFFF, which the two formats escape differently.
func escaped(s string, wide func(rune) string) string {
	if !strings.ContainsFunc(s, deceives) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !deceives(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString(wide(r))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// EscapedJSON returns JSON in a form that is safe to print.
func EscapedJSON(s string) string {
	return escaped(s, func(r rune) string {
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	})
}

// wideYAML writes the YAML escape of a character beyond U+FFFF.
func wideYAML(r rune) string { return fmt.Sprintf(`\U%08x`, r) }

// WriteJSON writes v, indented, in a form that is safe to print.
func WriteJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, EscapedJSON(b.String()))
	return err
}

// writeYAML writes v in a form that is safe to print. The YAML encoder escapes control characters
// but neither escapes nor quotes the other deceptive characters.
func writeYAML(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	// JSON is valid YAML except for raw control characters. The nodes are restyled and not encoded
	// again, because node.Encode fails on some strings that begin with a line feed.
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(escaped(string(raw), wideYAML)), &node); err != nil {
		return err
	}
	restyle(&node)
	out, err := yaml.Marshal(&node)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, escaped(string(out), wideYAML))
	return err
}

// restyle changes the layout of JSON to that of YAML and keeps the order of members. Scalars with
// deceptive characters stay in double quotes, where characters can be escaped.
func restyle(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && strings.ContainsFunc(n.Value, deceives) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		restyle(child)
	}
}

// Cut shortens a cell.
func Cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// Palette colours text on a terminal and leaves it unchanged elsewhere.
type Palette bool

// Colors reports whether w supports colours.
func Colors(w io.Writer) Palette {
	if out, is := w.(*Results); is {
		w = out.File
	}
	f, ok := w.(*os.File)
	return Palette(ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())))
}

func (p Palette) paint(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Red, Green, Yellow, Bold and Dim return s in that style, or unchanged without colours.
func (p Palette) Red(s string) string    { return p.paint("31;1", s) }
func (p Palette) Green(s string) string  { return p.paint("32", s) }
func (p Palette) Yellow(s string) string { return p.paint("33", s) }
func (p Palette) Bold(s string) string   { return p.paint("1", s) }
func (p Palette) Dim(s string) string    { return p.paint("2", s) }

// Decision paints a decision in its colour.
func (p Palette) Decision(d string) string { return p.State(d) }

// stateColumns are the columns of tables whose cells are states or decisions.
var stateColumns = []string{"DECISION", "NOW", "RESULT", "RISK", "SEVERITY", "STATE", "STATUS", "THREAT LEVEL", "WAS", "WOULD BE"}

// State paints a state, a decision or a level in its colour. A level may be followed by a number: high (60).
func (p Palette) State(s string) string {
	word, _, _ := strings.Cut(s, " ")
	switch word {
	case "blocked", "critical", "dangerous", "deny", "error", "fail", "failed", "high", "rejected", "rug_pull":
		return p.Red(s)
	case "ask", "changed", "connecting", "medium", "quarantined", "redact", "warn", "warning":
		return p.Yellow(s)
	case "allow", "approved", "pass", "ready", "success":
		return p.Green(s)
	}
	return s
}

// Plural returns a number with its noun.
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
