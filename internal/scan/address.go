package scan

import "strings"

// maxAddress is the maximum length of an address that is examined.
const maxAddress = 2048

// address returns the end of the web address at i, or of the address of a bucket, or i if there is none.
func (r *viewReader) address(i int) int {
	switch r.text[i] | 0x20 {
	case 'h', 'w', 'f', 's', 'g':
	default:
		return i
	}
	rest := r.text[i:]
	skip := 0
	for _, prefix := range [...]string{"https://", "http://", "www.", "hxxps://", "hxxp://", "ftp://", "sftp://", "s3://", "gs://"} {
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

// mailEnd returns the end of the e-mail address whose "@" is at, or 0.
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

// host records the name of a machine on the web whose last label begins at i, as in "collect.example". It ignores
// names that documentation uses as examples.
func (r *viewReader) host(i int) {
	end := i
	for end < len(r.text) && r.text[end] >= 'a' && r.text[end] <= 'z' {
		end++
	}
	if end < len(r.text) &&
		(kinds[r.text[end]] == letter || kinds[r.text[end]] == digit ||
			r.text[end] == '.' && end+1 < len(r.text) && kinds[r.text[end+1]] == letter ||
			r.text[end] == '(' || r.text[end] == '_') {
		return
	}
	switch r.text[i:end] {
	case "com",
		"net",
		"org",
		"io",
		"example",
		"invalid",
		"test",
		"xyz",
		"site",
		"online",
		"cloud",
		"co",
		"ru",
		"cn",
		"info",
		"biz",
		"top",
		"ly",
		"gg",
		"me",
		"dev",
		"app",
		"ai",
		"link",
		"page":
	default:
		return
	}
	start := i - 1
	for start > 0 && i-start < maxHost &&
		(kinds[r.text[start-1]] == letter || kinds[r.text[start-1]] == digit ||
			r.text[start-1] == '.' || r.text[start-1] == '-') {
		start--
	}
	if name := r.text[start:i]; len(name) <= 2 || name == "example." || strings.HasSuffix(name, ".example.") {
		return
	}
	r.marks = append(r.marks, mark{
		start:    start,
		end:      end,
		at:       r.at,
		to:       r.at,
		means:    meansHost,
		sentence: r.full,
	})
}

// maxHost is the maximum length of a machine's name that is recorded.
const maxHost = 64
