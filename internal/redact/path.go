package redact

import "strings"

// roots are folders that hosts have at their root.
var roots = map[string]bool{"etc": true, "usr": true, "var": true, "home": true, "Users": true, "opt": true, "app": true, "tmp": true, "root": true,
	"srv": true, "mnt": true, "workspace": true, "workspaces": true, "proc": true, "sys": true, "run": true, "lib": true, "lib64": true,
	"bin": true, "sbin": true, "nix": true, "snap": true, "Library": true, "Applications": true, "Volumes": true, "System": true, "private": true,
	"dev": true, "boot": true, "media": true, "code": true, "usr2": true}

// requests are words after which a path is a route of HTTP, which agents know.
var requests = map[string]bool{"GET": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "HEAD": true, "OPTIONS": true,
	"route": true, "endpoint": true}

// pointers begin JSON pointers into a schema, of which validators speak.
var pointers = map[string]bool{"properties": true, "patternProperties": true, "additionalProperties": true, "items": true, "prefixItems": true,
	"required": true, "definitions": true, "$defs": true, "allOf": true, "anyOf": true, "oneOf": true, "arguments": true, "params": true}

// path cuts out a path from the root of a host that begins at i.
func (s *scanner) path(i int) int {
	if c := at(s.s, i-1); i > 0 && (isWord(c) || strings.IndexByte("/])<#*@$}\\", c) >= 0) {
		return i
	}
	end := segments(s.s, i, '/')
	path := strings.TrimRight(s.s[i:end], ".,:!-+=")
	first, _, deep := strings.Cut(strings.Trim(path, "/"), "/")
	if !isPath(first, deep, path) || requests[s.before(i)] && at(s.s, i-1) != ':' || !roots[first] && (pointers[first] || isPointer(s.s[i+len(path):])) {
		return i + len(path)
	}
	return s.cutPath(i, i+len(path), '/')
}

// isPath tells a path from other words behind a slash.
func isPath(first string, deep bool, path string) bool {
	if first == "" || !deep && !roots[first] {
		_, ext, ok := strings.Cut(first, ".")
		return ok && !deep && ext != "" && isLetter(ext[0]) && path != ""
	}
	return true
}

// isPointer reports whether what follows a path says what a value must be: then the
// path is a JSON pointer into the arguments.
func isPointer(after string) bool {
	after = strings.TrimLeft(after, "'\"`: ")
	for _, said := range []string{"must ", "should ", "is required", "is missing", "expected ", "Required", "is not ", "has ", "does not match"} {
		if strings.HasPrefix(after, said) {
			return true
		}
	}
	return false
}

// home cuts out a path below somebody's home folder.
func (s *scanner) home(i int) int {
	if i > 0 && isWord(s.s[i-1]) {
		return i
	}
	end := i + 1
	for end < len(s.s) && isAlnum(s.s[end]) {
		end++
	}
	slash := at(s.s, end)
	if slash != '/' && slash != '\\' || !isSegment(at(s.s, end+1)) {
		return i
	}
	return s.cutPath(i, segments(s.s, end, slash), slash)
}

// drive cuts out a path on a drive of Windows, whose letter stands from i to end.
func (s *scanner) drive(i, end int) int {
	slash := at(s.s, end+1)
	if s.secrets || at(s.s, i-1) == '/' || end != i+1 || !isLetter(s.s[i]) || at(s.s, end) != ':' || slash != '\\' && slash != '/' ||
		slash == '/' && !isSegment(at(s.s, end+2)) {
		return i
	}
	return s.cutPath(i, segments(s.s, end+1, slash), slash)
}

// unc cuts out a path to a share or a device of Windows.
func (s *scanner) unc(i int) int {
	host := i
	for at(s.s, host) == '\\' {
		host++
	}
	end := host
	for end < len(s.s) && (isAlnum(s.s[end]) || strings.IndexByte(".-_$?", s.s[end]) >= 0) {
		end++
	}
	name := s.s[host:end]
	device := name == "?" || name == "."
	share := end
	for at(s.s, share) == '\\' {
		share++
	}
	if host-i < 2 || i > 0 && isWord(s.s[i-1]) || share == end || !isAlnum(at(s.s, share)) ||
		!device && (len(name) < 2 || !isAlnum(name[0]) || !isAlnum(name[1])) {
		return host
	}
	if at(s.s, share+1) == ':' { // \\?\C:\
		share += 2
	}
	return s.cutPath(i, segments(s.s, share, '\\'), '\\')
}

// cutPath cuts out a path from i to end, or as far as it goes on in quotes.
func (s *scanner) cutPath(i, end int, slash byte) int {
	end = spaced(s.s, i, end, slash)
	path := strings.TrimRight(s.s[i:end], ".,:!-+=")
	end = i + len(path)
	if s.keeps(path) || s.keeps(strings.TrimRight(path, `/\`)) {
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

// lineEnd is where the line and the column end that compilers write behind a file.
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

// spaced is where a path with spaces in it ends: at its closing quote, or before the
// first word that does not go on with it.
func spaced(s string, i, end int, slash byte) int {
	if q := at(s, i-1); isQuote(q) && at(s, end) == ' ' {
		for n := end; n < len(s) && n-end < 512 && s[n] != '\n'; n++ {
			if isQuote(s[n]) {
				if s[n] == q && !isAlnum(at(s, n+1)) {
					return n
				}
				break
			}
		}
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

// segments is where the segments of a path end that begins at i.
func segments(s string, i int, slash byte) int {
	for i < len(s) && (isSegment(s[i]) || s[i] == slash || s[i] == '/') {
		i++
	}
	return i
}

func isSegment(c byte) bool { return isWord(c) || strings.IndexByte("@%~$#!=*", c) >= 0 && c != 0 }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
