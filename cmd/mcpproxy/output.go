package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/term"
)

// results is standard output, which remembers what it could not take: a command whose
// results nobody got has not succeeded.
type results struct {
	file *os.File
	lost error
}

func (r *results) Write(p []byte) (int, error) {
	n, err := r.file.Write(p)
	if err != nil && r.lost == nil {
		r.lost = fmt.Errorf("the results could not be written: %w", err)
	}
	return n, err
}

// table is a listing as rows of cells.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes v in the format asked for; a table is drawn from t.
func (g *globals) print(w io.Writer, v any, t *table) error {
	switch g.output {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	case "yaml":
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		var plain any
		if err := yaml.Unmarshal(raw, &plain); err != nil { // JSON is YAML
			return err
		}
		out, err := yaml.Marshal(plain)
		if err == nil {
			_, err = w.Write(out)
		}
		return err
	case "table":
		return t.write(w)
	}
	return g.checkOutput()
}

// moreFormats annotates a verb that has a format of its own.
const moreFormats = "formats"

// checkOutput refuses a format that does not exist, before anything is done.
func (g *globals) checkOutput(more ...string) error {
	formats := append([]string{"table", "json", "yaml"}, more...)
	if slices.Contains(formats, g.output) {
		return nil
	}
	return fmt.Errorf("--output: %q is none of %s", g.output, strings.Join(formats, ", "))
}

func (t *table) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(t.header, "\t"))
	for _, row := range t.rows {
		for i := range row {
			row[i] = plain(row[i])
		}
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	return tw.Flush()
}

// plain makes text from strangers safe to print: no control or format
// characters reach the terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '·'
		}
		return r
	}, s)
}

// cut shortens a cell.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// palette colours text on a terminal, and leaves it alone elsewhere.
type palette bool

// colours reports whether w takes colours.
func colours(w io.Writer) palette {
	if out, is := w.(*results); is {
		w = out.file
	}
	f, ok := w.(*os.File)
	return palette(ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())))
}

func (p palette) paint(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p palette) red(s string) string    { return p.paint("31;1", s) }
func (p palette) green(s string) string  { return p.paint("32", s) }
func (p palette) yellow(s string) string { return p.paint("33", s) }
func (p palette) bold(s string) string   { return p.paint("1", s) }
func (p palette) dim(s string) string    { return p.paint("2", s) }

// decision paints a decision in its colour.
func (p palette) decision(d string) string {
	switch d {
	case "deny":
		return p.red(d)
	case "warn", "ask", "redact":
		return p.yellow(d)
	case "allow":
		return p.green(d)
	}
	return d
}
