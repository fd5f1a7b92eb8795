package detect

import "strings"

// Entries are pairs whose name is a value itself:
//
//	- name: DB_PASSWORD        <add key="DbPassword" value="…"/>        variable "db_password" {
//	  value: …                                                            default = "…"

// maxEntry is how many bytes an entry's name may stand before the word for its value.
const maxEntry = 160

// named is the name of the entry whose value the word at byte from of s announces, or "".
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

// entryName is what stands behind the last of the words in before, when it is the line
// before or the same tag.
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

// lastMember is where the last word in s ends that names a member and is no part of a longer
// name, as "key" is of SECRET_KEY. It returns -1 if no such word stands there.
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

// withoutRemarks is s without the lines that are comments.
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

// behind is the byte before byte i of s, 0 at the beginning.
func behind(s string, i int) byte {
	if i == 0 {
		return 0
	}
	return s[i-1]
}
