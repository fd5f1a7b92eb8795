package redact

import "strings"

// isFrame reports whether a line is a frame of a stack trace.
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
	return isRuby && rest == "" || isModuleFrame(line) || isCallFrame(line) || isFileFrame(line)
}

// isAtFrame recognises the text after "at ": a function of Java, Node, .NET or Rust.
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
	if strings.HasSuffix(s, ")") &&
		(endsInLine(inside) || inside == "native" || inside == "<anonymous>" ||
			strings.HasPrefix(inside, "node:") || strings.HasPrefix(inside, "index ")) {
		return true
	}
	if strings.Contains(strings.TrimSpace(name), " ") || !strings.Contains(name, ".") {
		return false
	}
	return true // com.example.Foo.bar(Foo.java:12), Foo.Bar(String s)
}

// isHashFrame recognises a frame of PHP, Dart or a debugger: a number, a function and a file with a line, an address,
// or the main program.
func isHashFrame(s string) bool {
	i := 1
	for isDigit(at(s, i)) {
		i++
	}
	rest := strings.TrimLeft(s[i:], " ")
	if i == 1 || at(s, i) != ' ' {
		return false
	}
	if rest == "{main}" || strings.HasPrefix(rest, "[internal function]") || strings.HasPrefix(rest, "0x") {
		return true
	}
	if file, _, ok := strings.Cut(rest, "): "); ok {
		name, line, _ := strings.Cut(file, "(")
		return isNumber(line) && strings.Contains(name, ".")
	}
	name, file, ok := strings.Cut(rest, " (")
	if !ok || strings.Contains(name, " ") {
		return false
	}
	return strings.HasSuffix(file, ")") && endsInLine(strings.TrimSuffix(file, ")")) ||
		strings.Contains(file, ") at ") && endsInLine(file)
}

// isFileFrame recognises a frame of Firefox or Safari: a function, and the file with its line and column.
func isFileFrame(s string) bool {
	_, file, ok := strings.Cut(s, "@")
	i := strings.LastIndexByte(file, ':')
	return ok && strings.Contains(file, "/") && endsInLine(file) && endsInLine(file[:i]) && !strings.Contains(s, " ")
}

// isModuleFrame recognises a frame of Elixir or Erlang: a file with a line, and a function with the number of its
// arguments.
func isModuleFrame(s string) bool {
	if strings.HasPrefix(s, "(") {
		app, rest, ok := strings.Cut(s, ") ")
		if s = rest; !ok || strings.Count(app, " ") != 1 {
			return false
		}
	}
	file, function, ok := strings.Cut(s, ": ")
	if !ok || !endsInLine(file) || strings.Contains(file, " ") {
		return false
	}
	function = strings.TrimPrefix(function, "anonymous fn")
	if fn, in, ok := strings.Cut(function, " in "); ok && isNumber(strings.TrimPrefix(fn, "/")) {
		function = in
	}
	name, arity, ok := strings.Cut(function, "/")
	return ok && isNumber(arity) && strings.Contains(name, ".") && !strings.Contains(name, " ")
}

// maxLead is the maximum length, in bytes, of the word before a frame's function, such as at, bei and 在.
const maxLead = 12

// called returns the word before a call with a dotted name, and the text after the call's opening parenthesis.
func called(s string) (lead, rest string, ok bool) {
	name, rest, ok := strings.Cut(s, "(")
	lead, function, led := strings.Cut(name, " ")
	if !led {
		lead, function = "", name
	}
	return lead, rest, ok && len(lead) <= maxLead && strings.Contains(strings.Trim(function, "."), ".") &&
		!strings.ContainsAny(function, " :\"'") &&
		isBare(lead)
}

// isBare reports whether s consists of letters.
func isBare(s string) bool {
	for i := 0; i < len(s); {
		n := letter(s, i)
		if isLetter(s[i]) {
			n = 1
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// isCallFrame recognises a call with the file and the line in which it is made, whatever the language of the words
// around them.
func isCallFrame(s string) bool {
	lead, rest, ok := called(s)
	if !ok {
		return false
	}
	if file, in := strings.CutSuffix(rest, ")"); in && endsInLine(file) && !strings.ContainsAny(file, " (") {
		return true
	}
	i := strings.LastIndexByte(rest, ':')
	if lead == "" || i < 0 || !strings.Contains(rest[:i], ") ") {
		return false
	}
	word, line, ok := strings.Cut(rest[i+1:], " ")
	return ok && isBare(word) && isNumber(line)
}

// isNextFrame reports whether a line is a call without a file, between frames with the same word before them.
func (t *trace) isNextFrame(line string) bool {
	lead, rest, ok := called(line)
	if !ok || lead == "" || !strings.HasSuffix(rest, ")") {
		return false
	}
	for _, near := range []int{t.next - 2, t.next} {
		if near >= 0 && near < len(t.lines) {
			other := strings.TrimSpace(t.lines[near].plain)
			if word, _, ok := called(other); ok && word == lead && isCallFrame(other) {
				return true
			}
		}
	}
	return false
}

// rubyFrame returns the text of a line after the Ruby frame with which it begins.
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

// rubyHead returns the message of the first line of Ruby's trace.
func rubyHead(line string) (message string, ok bool) {
	rest, ok := rubyFrame(strings.TrimSpace(line))
	return strings.TrimPrefix(rest, ": "), ok && rest != ""
}

// isGoFrame reports whether a line is the file of a Go frame, or the function in the line above the file.
func (t *trace) isGoFrame(line, trimmed string) bool {
	if isGoFile(line) {
		return true
	}
	return t.next < len(t.lines) && isGoFile(t.lines[t.next].plain) && !strings.Contains(callee(trimmed), " ") &&
		strings.Contains(trimmed, ".")
}

func isGoFile(line string) bool {
	if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "    ") {
		return false
	}
	file, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
	return strings.Contains(file, ".go:") && endsInLine(file)
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
