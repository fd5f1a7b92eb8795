package redact

import "strings"

// withoutTraces is text without its stack traces and without what caused what. A
// text of one line, as most are, is hardly looked at.
func withoutTraces(text string) string {
	if !suspect(text) {
		return text
	}
	t := trace{lines: lines(text), begin: -1}
	for t.next < len(t.lines) {
		line := t.lines[t.next]
		t.next++
		t.take(line)
	}
	if !t.changed {
		return text
	}
	out := strings.TrimLeft(strings.Join(t.kept, ""), "\r\n")
	for {
		shorter := strings.TrimSuffix(strings.TrimRight(out, " \t\r\n"), `\n`)
		if shorter == out {
			return out
		}
		out = shorter
	}
}

// lines are the lines of text with their ends. Where a trace was quoted, \n stands
// for the end of a line.
func lines(text string) []string {
	var out []string
	for from, i := 0, 0; ; {
		switch {
		case i == len(text):
			if from < i {
				out = append(out, text[from:])
			}
			return out
		case text[i] == '\n':
			i++
		case text[i] == '\\' && quotedEnd(text[i:]):
			i += 2
		default:
			i++
			continue
		}
		out = append(out, text[from:i])
		from = i
	}
}

// quotedEnd reports whether the \n with which s begins ends a line of a quoted
// trace, and is no part of a path.
func quotedEnd(s string) bool {
	for _, next := range []string{`\n  `, `\n\t`, `\nCaused by:`, `\nTraceback (`, `\n\tat `, `\n` + "\t"} {
		if strings.HasPrefix(s, next) {
			return true
		}
	}
	return false
}

// suspect reports whether a text may hold a trace.
func suspect(text string) bool {
	if strings.ContainsAny(text, "\n") || strings.Contains(text, `\n`) {
		return true
	}
	for _, sign := range []string{"aused by:", "Traceback (", " ---> ", "[cause]", ".rb:", "RUST_BACKTRACE", "panicked at", "Stack trace:", "goroutine "} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	for _, sign := range []string{"at ", "#", "..."} {
		if strings.HasPrefix(strings.TrimLeft(text, " \t"), sign) {
			return true
		}
	}
	return false
}

// block is what the lines that are read belong to.
type block int

const (
	nothing   block = iota
	python          // after "Traceback": up to the first line that is not indented
	goroutine       // after "goroutine 1 [running]:": frames
	numbered        // after Rust's "stack backtrace:": numbered frames
	causes          // after a "Caused by:" of its own: indented lines
)

// trace takes a text line by line and keeps what is no trace.
type trace struct {
	lines   []string
	next    int
	kept    []string
	block   block
	begin   int // how much was kept when the last Python traceback began; -1 before the first
	changed bool
}

func (t *trace) drop() { t.changed = true }

func (t *trace) keep(line string) { t.kept = append(t.kept, line) }

// take keeps a line, or what of it is no trace.
func (t *trace) take(line string) {
	whole := strings.TrimRight(line, " \t\r\n")
	body, begins := shorten(whole)
	trimmed := strings.TrimSpace(strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(body), `\n`), `\t`))
	switch {
	case t.inBlock(line, trimmed):
		t.drop()
		return
	case begins:
		t.block, t.begin = python, len(t.kept)+1
		if trimmed == "" {
			t.begin--
		}
	}
	switch {
	case trimmed == "" && body == whole:
		t.keep(line)
	case trimmed == "", t.opens(trimmed), isFrame(trimmed), t.isGoFrame(line, trimmed):
		t.drop()
	case body == whole:
		t.keep(line)
	default:
		t.drop()
		t.keep(body + "\n")
	}
}

// signs begin a trace, or what caused an error, within a line.
var signs = []string{"Traceback (most recent call", " ---> ", "Caused by:", "caused by:", "note: run with `RUST_BACKTRACE"}

// shorten is what stands in a line before a trace in it, and behind the frame of
// Ruby with which it begins. Begins reports whether a traceback of Python follows.
func shorten(line string) (body string, begins bool) {
	body = line
	for message, ok := rubyHead(body); ok; message, ok = rubyHead(body) {
		body = message
	}
	for _, sign := range signs {
		i := strings.Index(body, sign)
		if i < 0 || sign[1] == 'a' && (isLetter(at(body, i-1)) || strings.TrimSpace(body[:i]) == "" && sign[0] != 'T') {
			continue
		}
		begins = sign[0] == 'T'
		body = strings.TrimRight(body[:i], " \t;,(")
	}
	return body, begins
}

// inBlock reports whether a line goes on with the block that was begun.
func (t *trace) inBlock(line, trimmed string) bool {
	indented := line != "" && (line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(line, `\t`))
	goes := false
	switch t.block {
	case python:
		goes = indented || trimmed == ""
		if group := strings.TrimLeft(trimmed, "|+- "); goes && group != trimmed && isException(group) {
			group, _ = shorten(group)
			t.keep(group + "\n")
		}
	case goroutine:
		goes = indented || trimmed == "" || strings.HasSuffix(trimmed, ")") && !strings.Contains(callee(trimmed), " ") ||
			strings.HasPrefix(trimmed, "created by ") || strings.HasPrefix(trimmed, "goroutine ") || strings.HasPrefix(trimmed, "...")
	case numbered:
		goes = trimmed == "" || strings.HasPrefix(trimmed, "at ") || isNumbered(trimmed) || indented
	case causes:
		goes = indented
	}
	if !goes {
		t.block = nothing
	}
	return goes
}

// callee is a call without its arguments.
func callee(s string) string {
	name, _, _ := strings.Cut(s, "(")
	return name
}

// isException reports whether a line names an exception.
func isException(s string) bool {
	name, _, ok := strings.Cut(s, ":")
	return ok && !strings.Contains(name, " ") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Group"))
}

// opens reports whether a line begins a block and is nothing but its beginning.
func (t *trace) opens(line string) bool {
	lower := strings.ToLower(line)
	switch {
	case strings.HasPrefix(line, "During handling of the above exception") || strings.HasPrefix(line, "The above exception was the direct cause"):
		if t.begin >= 0 { // what came of it is said below
			t.kept = t.kept[:min(t.begin, len(t.kept))]
		}
	case strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, "]:"):
		t.block = goroutine
	case lower == "stack backtrace:":
		t.block = numbered
	case lower == "caused by:":
		t.block = causes
	case strings.HasPrefix(lower, "caused by:"), strings.HasPrefix(line, "Suppressed: "), strings.HasPrefix(line, "[cause]:"),
		strings.HasPrefix(line, "---> "), lower == "stack trace:", lower == "stacktrace:", lower == "backtrace:",
		strings.HasPrefix(line, "note: run with `RUST_BACKTRACE"), strings.HasPrefix(line, "--- End of "):
	default:
		return false
	}
	return true
}

// isFrame reports whether a line, by itself, is a frame of a stack trace.
func isFrame(line string) bool {
	switch {
	case strings.HasPrefix(line, "at "):
		return isAtFrame(strings.TrimPrefix(line, "at "))
	case strings.HasPrefix(line, "#"):
		return isHashFrame(line)
	case strings.HasPrefix(line, "... ") && strings.HasSuffix(line, " more"):
		return true
	case strings.HasPrefix(line, "thrown in "):
		return strings.Contains(line, " on line ")
	case strings.HasPrefix(line, `File "`):
		return strings.Contains(line, `", line `)
	}
	rest, isRuby := rubyFrame(line)
	return isRuby && rest == ""
}

// isAtFrame takes what follows "at ": a function of Java, Node, .NET or Rust.
func isAtFrame(s string) bool {
	s = strings.TrimPrefix(s, "async ")
	if endsInLine(s) { // /app/x.js:1:2, src/main.rs:4:5
		return !strings.Contains(s, " ") && strings.ContainsAny(s, `/.\`) || strings.HasPrefix(s, "file:")
	}
	if _, line, ok := strings.Cut(s, ":line "); ok && strings.Contains(s, " in ") && isNumber(line) {
		return true
	}
	name, rest, ok := strings.Cut(s, "(")
	if !ok || !strings.Contains(rest, ")") {
		return false
	}
	inside, _, _ := strings.Cut(rest, ")")
	if strings.HasSuffix(s, ")") && (endsInLine(inside) || inside == "native" || inside == "<anonymous>" || strings.HasPrefix(inside, "node:") || strings.HasPrefix(inside, "index ")) {
		return true
	}
	if strings.Contains(strings.TrimSpace(name), " ") || !strings.Contains(name, ".") {
		return false
	}
	return true // com.example.Foo.bar(Foo.java:12), Foo.Bar(String s)
}

// isHashFrame takes a frame of PHP or of a debugger.
func isHashFrame(s string) bool {
	i := 1
	for isDigit(at(s, i)) {
		i++
	}
	rest := strings.TrimLeft(s[i:], " ")
	return i > 1 && at(s, i) == ' ' && (rest == "{main}" || strings.Contains(rest, "): ") || strings.HasPrefix(rest, "[internal function]") || strings.HasPrefix(rest, "0x"))
}

// rubyFrame is what a line says behind the frame of Ruby with which it begins.
func rubyFrame(line string) (rest string, ok bool) {
	line = strings.TrimPrefix(line, "from ")
	file, after, ok := strings.Cut(line, ".rb:")
	if !ok || strings.Contains(file, " ") {
		return "", false
	}
	i := 0
	for isDigit(at(after, i)) {
		i++
	}
	after, ok = strings.CutPrefix(after[i:], ":in ")
	if !ok || i == 0 {
		return "", false
	}
	_, rest, ok = strings.Cut(strings.TrimLeft(after, "`'"), "'")
	return rest, ok && rest == "" || ok && strings.HasPrefix(rest, ": ")
}

// rubyHead is the message of the first line of Ruby's trace.
func rubyHead(line string) (message string, ok bool) {
	rest, ok := rubyFrame(strings.TrimSpace(line))
	return strings.TrimPrefix(rest, ": "), ok && rest != ""
}

// isGoFrame reports whether a line is the file of a Go frame, or the function above
// it.
func (t *trace) isGoFrame(line, trimmed string) bool {
	if isGoFile(line) {
		return true
	}
	return t.next < len(t.lines) && isGoFile(t.lines[t.next]) && !strings.Contains(callee(trimmed), " ") && strings.Contains(trimmed, ".")
}

func isGoFile(line string) bool {
	if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, `\t`) && !strings.HasPrefix(line, "    ") {
		return false
	}
	file, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, `\t`)), " +0x")
	return strings.Contains(file, ".go:") && endsInLine(strings.TrimSuffix(file, `\n`))
}

// isNumbered reports whether a line begins with a number and a colon.
func isNumbered(s string) bool {
	n, _, ok := strings.Cut(s, ":")
	return ok && isNumber(n)
}

// endsInLine reports whether s ends in a colon and a number.
func endsInLine(s string) bool {
	i := strings.LastIndexByte(s, ':')
	return i > 0 && isNumber(s[i+1:])
}

func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
