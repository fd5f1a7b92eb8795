package inspect

import (
	"slices"
	"strings"

	"mcpproxy/internal/classify"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// use says how a call uses a secret that it carries.
type use uint8

const (
	proves  use = iota // as a credential: in a header, in a parameter for credentials, or as the user of a URL
	told               // as the value of a credential's name in a body
	content            // as content that is sent
)

// Words of names for credentials, and names for content.
var (
	credentialWords = []string{
		"auth", "authorization", "token", "key", "keys", "apikey", "secret", "password", "passwd", "pass", "pwd", "credential",
		"credentials", "cookie", "cookies", "session", "bearer", "access", "sid", "headers", "header", "env", "passphrase", "dsn",
		"connection", "jwt", "userpwd",
	}
	bodyMembers = []string{"body", "data", "json", "form", "payload", "params_json", "formdata", "form_data"}
	bodyFlags   = []string{
		"-d", "-F", "-T", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--form",
		"--form-string", "--json", "--upload-file", "--body", "--message", "-m", "--title", "--notes", "--content", "--text",
		"--post-data", "--body-data", "--raw", "--field", "-f",
	}
)

// use determines how the call uses a secret.
func (r *route) use(b *bearer) use {
	if b.doc != r.p.args.Doc || b.doc == nil {
		return content
	}
	part := b.doc.Parts[b.at.Part]
	if slices.ContainsFunc(r.p.lines, func(l line) bool { return l.part == b.at.Part }) {
		return useInCommand(part.Text, b.at.Start)
	}
	if part.Kind != text.Value {
		return content
	}
	members := b.doc.Members(part)
	body := false
	for _, m := range members[:max(len(members)-1, 0)] {
		m = strings.ToLower(m)
		body = body || slices.Contains(bodyMembers, m)
		if slices.Contains(contentMembers, m) && !slices.Contains(bodyMembers, m) {
			return content
		}
	}
	last := ""
	if len(members) > 0 {
		last = strings.ToLower(members[len(members)-1])
	}
	inBody := slices.Contains(bodyMembers, last)
	switch {
	case inBody && isCredential(nameAt(part.Text, b.at.Start)):
		return told
	case inBody, slices.Contains(contentMembers, last):
		return content
	case strings.Contains(part.Text[:b.at.Start], "://"), inURL(part.Text):
		return proves
	case !slices.ContainsFunc(members, isCredential):
		return content
	case body:
		return told
	}
	return proves
}

// inURL reports whether a text is a single URL.
func inURL(s string) bool {
	return strings.Contains(s, "://") && !strings.ContainsAny(strings.TrimSpace(s), " \n")
}

// isCredential reports whether a name is a name for credentials.
func isCredential(name string) bool {
	is := func(w string) bool { return slices.Contains(credentialWords, w) }
	return slices.ContainsFunc(classify.Tokens(name), is)
}

// useInCommand determines how a command line uses the secret at a byte offset.
func useInCommand(s string, at int) use {
	before := s[:at]
	flag := ""
	if i := strings.LastIndex(before, " -"); i >= 0 {
		flag = before[i+1:]
		if end := strings.IndexAny(flag, " =\"'@"); end >= 0 {
			flag = flag[:end]
		}
	}
	name := nameAt(s, at)
	word := before[strings.LastIndexAny(before, " \t\n\"'")+1:]
	switch {
	case strings.Contains(word, "://"): // the user or the query of a URL
		return proves
	case isBodyFlag(flag):
		if isCredential(name) {
			return told
		}
		return content
	case pipedToLogin().MatchString(s[at:]):
		return proves
	case isCredential(name), isCredential(flag), flag == "-u" || flag == "--user" || flag == "-H" || flag == "-p" || flag == "-a":
		return proves
	}
	return content
}

// pipedToLogin matches a program that reads its credential from a pipe: "echo KEY | docker login HOST
// --password-stdin".
var pipedToLogin = lazyregexp.New(`^[^|;&\n]*\|[^|;&\n]*\s(?:login\b[^|;&\n]*--(?:password-stdin|with-token|stdin)|--with-token)\b`)

// isBodyFlag reports whether a flag, possibly with its value, sets the body of a request.
func isBodyFlag(flag string) bool {
	short := len(flag) > 2 && flag[1] != '-' && !isCredential(flag)
	return slices.Contains(bodyFlags, flag) || short && slices.Contains(bodyFlags, flag[:2])
}

// nameAt returns the name of the value at a byte offset of a text: the name of a header, a variable, a form field or
// a member of an object. It returns "" if there is none, or if the offset is in the value of another member.
func nameAt(s string, at int) string {
	end := at
	for _, scheme := range []string{"Bearer ", "bearer ", "Basic ", "token ", "Token ", "Bot ", "ApiKey ", "Key "} {
		end = len(strings.TrimSuffix(s[:end], scheme))
	}
	skip := func(set string) {
		for end > 0 && strings.IndexByte(set, s[end-1]) >= 0 {
			end--
		}
	}
	skip(" \\\"'")
	if end == 0 || s[end-1] != ':' && s[end-1] != '=' {
		return ""
	}
	end--
	skip(" \\\"'")
	from := end
	for from > 0 && isName(s[from-1]) {
		from--
	}
	rest := strings.TrimRight(s[:from], "\\")
	if quote := strings.TrimSuffix(rest, `"`); quote != rest && strings.HasSuffix(strings.TrimRight(quote, " \\"), ":") {
		return "" // the text of another member
	}
	return s[from:end]
}

func isName(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-'
}
