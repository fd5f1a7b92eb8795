package redact

import "strings"

// prefixes begin the keys and tokens of services that mark theirs. The number is how
// many more characters there must be.
var prefixes = []struct {
	text string
	more int
}{
	{"sk-", 8}, {"pk-", 8}, {"sk_", 8}, {"pk_", 8}, {"rk_", 8}, {"api_", 16}, {"api-", 16}, {"key_", 16}, {"key-", 16}, {"whsec_", 16},
	{"ghp_", 16}, {"gho_", 16}, {"ghu_", 16}, {"ghs_", 16}, {"ghr_", 16}, {"github_pat_", 16}, {"glpat-", 12}, {"xoxb-", 8}, {"xoxp-", 8},
	{"xoxa-", 8}, {"xoxr-", 8}, {"xoxs-", 8}, {"xapp-", 8}, {"AKIA", 16}, {"ASIA", 16}, {"AIza", 30}, {"ya29.", 16}, {"eyJ", 20}, {"hf_", 16},
	{"npm_", 24}, {"pypi-", 24}, {"dop_v1_", 24}, {"SG.", 24}, {"shpat_", 24}, {"lin_api_", 16}, {"mcp_agt_", 8},
}

// credential cuts out a key that is told by its own shape, the token behind the name
// of an HTTP scheme, and private keys.
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
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(word, p.text)
		if !ok || len(rest) < p.more {
			continue
		}
		if rest = strings.TrimRight(rest, ".-+"); len(rest) >= p.more && isRandom(rest) {
			return s.cut(i, i+len(p.text)+len(rest), fit(word, credentialMark, keyMark))
		}
	}
	return i
}

// token is where the token ends that follows the name of a scheme at i; i when
// what follows is no token but the sentence.
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

// privateKey cuts out a private key in PEM that begins at i; without an end, all
// that follows.
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

// secretNames end the names of what must not be seen, without dashes and underscores.
var secretNames = []string{"password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey",
	"accountkey", "credential", "credentials", "authorization", "cookie", "sessionid", "pat", "signature", "sig", "awsaccesskeyid", "secretaccesskey"}

// publicNames are in the names of what only sounds like that.
var publicNames = []string{"page", "next", "continu", "sync", "cursor", "progress", "unexpected", "invalid"}

// isSecretName reports whether a value of this name must not be seen.
func isSecretName(name string) bool {
	if len(name) > 64 {
		return false
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for _, p := range publicNames {
		if strings.Contains(name, p) {
			return false
		}
	}
	for _, n := range secretNames {
		if strings.HasSuffix(name, n) && (len(n) > 3 || len(name) == len(n) || n == "pwd") {
			return true
		}
	}
	return false
}

// assignment cuts out what is assigned to the name from i to end, where the name is
// that of a secret: name=value, name: value, "name":"value", and the host of a
// database's connection string.
func (s *scanner) assignment(i, end int) int {
	name := s.s[i:end]
	if at(s.s, end) == '=' && !s.secrets && isServerName(strings.ToLower(name)) {
		return s.server(i, end+1)
	}
	quoted := isQuote(at(s.s, end)) || at(s.s, end) == '\\' && at(s.s, end+1) == '"'
	for quoted && (at(s.s, end) == '\\' || isQuote(at(s.s, end))) {
		end++
	}
	sign := end
	for at(s.s, sign) == ' ' && sign < end+2 {
		sign++
	}
	sep := at(s.s, sign)
	if sep != '=' && sep != ':' || !isSecretName(name) {
		return i
	}
	from := sign + 1
	if sep == ':' && at(s.s, from) == ':' || sep == '=' && strings.IndexByte("=>", at(s.s, from)) >= 0 {
		return i // of code
	}
	for at(s.s, from) == ' ' && from < sign+3 {
		from++
	}
	return s.value(i, from, sep == '=' && from == sign+1)
}

func isServerName(name string) bool { return name == "server" || name == "host" || name == "source" }

// value cuts out the value of a secret that begins at from. Where it is not close to
// its sign, it may be the next word of the sentence.
func (s *scanner) value(i, from int, tight bool) int {
	open := from
	for at(s.s, open) == '\\' && at(s.s, open+1) == '"' {
		open++
	}
	if q := at(s.s, open); isQuote(q) {
		n := strings.IndexAny(s.s[open+1:], string(q)+"\n")
		if n < 0 {
			n = len(s.s) - open - 1
		}
		value := strings.TrimRight(s.s[open+1:open+1+n], `\`)
		if value == "" || isProse(value) {
			return i
		}
		return s.cut(open+1, open+1+len(value), fit(value, credentialMark, keyMark))
	}
	end := from
	for end < len(s.s) && !isSpace(s.s[end]) && strings.IndexByte(",;&\"'`)}<>\\", s.s[end]) < 0 {
		end++
	}
	value := strings.TrimRight(s.s[from:end], ".")
	if value == "" || isNothing(value) || !tight && !isRandom(value) && len(value) < 16 || strings.HasPrefix(value, "[") && value[1:] != "" && !strings.HasPrefix(value, credentialMark) {
		return i
	}
	return s.cut(from, from+len(value), fit(value, credentialMark, keyMark))
}

// server cuts out the host of a connection string, whose value begins at from.
func (s *scanner) server(i, from int) int {
	end := from
	for end < len(s.s) && !isSpace(s.s[end]) && strings.IndexByte(";,\"'`)", s.s[end]) < 0 {
		end++
	}
	if end == from || at(s.s, end) != ';' && !strings.HasPrefix(s.s[end:], " port=") && !strings.HasPrefix(s.s[end:], " user=") &&
		!strings.HasPrefix(s.s[end:], " dbname=") || s.keeps(s.s[from:end]) {
		return i
	}
	return s.cut(from, end, fit(s.s[from:end], addressMark, hostMark))
}

// maxLogin bounds the bytes of a name and a password before a host.
const maxLogin = 128

// login cuts out a name and a password before a host, as in u:p@tcp(db:3306)/x.
func (s *scanner) login(i, end int) int {
	if at(s.s, end) != ':' || isSpace(at(s.s, end+1)) {
		return i
	}
	stop := end + 1
	for stop < len(s.s) && stop-end < maxLogin && s.s[stop] != '@' && !isSpace(s.s[stop]) && !isQuote(s.s[stop]) && s.s[stop] != '(' && s.s[stop] != '[' {
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

// isRandom reports whether s looks like nothing that people write: it has a digit,
// or capitals after small letters.
func isRandom(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) || i > 0 && isUpper(s[i]) && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return true
		}
	}
	return len(s) >= 24 && !strings.ContainsAny(s, "_-.")
}

// isNothing reports whether a value says that there is none.
func isNothing(s string) bool {
	switch strings.ToLower(s) {
	case "null", "none", "nil", "undefined", "true", "false", "yes", "no", "empty", "required", "string", "number", "integer", "boolean", "object", "array":
		return true
	}
	return false
}

// isProse reports whether a value says something about the value that is wanted.
func isProse(s string) bool {
	if isNothing(s) {
		return true
	}
	if !strings.Contains(s, " ") {
		return s == "missing" || s == "invalid" || s == "incorrect" || s == "expired"
	}
	s = strings.ToLower(s)
	for _, said := range []string{"required", "must", "should", "invalid", "expected", "missing", "cannot", "at least", "at most", "too short", "too long", " not ", "expired", "incorrect", "unknown"} {
		if strings.Contains(s, said) {
			return true
		}
	}
	return false
}
