package detect

import "strings"

// An entry is a pair whose name is itself a value:
//
//	- name: DB_PASSWORD        <add key="DbPassword" value="…"/>        variable "db_password" {
//	  value: …                                                            default = "…"
//	password:                  <name>db.password</name>                  option("--password", default="…")
//	  default: …               <value>…</value>

// The maximum distance, in bytes, between an entry's name and the word for its value: without anything between them
// but punctuation, and with other members of the same block between them.
const (
	maxEntry = 160
	maxBlock = 480
)

// named returns the name of the entry whose value follows the word at byte from of s, or "".
func named(s string, from int, word string) string {
	blanks := len(word) - len(strings.TrimLeft(word, " \t"))
	word = strings.Trim(word, " \t")
	if len(word) != len("value") && len(word) != len("default") {
		return ""
	}
	before := s[max(0, from-maxEntry):from]
	switch strings.ToLower(word) {
	case "value":
		if name := entryName(before, "name", "key"); name != "" {
			return name
		}
	case "default":
		if name := entryName(before, "variable", "name"); name != "" {
			return name
		}
	default:
		return ""
	}
	return blockName(s[max(0, from-maxBlock) : from+blanks])
}

// blockName returns the name of the block or call that the end of before is in, or "" if there is no name.
func blockName(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if open := strings.LastIndexByte(line, '('); open >= 0 {
		return quotedName(line[open+1:])
	}
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case '}', ']':
			depth++
		case '[':
			depth--
		case '{':
			if depth--; depth < 0 {
				return nameBefore(before[:i])
			}
		case '\n':
			if depth == 0 && indented(line) {
				above := before[strings.LastIndexByte(before[:i], '\n')+1 : i]
				if key, ok := parentOf(line, above); ok {
					return key
				}
			}
		}
	}
	return ""
}

// quotedName returns the quoted word at the beginning of a call's arguments, without leading hyphens, or "" if the
// arguments begin otherwise.
func quotedName(s string) string {
	s = strings.TrimLeft(s, " ")
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 || end > maxName || strings.ContainsAny(s[1:1+end], " ") {
		return ""
	}
	return strings.TrimLeft(s[1:1+end], "-")
}

// nameBefore returns the name before an opening brace: of a member, or the last label of a block.
func nameBefore(s string) string {
	s = strings.TrimRight(s, " \t\r\n=:>")
	s = strings.TrimRight(s, "\"'")
	from := len(s)
	for from > 0 && len(s)-from < maxName && (isNameLetter(s[from-1]) || strings.IndexByte("_-.", s[from-1]) >= 0) {
		from--
	}
	return s[from:]
}

// indented reports whether a line of YAML is indented.
func indented(line string) bool { return indentOf(line) > 0 }

// indentOf returns the number of blanks at the beginning of a line.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// parentOf returns the key of the line above if it is indented less than line and has no value. ok is false if the
// search goes on above it.
func parentOf(line, above string) (key string, ok bool) {
	trimmed := strings.TrimLeft(strings.TrimRight(above, " \t\r"), " \t")
	if trimmed == "" || strings.HasSuffix(trimmed, "{") || indentOf(above) >= indentOf(line) {
		return "", false
	}
	key, colon := strings.CutSuffix(strings.TrimLeft(trimmed, "- "), ":")
	if !colon || len(key) > maxName || strings.ContainsAny(key, " {[(") {
		return "", true
	}
	return strings.Trim(key, "\"'"), true
}

// entryName returns the text after the last of the words in before, if it is on the previous line or in the same tag.
func entryName(before string, words ...string) string {
	lower := strings.ToLower(before)
	if len(lower) != len(before) {
		return ""
	}
	at := -1
	for _, word := range words {
		at = max(at, lastMember(lower, word))
	}
	if at < 0 {
		return ""
	}
	rest := strings.TrimLeft(before[at:], "\"':=> \t")
	end := 0
	for end < len(rest) && (isNameLetter(rest[end]) || isDigit(rest[end]) || strings.IndexByte("_-.:", rest[end]) >= 0) {
		end++
	}
	tail := withoutRemarks(rest[end:])
	for _, closed := range [...]string{"</name>", "</key>"} {
		tail = strings.TrimPrefix(tail, closed)
	}
	if strings.Count(tail, "\n") > 1 || strings.ContainsAny(tail, "/>;") || strings.Trim(tail, "\"', \t\r\n{<") != "" {
		return ""
	}
	return rest[:end]
}

// lastMember returns the end of the last occurrence of word in s as the name of a member, or -1. It ignores
// occurrences in longer names, such as "key" in SECRET_KEY.
func lastMember(s, word string) int {
	for end := len(s); ; {
		i := strings.LastIndex(s[:end], word)
		if i < 0 {
			return -1
		}
		after := i + len(word)
		before := behind(s, i)
		if !isNameLetter(before) && strings.IndexByte("_-.", before) < 0 &&
			after < len(s) && (strings.IndexByte("\"':= \t", s[after]) >= 0 || before == '<' && s[after] == '>') {
			return after
		}
		end = i
	}
}

// withoutRemarks returns s without the lines that are comments.
func withoutRemarks(s string) string {
	if !strings.Contains(s, "#") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// behind returns the byte before byte i of s, or 0 at the beginning.
func behind(s string, i int) byte {
	if i == 0 {
		return 0
	}
	return s[i-1]
}
