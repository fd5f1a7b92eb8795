package redact

import "strings"

// withoutTraces removes stack traces and the causes of errors from text. A text of one line, the usual case, takes
// little time.
func withoutTraces(text string) string {
	if !suspect(text) {
		return text
	}
	t := trace{lines: lines(text), begin: -1}
	for t.next < len(t.lines) {
		l := t.lines[t.next]
		t.next++
		t.take(l)
	}
	if !t.changed {
		return text
	}
	out := trimEnd(strings.TrimLeft(strings.Join(t.kept, ""), "\r\n"))
	if out == "" {
		return leftover(text)
	}
	return out
}

// trimEnd removes the line breaks at the end of s, including quoted ones.
func trimEnd(s string) string {
	for {
		shorter := strings.TrimRight(s, " \t\r\n")
		if rest := strings.TrimSuffix(shorter, "n"); strings.HasSuffix(rest, `\`) {
			shorter = strings.TrimRight(rest, `\`)
		}
		if shorter == s {
			return s
		}
		s = shorter
	}
}

// leftover returns what remains of a text that is only a trace, because an empty error would not help.
func leftover(text string) string {
	message, _, _ := strings.Cut(lastException(text), "\n")
	if message = trimEnd(message); message != "" {
		return message
	}
	return fit(text, traceMark)
}

// lastException returns s from the name of the last exception on, or "".
func lastException(s string) string {
	for end := len(s); ; {
		colon := strings.LastIndex(s[:end], ": ")
		if colon < 0 {
			return ""
		}
		from := colon
		for from > 0 && (isAlnum(s[from-1]) || s[from-1] == '_' || s[from-1] == '.') {
			from--
		}
		if isExceptionName(s[from:colon]) {
			return s[from:]
		}
		end = colon
	}
}

// suspect reports whether a text may contain a trace.
func suspect(text string) bool {
	if strings.ContainsAny(text, "\n") || strings.Contains(text, `\n`) {
		return true
	}
	for _, sign := range []string{"aused by", "Traceback (", " ---> ", "[cause]", ".rb:", "RUST_BACKTRACE", "panicked at", "tack trace", "tackTrace", "tacktrace", "goroutine "} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	for _, sign := range []string{"at ", "#", "..."} {
		if strings.HasPrefix(strings.TrimLeft(text, " \t"), sign) {
			return true
		}
	}
	return len(text) < 512 && isFrame(strings.TrimSpace(text))
}

// block is the block to which the current lines belong.
type block int

const (
	nothing   block = iota
	python          // after "Traceback": until the first line that is not indented
	goroutine       // after "goroutine 1 [running]:": frames
	numbered        // after Rust's "stack backtrace:": numbered frames
	causes          // after a line "Caused by:": indented lines
)

// trace processes a text line by line and keeps what is not a trace.
type trace struct {
	lines   []line
	next    int
	kept    []string
	block   block
	begin   int // length of the kept text when the last Python traceback began; -1 before the first
	changed bool
}

func (t *trace) drop() { t.changed = true }

func (t *trace) keep(text string) { t.kept = append(t.kept, text) }

// take keeps a line, or the part of it that is not a trace.
func (t *trace) take(l line) {
	if l.fresh {
		t.block = nothing
	}
	body, begins := shorten(l.plain)
	trimmed := strings.TrimSpace(body)
	switch {
	case t.inBlock(l.plain, trimmed):
		t.drop()
		return
	case begins:
		t.block, t.begin = python, len(t.kept)+1
		if trimmed == "" {
			t.begin--
		}
	}
	switch {
	case trimmed == "" && body == l.plain:
		t.keep(l.raw + l.end)
	case strings.HasPrefix(trimmed, `File "/`) && isFrame(trimmed):
		t.block = python // the code is on the next line
		t.drop()
	case trimmed == "", t.opens(trimmed), isFrame(trimmed), t.isGoFrame(l.plain, trimmed), t.isNextFrame(trimmed):
		t.drop()
	case body == l.plain:
		t.keep(l.raw + l.end)
	default:
		t.drop()
		t.keep(body + l.end)
	}
}

// signs begin a trace, or the cause of an error, within a line.
var signs = []string{"Traceback (most recent call", " ---> ", "note: run with `RUST_BACKTRACE"}

// shorten returns the part of a line before a trace in it, and after the Ruby frame with which it begins. Begins
// reports whether a Python traceback follows.
func shorten(line string) (body string, begins bool) {
	body = line
	for message, ok := rubyHead(body); ok; message, ok = rubyHead(body) {
		body = message
	}
	for _, sign := range signs {
		i := strings.Index(body, sign)
		if i < 0 {
			continue
		}
		message := ""
		if sign[0] == 'T' { // the whole trace can be on one line
			message = lastException(body[i:])
			begins = message == ""
		}
		body = strings.TrimRight(strings.TrimRight(body[:i], " \t;,(")+" "+message, " ")
		if strings.HasPrefix(body, " ") && message != "" {
			body = message
		}
	}
	if i := cause(body); i > 0 && strings.TrimSpace(body[:i]) != "" {
		body = strings.TrimRight(body[:i], " \t;,(")
	}
	return body, begins
}

// cause returns the position at which a line begins to describe the cause of an error, or -1.
func cause(line string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], "aused by")
		if i < 0 {
			return -1
		}
		from += i + len("aused by")
		begin := from - len("Caused by")
		if begin < 0 || line[begin] != 'C' && line[begin] != 'c' || isLetter(at(line, begin-1)) {
			continue
		}
		if at(line, from) == ':' || at(line, from) == ' ' && isClass(line[from+1:]) {
			return begin
		}
	}
}

// isClass reports whether s begins with the name of an exception.
func isClass(s string) bool {
	end := 0
	for end < len(s) && (isAlnum(s[end]) || s[end] == '_' || s[end] == '.') {
		end++
	}
	return isExceptionName(strings.TrimRight(s[:end], "."))
}

// inBlock reports whether a line continues the current block.
func (t *trace) inBlock(line, trimmed string) bool {
	indented := line != "" && (line[0] == ' ' || line[0] == '\t')
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
			strings.HasPrefix(trimmed, "created by ") || strings.HasPrefix(trimmed, "goroutine ") ||
			strings.HasPrefix(trimmed, "...")
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

// callee returns a call without its arguments.
func callee(s string) string {
	name, _, _ := strings.Cut(s, "(")
	return name
}

// isException reports whether a line names an exception.
func isException(s string) bool {
	name, _, ok := strings.Cut(s, ":")
	return ok && (isExceptionName(name) || strings.HasSuffix(name, "Group") && !strings.Contains(name, " "))
}

func isExceptionName(s string) bool {
	return len(s) > len("Error") && !strings.Contains(s, " ") &&
		(strings.HasSuffix(s, "Error") || strings.HasSuffix(s, "Exception") || strings.HasSuffix(s, "Failure"))
}

// opens reports whether a line is the beginning of a block and contains nothing else.
func (t *trace) opens(line string) bool {
	lower := strings.ToLower(line)
	switch {
	case strings.HasPrefix(line, "During handling of the above exception") || strings.HasPrefix(line, "The above exception was the direct cause"):
		if t.begin >= 0 { // the resulting exception follows below
			t.kept = t.kept[:min(t.begin, len(t.kept))]
		}
	case strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, "]:"):
		t.block = goroutine
	case lower == "stack backtrace:":
		t.block = numbered
	case lower == "caused by:", lower == "stack traceback:":
		t.block = causes
	case cause(line) == 0, strings.HasPrefix(line, "Suppressed: "), strings.HasPrefix(line, "[cause]:"),
		strings.HasPrefix(line, "---> "), lower == "stack trace:", lower == "stacktrace:", lower == "backtrace:",
		strings.HasPrefix(line, "note: run with `RUST_BACKTRACE"), strings.HasPrefix(line, "--- End of "):
	default:
		return false
	}
	return true
}
