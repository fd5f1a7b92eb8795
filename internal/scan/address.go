package scan

import "strings"

// maxAddress is the longest address that is looked at.
const maxAddress = 2048

// address is the end of the web address at i, or i when there is none.
func (r *reader) address(i int) int {
	switch r.text[i] | 0x20 {
	case 'h', 'w', 'f':
	default:
		return i
	}
	rest := r.text[i:]
	skip := 0
	for _, prefix := range [...]string{"https://", "http://", "www.", "hxxps://", "hxxp://", "ftp://"} {
		if len(rest) > len(prefix) && strings.EqualFold(rest[:len(prefix)], prefix) {
			skip = len(prefix)
			break
		}
	}
	if skip == 0 {
		return i
	}
	j := skip
	for j < len(rest) && j < maxAddress && rest[j] > ' ' && strings.IndexByte("\"'<>`|\\^{}", rest[j]) < 0 && rest[j] < 0x80 {
		j++
	}
	for j > skip && strings.IndexByte(".,;:!?)]*", rest[j-1]) >= 0 {
		j--
	}
	if j == skip {
		return i
	}
	return i + j
}

// mailEnd is the end of the e-mail address whose "@" is at, or 0.
func mailEnd(s string, at int) int {
	dot, j := 0, at+1
	for j < len(s) && j < at+256 && (kinds[s[j]] == letter || kinds[s[j]] == digit || s[j] == '.' || s[j] == '-') {
		if s[j] == '.' {
			dot = j
		}
		j++
	}
	for j > at && (s[j-1] == '.' || s[j-1] == '-') {
		if s[j-1] == '.' && dot == j-1 {
			dot = strings.LastIndexByte(s[at:j-1], '.')
			if dot > 0 {
				dot += at
			}
		}
		j--
	}
	if dot <= at+1 || dot >= j-1 {
		return 0
	}
	return j
}
