package main

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// line is a line that a program has printed.
type line struct {
	text string
	at   time.Duration // since the first line
}

// The layout of the picture.
const (
	columns   = 120
	charWidth = 7.25
	lineStep  = 18
	margin    = 16
	slowdown  = 10 // the demo is faster than people can read
)

// cast runs the demo of a program and draws its output as an animated picture into a file.
func cast(ctx context.Context, program, file string) error {
	lines, err := run(ctx, program, "demo", "--once")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, picture("make demo ARGS=--once", lines), 0o644); err != nil {
		return fmt.Errorf("writing the picture of the demo: %w", err)
	}
	return nil
}

// run runs a program to its end and returns the lines that it printed.
func run(ctx context.Context, program string, args ...string) ([]line, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", program, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("running %s: %w", program, err)
	}
	var lines []line
	scanner := bufio.NewScanner(out)
	var begin time.Time
	for scanner.Scan() {
		if lines == nil {
			begin = time.Now()
		}
		lines = append(lines, line{scanner.Text(), time.Since(begin)})
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("reading what %s prints: %w", program, err)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return lines, nil
}

// temporary matches the demo's temporary folder, whose name differs in each run.
var temporary = regexp.MustCompile(`\S*/mcpproxy-demo-\d+/`)

// looks are the styles of lines, by their prefixes.
var looks = []struct{ begins, style string }{
	{"$ ", `fill="#ffffff" font-weight="bold"`},
	{"   allow ", `fill="#7ee787"`},
	{"   warn ", `fill="#e3b341" font-weight="bold"`},
	{"   ask ", `fill="#e3b341" font-weight="bold"`},
	{"   deny ", `fill="#ff7b72" font-weight="bold"`},
}

var scene = regexp.MustCompile(`^\d+\. `)

// look returns the style of a line.
func look(text string) string {
	for _, l := range looks {
		if strings.HasPrefix(text, l.begins) {
			return l.style
		}
	}
	if scene.MatchString(text) {
		return looks[0].style
	}
	return ""
}

// picture draws a terminal in which the lines appear with the timing of the run. For viewers who prefer no animation,
// all lines appear at once.
func picture(command string, lines []line) []byte {
	shown := []line{{text: "$ " + command}, {}}
	for _, l := range lines {
		text := strings.Map(drawable, temporary.ReplaceAllString(l.text, "/tmp/mcpproxy-demo/"))
		for _, part := range wrap(text) {
			shown = append(shown, line{part, l.at})
		}
	}
	width, height := int(columns*charWidth)+2*margin, len(shown)*lineStep+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img">
<title>make demo: a stolen key is stopped on its way from the vault to a chat</title>
<style>@keyframes appear { from { opacity: 0 } } text { animation: appear .1s both; white-space: pre }
@media (prefers-reduced-motion: reduce) { text { animation: none } }</style>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#15181d"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12" fill="#d7dbe0">
`, width, height)
	for i, l := range shown {
		if l.text == "" {
			continue
		}
		at := l.at * slowdown
		if i > 0 {
			at += time.Second // the pause after the command
		}
		style := look(l.text)
		indented := len(l.text) - len(strings.TrimLeft(l.text, " "))
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" style="animation-delay:%.2fs" %s>%s</text>`+"\n",
			margin+charWidth*float64(indented), margin+(i+1)*lineStep-6, at.Seconds(), style,
			html.EscapeString(l.text[indented:]))
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}

// drawable returns r, or -1 if an XML file cannot contain it.
func drawable(r rune) rune {
	if r < ' ' || r == 0xFFFE || r == 0xFFFF {
		return -1
	}
	return r
}

// wrap splits a line between words if it is wider than the terminal.
func wrap(text string) (parts []string) {
	before := text[:len(text)-len(strings.TrimLeft(text, " "))]
	after := before + "  " // indentation of the continued line
	if len(after) > columns/2 {
		after = ""
	}
	for utf8.RuneCountInString(text) > columns {
		most := len(string([]rune(text)[:columns]))
		at := strings.LastIndexByte(text[:most], ' ')
		if at < len(before) || strings.TrimSpace(text[:at]) == "" {
			at = most
		}
		parts = append(parts, text[:at])
		text, before = after+strings.TrimLeft(text[at:], " "), after
	}
	return append(parts, text)
}
