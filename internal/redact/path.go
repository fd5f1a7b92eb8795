package redact

import (
	"strings"
	"unicode/utf8"
)

// roots are folders in the root of hosts.
var roots = map[string]bool{
	"etc":          true,
	"usr":          true,
	"var":          true,
	"home":         true,
	"Users":        true,
	"opt":          true,
	"app":          true,
	"tmp":          true,
	"root":         true,
	"srv":          true,
	"mnt":          true,
	"workspace":    true,
	"workspaces":   true,
	"proc":         true,
	"sys":          true,
	"run":          true,
	"lib":          true,
	"lib64":        true,
	"bin":          true,
	"sbin":         true,
	"nix":          true,
	"snap":         true,
	"Library":      true,
	"Applications": true,
	"Volumes":      true,
	"System":       true,
	"private":      true,
	"dev":          true,
	"boot":         true,
	"media":        true,
	"code":         true,
	"usr2":         true,
}

// requests are words after which a path is a route of HTTP, which agents may see.
var requests = map[string]bool{
	"GET":      true,
	"POST":     true,
	"PUT":      true,
	"PATCH":    true,
	"DELETE":   true,
	"HEAD":     true,
	"OPTIONS":  true,
	"route":    true,
	"endpoint": true,
	"url":      true,
}

// pointers are the beginnings of JSON pointers into a schema in the messages of validators.
var pointers = map[string]bool{
	"properties":           true,
	"patternProperties":    true,
	"additionalProperties": true,
	"items":                true,
	"prefixItems":          true,
	"required":             true,
	"definitions":          true,
	"$defs":                true,
	"allOf":                true,
	"anyOf":                true,
	"oneOf":                true,
	"arguments":            true,
	"params":               true,
}

// named are the members in which validators write JSON pointers.
var named = map[string]bool{
	"instancePath": true,
	"dataPath":     true,
	"schemaPath":   true,
	"pointer":      true,
}

// path removes an absolute path at i. If there is none, the scanner continues after the slash.
func (s *scanner) path(i int) int {
	if i > 0 && (isWord(s.s[i-1]) || strings.IndexByte("/])<#*@$}\\", s.s[i-1]) >= 0) {
		return i
	}
	end := segments(s.s, i, '/')
	path := strings.TrimRight(s.s[i:end], ".,:!-+=")
	first, _, deep := strings.Cut(strings.Trim(path, "/"), "/")
	root := roots[first]
	if !isPath(first, deep, path) || !root && (s.isRoute(i, first, i+len(path)) || s.glued(i)) {
		s.route = i + len(path)
		return i
	}
	return s.cutPath(i, i+len(path), '/')
}

// isRoute reports whether a path from i to end is a route of HTTP or a JSON pointer.
func (s *scanner) isRoute(i int, first string, end int) bool {
	before := s.before(i)
	return requests[before] && at(s.s, i-1) != ':' || named[before] || pointers[first] || isPointer(s.s[end:])
}

// glued reports whether the slash at i is within words of another script, as in да/нет. It begins a path only where
// the script changes and has no spaces.
func (s *scanner) glued(i int) bool {
	return i > 0 && letterBefore(s.s, i) && (goesOn(s.s, i) || letter(s.s, i+1) > 0)
}

// isPath distinguishes a path from other words after a slash.
func isPath(first string, deep bool, path string) bool {
	if first == "" || !deep && !roots[first] {
		_, ext, ok := strings.Cut(first, ".")
		return ok && !deep && ext != "" && isLetter(ext[0]) && path != ""
	}
	return true
}

// isPointer reports whether the text after a path says what a value must be: then the path is a JSON pointer into the
// arguments.
func isPointer(after string) bool {
	after = strings.TrimLeft(after[:min(len(after), 48)], "'\"`: (")
	for _, said := range []string{"must ", "value must ", "should ", "is required", "is missing", "expected ", "Required", "is not of ", "is not one of ",
		"is not valid", "is not a valid", "is not allowed", "has type ", "has invalid ", "does not match", "does not validate"} {
		if strings.HasPrefix(after, said) {
			return true
		}
	}
	kind, _, ok := strings.Cut(after, " expected")
	return ok && !strings.Contains(kind, " ")
}

// isPointerValue reports whether value is a JSON pointer and nothing else.
func isPointerValue(value string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(value, "/"), "/")
	return strings.HasPrefix(value, "/") && !roots[first] && segments(value, 0, '/') == len(value)
}

// home cuts out a path below a user's home folder.
func (s *scanner) home(i int) int {
	if i > 0 && (isWord(s.s[i-1]) || s.s[i-1] == '/') {
		return i
	}
	end := i + 1
	for end < len(s.s) && isAlnum(s.s[end]) {
		end++
	}
	slash := at(s.s, end)
	if slash != '/' && slash != '\\' || segment(s.s, end+1) == 0 {
		return i
	}
	return s.cutPath(i, segments(s.s, end, slash), slash)
}

// drive cuts out a path on a Windows drive, whose letter is from i to end.
func (s *scanner) drive(i, end int) int {
	slash := at(s.s, end+1)
	if s.secrets || at(s.s, i-1) == '/' || end != i+1 || !isLetter(s.s[i]) || at(s.s, end) != ':' ||
		slash != '\\' && slash != '/' ||
		slash == '/' && segment(s.s, end+2) == 0 {
		return i
	}
	return s.cutPath(i, segments(s.s, end+1, slash), slash)
}

// unc cuts out the path of a share or a device on Windows.
func (s *scanner) unc(i int) int {
	host := i
	for at(s.s, host) == '\\' {
		host++
	}
	end := host
	for n := 1; n > 0; end += n {
		if n = letter(s.s, end); isAlnum(at(s.s, end)) || end < len(s.s) && strings.IndexByte(".-_$?", s.s[end]) >= 0 {
			n = 1
		}
	}
	name := s.s[host:end]
	device := name == "?" || name == "."
	share := end
	for at(s.s, share) == '\\' {
		share++
	}
	if host-i < 2 || i > 0 && isWord(s.s[i-1]) || share == end ||
		!isAlnum(at(s.s, share)) && letter(s.s, share) == 0 ||
		!device && (len(name) < 2 || name[0] < utf8.RuneSelf && (!isAlnum(name[0]) || !isAlnum(name[1]))) {
		return host
	}
	if at(s.s, share+1) == ':' { // \\?\C:\
		share += 2
	}
	return s.cutPath(i, segments(s.s, share, '\\'), '\\')
}

// cutPath cuts out a path from i to end. A path in quotes may continue to the closing quote.
func (s *scanner) cutPath(i, end int, slash byte) int {
	end = spaced(s.s, i, end, slash)
	path := strings.TrimRight(s.s[i:end], ".,:!-+=")
	if !s.keeps(path) {
		path = path[:unglued(path)]
	}
	end = i + len(path)
	if s.keeps(path) || s.keeps(strings.TrimRight(path, `/\`)) {
		if Secrets(path) != path {
			return i
		}
		return end
	}
	line := lineEnd(s.s, end)
	if s.keeps(s.s[i:line]) {
		return line
	}
	marks := []string{pathMark}
	if tail := s.tail(path); tail != "" {
		marks = []string{pathMark + tail, "…" + tail, pathMark}
	}
	return s.cut(i, line, fit(s.s[i:line], marks...))
}

// lineEnd returns the end of the line and column numbers that compilers write after a file name.
func lineEnd(s string, i int) int {
	for range 2 {
		end := i + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if at(s, i) != ':' || end == i+1 {
			break
		}
		i = end
	}
	return i
}

// spaced returns the end of a path that contains spaces: its closing quote, or the position before the first word that
// does not continue the path.
func spaced(s string, i, end int, slash byte) int {
	if n := closing(s, i, end); n > end {
		return n
	}
	for at(s, end) == ' ' && (slash == '\\' || isUpper(at(s, end+1))) && isAlnum(at(s, end+1)) {
		next := segments(s, end+1, slash)
		if strings.IndexByte(s[end+1:next], slash) < 0 || at(s, end+2) == ':' {
			break
		}
		end = next
	}
	return end
}

// closing returns the position of the closing quote if a quote opened right before i, and if a path from i to end
// continues to the closing quote and contains spaces.
func closing(s string, i, end int) int {
	q := at(s, i-1)
	if at(s, end) != ' ' || !isQuote(q) && !markBefore(s, i) {
		return end
	}
	for n := end; n < len(s) && n-end < 512 && s[n] != '\n'; n++ {
		switch {
		case !isQuote(q) && mark(s, n) > 0, s[n] == q && isQuote(q) && !isAlnum(at(s, n+1)):
			return n
		case isQuote(s[n]):
			return end
		}
	}
	return end
}

// segments returns the end of the path segments that begin at i.
func segments(s string, i int, slash byte) int {
	for i < len(s) {
		n := segment(s, i)
		if s[i] == slash || s[i] == '/' {
			n = 1
		}
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// segment returns the length of the character at i if it can be part of a path, or 0.
func segment(s string, i int) int {
	if c := at(s, i); isWord(c) || strings.IndexByte("@%~$#!=*", c) >= 0 {
		return 1
	}
	return letter(s, i)
}

// unglued returns the end of a path. If its last name is ASCII and is followed directly by words of a script without
// spaces, as in /etc/passwd不存在, the path ends before these words.
func unglued(path string) int {
	end := len(path)
	for end > 0 && letterBefore(path, end) && !goesOn(path, end) {
		_, n := utf8.DecodeLastRuneInString(path[:end])
		end -= n
	}
	if end > 0 && isAlnum(path[end-1]) {
		return end
	}
	return len(path)
}
