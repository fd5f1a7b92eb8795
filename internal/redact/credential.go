package redact

import (
	"slices"
	"strings"
)

// prefixes are the prefixes of keys and tokens of services. more is the minimum number of further characters. run is
// the minimum length of a piece that is not a word, for prefixes with which names begin too.
var prefixes = []struct {
	text      string
	more, run int
}{
	{
		"sk-proj-",
		8,
		0,
	},
	{"sk-ant-", 8, 0},
	{"sk-live-", 8, 0},
	{"sk-test-", 8, 0},
	{"sk_live_", 8, 0},
	{"sk_test_", 8, 0},
	{"rk_live_", 8, 0},
	{"rk_test_", 8, 0},
	{
		"sk-",
		8,
		8,
	},
	{"pk-", 8, 8},
	{"sk_", 8, 8},
	{"pk_", 8, 8},
	{"rk_", 8, 8},
	{"api_", 16, 12},
	{"api-", 16, 12},
	{"key_", 16, 12},
	{"key-", 16, 12},
	{
		"whsec_",
		16,
		0,
	},
	{"ghp_", 16, 0},
	{"gho_", 16, 0},
	{"ghu_", 16, 0},
	{"ghs_", 16, 0},
	{"ghr_", 16, 0},
	{"github_pat_", 16, 0},
	{"glpat-", 12, 0},
	{
		"xoxb-",
		8,
		0,
	},
	{"xoxp-", 8, 0},
	{"xoxa-", 8, 0},
	{"xoxr-", 8, 0},
	{"xoxs-", 8, 0},
	{"xapp-", 8, 0},
	{"AKIA", 16, 0},
	{"ASIA", 16, 0},
	{"AIza", 30, 0},
	{
		"ya29.",
		16,
		0,
	},
	{"eyJ", 20, 0},
	{"hf_", 16, 12},
	{"npm_", 24, 12},
	{"pypi-", 24, 12},
	{"dop_v1_", 24, 0},
	{"SG.", 24, 0},
	{"shpat_", 24, 0},
	{"lin_api_", 16, 12},
	{"mcp_agt_", 8, 0},
}

// shortest is the minimum length of a key with a prefix, or of the number before the colon of a token.
const shortest = 8

// credential removes a key with a recognisable shape, the token after the name of an HTTP scheme, and private keys.
func (s *scanner) credential(i, end int) int {
	word := s.s[i:end]
	switch word {
	case "Bearer", "bearer", "BEARER", "Basic", "Token", "ApiKey":
		if stop := s.token(end); stop > end {
			return s.cut(end+1, stop, fit(s.s[end+1:stop], credentialMark, keyMark))
		}
	case "-----BEGIN":
		return s.privateKey(i)
	}
	if end-i < shortest {
		return i
	}
	for _, p := range prefixes {
		if len(word) < len(p.text)+p.more || !strings.HasPrefix(word, p.text) {
			continue
		}
		rest := strings.TrimRight(word[len(p.text):], ".-+")
		if len(rest) >= p.more && isRandom(rest) && (p.run == 0 || hasKey(rest, p.run)) &&
			!slices.Contains(s.names, word) {
			return s.cut(i, i+len(p.text)+len(rest), fit(word, credentialMark, keyMark))
		}
	}
	return s.numbered(i, end)
}

// numbered removes the token after a number and a colon, as bots have them.
func (s *scanner) numbered(i, end int) int {
	if at(s.s, end) != ':' || end-i < 8 || !isDigit(s.s[end-1]) || !isDigit(s.s[end-6]) {
		return i
	}
	stop := end + 1
	for stop < len(s.s) && isWord(s.s[stop]) {
		stop++
	}
	token := strings.TrimRight(s.s[end+1:stop], ".")
	if len(token) >= 30 && hasKey(token, 8) && strings.ToLower(token) != token {
		return s.cut(end+1, end+1+len(token), fit(token, credentialMark))
	}
	return i
}

// token returns the end of the token that follows the name of a scheme at i. It returns i if ordinary words follow.
func (s *scanner) token(i int) int {
	if at(s.s, i) != ' ' {
		return i
	}
	end := i + 1
	for end < len(s.s) && (isWord(s.s[end]) || strings.IndexByte("/=~", s.s[end]) >= 0) {
		end++
	}
	token := strings.TrimRight(s.s[i+1:end], ".,")
	if len(token) >= 20 || len(token) >= 6 && isRandom(token) && !strings.Contains(strings.TrimRight(token, "="), "=") {
		return i + 1 + len(token)
	}
	return i
}

// privateKey removes a PEM private key at i. If it has no end, the rest of the text is removed.
func (s *scanner) privateKey(i int) int {
	line, _, _ := strings.Cut(s.s[i:min(len(s.s), i+80)], "\n")
	if !strings.Contains(line, "PRIVATE KEY-----") {
		return i
	}
	end := len(s.s)
	if n := strings.Index(s.s[i:], "-----END"); n >= 0 {
		end = i + n + len("-----END")
		if n := strings.Index(s.s[end:min(len(s.s), end+80)], "-----"); n >= 0 {
			end += n + len("-----")
		}
	}
	return s.cut(i, end, fit(s.s[i:end], credentialMark, keyMark))
}

// maxLogin is the maximum length, in bytes, of a name and a password before a host.
const maxLogin = 128

// login removes a name and a password before a host, as in u:p@tcp(db:3306)/x.
func (s *scanner) login(i, end int) int {
	if at(s.s, end) != ':' || isSpace(at(s.s, end+1)) {
		return i
	}
	stop := end + 1
	for stop < len(s.s) && stop-end < maxLogin && s.s[stop] != '@' && !isSpace(s.s[stop]) &&
		!isQuote(s.s[stop]) && s.s[stop] != '(' && s.s[stop] != '[' {
		stop++
	}
	if at(s.s, stop) != '@' || stop == end+1 {
		return i
	}
	host := stop + 1
	for host < len(s.s) && host-stop < maxLogin && isWord(s.s[host]) {
		host++
	}
	if name := s.s[stop+1 : host]; name == "" || strings.HasPrefix(name, "sha") {
		return i
	}
	if next := at(s.s, host); next != '(' && next != '/' && (next != ':' || !isDigit(at(s.s, host+1))) {
		return i
	}
	return s.cut(i, stop, fit(s.s[i:stop], credentialMark, keyMark))
}
