package detect

import "strings"

// An entry is a pair whose name is itself a value:
//
//	- name: DB_PASSWORD        <add key="DbPassword" value="…"/>        variable "db_password" {
//	  value: …                                                            default = "…"

// maxEntry is the maximum distance, in bytes, between an entry's name and the word for its value.
const maxEntry = 160

// named returns the name of the entry whose value follows the word at byte from of s, or "".
func named(s string, from int, word string) string {
	word = strings.Trim(word, " \t")
	if len(word) != len("value") && len(word) != len("default") {
		return ""
	}
	before := s[max(0, from-maxEntry):from]
	switch strings.ToLower(word) {
	case "value":
		return entryName(before, "name", "key")
	case "default":
		return entryName(before, "variable")
	}
	return ""
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
	rest := strings.TrimLeft(before[at:], "\"':= \t")
	end := 0
	for end < len(rest) && (isNameLetter(rest[end]) || isDigit(rest[end]) || strings.IndexByte("_-.:", rest[end]) >= 0) {
		end++
	}
	tail := withoutRemarks(rest[end:])
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
			after < len(s) && strings.IndexByte("\"':= \t", s[after]) >= 0 {
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
