package scan

import "strings"

// maxLink is the maximum length of a link's address that is examined.
const maxLink = 512

// placeholders are names for data that a link is to send away.
var placeholders = []string{
	"data",
	"info",
	"information",
	"secret",
	"conversation",
	"context",
	"chat",
	"history",
	"summary",
	"token",
	"password",
	"message",
	"content",
	"prompt",
	"query",
	"user",
	"env",
	"key",
	"exfil",
	"base64",
	"text",
	"encoded",
	"insert",
}

// link examines a Markdown link or picture whose address contains a placeholder for data, such as
// ![x](https://host/?q=[DATA]). at is the position of the bracket before its text.
func (s *scanner) link(at int) {
	t := s.r.text
	close := strings.IndexByte(t[at:min(len(t), at+200)], ']')
	if close < 0 || at+close+2 >= len(t) || t[at+close+1] != '(' {
		return
	}
	start := at + close + 2
	rest := t[start:min(len(t), start+maxLink)]
	end := strings.IndexAny(rest, ")\n")
	if end < 0 {
		return
	}
	address := rest[:end]
	picture := at > 0 && t[at-1] == '!'
	if strings.HasPrefix(strings.ToLower(address), "javascript:") {
		s.report(checkLink, at, start+end, javascript(address))
		return
	}
	host, query, ok := strings.Cut(address, "?")
	if !strings.Contains(host, "//") || !ok && !picture {
		return
	}
	if !ok {
		_, query, _ = strings.Cut(host, "//")
	}
	if !hasPlaceholder(query) {
		return
	}
	if picture {
		s.observe(observation{
			check: checkLink,
			tier:  TierHard,
			sure:  0.9,
			start: at - 1,
			end:   start + end,
		})
		return
	}
	s.report(checkLink, at, start+end, 0.4)
}

// brackets decodes escaped brackets in an address.
var brackets = strings.NewReplacer("%5b", "[", "%5d", "]", "%7b", "{", "%7d", "}", "%3c", "<", "%3e", ">")

// hasPlaceholder reports whether an address has a placeholder for data.
func hasPlaceholder(query string) bool {
	if !strings.ContainsAny(query, "[{<$%") { // a placeholder needs a bracket, possibly escaped
		return false
	}
	lower := brackets.Replace(strings.ToLower(query))
	for _, pair := range [...]string{"[]", "{}", "<>", "$ "} {
		i := strings.IndexByte(lower, pair[0])
		if i < 0 {
			continue
		}
		inside := lower[i+1:]
		if end := strings.IndexByte(inside, pair[1]); end >= 0 {
			inside = inside[:end]
		}
		for _, name := range placeholders {
			if strings.Contains(inside, name) {
				return true
			}
		}
	}
	return false
}

// javascript returns the confidence that a link with a script is harmful.
func javascript(address string) float64 {
	if strings.Contains(address, "document.") || strings.Contains(address, "fetch(") {
		return 0.75
	}
	return 0.5
}
