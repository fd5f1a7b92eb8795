package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy"
)

// contactKinds are the ways to reach a person.
var contactKinds = []dataKind{
	{
		id:       "email",
		category: ofContact,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
	},
	{
		id:       "phone",
		category: ofContact,
		severity: mcpproxy.SeverityMedium,
		named:    0.9,
	},
	{
		id:       "in_upi",
		category: ofBank,
		severity: mcpproxy.SeverityMedium,
		words:    "upi, vpa, upi id",
		named:    0.93,
	},
}

// isLocal says which ASCII bytes are read as the local part of an address.
var isLocal = byteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-'~")

// byteSet returns a table of the bytes of s.
func byteSet(s string) (t [256]bool) {
	for i := range len(s) {
		t[s[i]] = true
	}
	return t
}

// email reads the address around the at sign at i, and returns the position at which to continue.
func (r *textReader) email(i int) int {
	t := r.text
	s := r.mailbox(i)
	if i > 1 && t[i-1] == '"' { // a quoted local part
		if q := strings.LastIndexByte(t[max(0, i-66):i-1], '"'); q >= 0 {
			s = max(0, i-66) + q
		}
	}
	if s == i || t[i-1] == '.' || s > 0 && t[s-1] == '@' {
		return i + 1
	}
	e, tld := r.domain(i + 1)
	if e == i+1 {
		return i + 1
	}
	if tld == "" {
		r.upi(s, i, e)
		return i + 1
	}
	if e < len(t)-1 && t[e] == ':' && (isLetter(t[e+1]) || t[e+1] == '/' || t[e+1] == '~') && r.isLogin(s, i, e) ||
		r.isUserInfo(s) {
		return e
	}
	severity, confidence := mcpproxy.SeverityMedium, 0.95
	if isReserved(t[i+1:e], tld) || isNobody(t[s:i]) {
		severity, confidence = mcpproxy.SeverityLow, 0.8
	}
	if notTLD(tld) {
		return e
	}
	r.addAs(r.x.byID["email"], s, e, confidence, severity)
	r.done = max(r.done, e)
	return e
}

// mailbox returns the start of the local part before the at sign at i.
func (r *textReader) mailbox(i int) int {
	t, s := r.text, i
	for s > 0 && i-s < 64 {
		if c := t[s-1]; isLocal[c] {
			s--
		} else if n := wideLetter(t, s); n > 0 {
			s -= n
		} else {
			break
		}
	}
	for s == i && s > 0 && i-s < 60 && t[s-1] >= 0x80 ||
		s < i && s > 0 && i-s < 60 && t[s] >= 0x80 && t[s-1] >= 0x80 && t[s] < 0xc0 {
		s-- // a name in another script
	}
	for s < i && !isAlnum(t[s]) && t[s] < 0x80 && t[s] != '_' {
		s++ // an address does not begin with a quote or a dot
	}
	return s
}

// wideLetter returns the length, two, of a letter with an accent, or of a Greek or Cyrillic letter, that ends before
// i.
func wideLetter(t string, i int) int {
	if i >= 2 && t[i-1] >= 0x80 && t[i-1] < 0xc0 && t[i-2] >= 0xc3 && t[i-2] <= 0xd4 {
		return 2
	}
	return 0
}

// domain reads a host name at s and returns its end and its last label. The label is "" if the name has only one, or
// if its last label is not a word.
func (r *textReader) domain(s int) (end int, tld string) {
	t := r.text
	if s < len(t) && t[s] == '[' { // an address literal
		if n := strings.IndexByte(t[s:min(len(t), s+48)], ']'); n > 7 && isNumber(t[s+1]) {
			return s + n + 1, "literal"
		}
		return s, ""
	}
	label, labels := s, 0
	e := s
	for e < len(t) && e-s < 255 {
		c := t[e]
		if isAlnum(c) || c == '-' && e > label {
			e++
			continue
		}
		if n := hostLetter(t, e); n > 0 && (e == label || n == 2 || t[label] >= 0x80) {
			e += n
			continue
		}
		if c != '.' || e == label || e+1 >= len(t) || !isAlnum(t[e+1]) && hostLetter(t, e+1) == 0 {
			break
		}
		labels++
		e++
		label = e
	}
	for e > s && t[e-1] == '-' {
		e--
	}
	if e <= label || labels == 0 {
		return e, ""
	}
	return topLevel(t, label, e)
}

// hostLetter returns the length of a non-ASCII letter at i that a host name may contain, or 0.
func hostLetter(t string, i int) int {
	if t[i] < 0xc3 {
		return 0
	}
	c, n := utf8.DecodeRuneInString(t[i:])
	if n < 2 || !unicode.IsLetter(c) && !unicode.IsMark(c) {
		return 0
	}
	return n
}

// topLevel returns the last label t[label:e] if it can be one. A capitalised word within it belongs to the following
// text.
func topLevel(t string, label, e int) (end int, tld string) {
	for i := label + 2; i < e; i++ {
		if isHump(t, i) {
			e = i
		}
	}
	tld = t[label:e]
	puny := len(tld) > 4 && strings.EqualFold(tld[:4], "xn--")
	if len(tld) < 2 || len(tld) > 24 && !puny {
		return e, ""
	}
	for i := range len(tld) {
		if c := tld[i]; !isLetter(c) && c < 0x80 && !puny {
			return e, ""
		}
	}
	return e, tld
}

// isLogin reports whether text[s:i] is the user of a remote path such as git@host:path.
func (r *textReader) isLogin(s, i, e int) bool {
	path := r.text[e+1 : min(len(r.text), e+80)]
	if n := strings.IndexAny(path, " \t\r\n\"'"); n >= 0 {
		path = path[:n]
	}
	return r.text[s:i] == "git" || strings.ContainsRune(path, '/')
}

// isUserInfo reports whether the text before s begins the authority of a URL.
func (r *textReader) isUserInfo(s int) bool {
	for i := s - 1; i > 0 && s-i < 80; i-- {
		switch c := r.text[i]; {
		case c == '/':
			return r.text[i-1] == '/'
		case c <= ' ' || c == '?' || c == '#' || c == '"' || c == '=' || c == '<' || c == '>' || c == ',' || c == '(':
			return false
		}
	}
	return false
}

// reservedDomains belong to nobody.
var reservedDomains = []string{
	"example.com",
	"example.org",
	"example.net",
	"example.edu",
	"test.com",
	"domain.com",
	"yourdomain.com",
	"mydomain.com",
	"company.com",
	"yourcompany.com",
	"email.com",
}

// isReserved reports whether a host is for documentation or for a network without public names.
func isReserved(host, tld string) bool {
	host = strings.ToLower(host)
	switch strings.ToLower(tld) {
	case "example", "test", "invalid", "localhost", "local", "internal", "lan", "localdomain", "home", "corp", "arpa":
		return true
	}
	for _, d := range reservedDomains {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return strings.HasSuffix(host, "users.noreply.github.com")
}

// isNobody reports whether nobody reads the mails of a mailbox.
func isNobody(local string) bool {
	switch strings.ToLower(local) {
	case "git",
		"noreply",
		"no-reply",
		"donotreply",
		"do-not-reply",
		"no_reply",
		"mailer-daemon",
		"postmaster",
		"user",
		"username",
		"name",
		"someone",
		"you",
		"your.email",
		"youremail",
		"email",
		"root",
		"admin",
		"test":
		return true
	}
	return strings.HasPrefix(strings.ToLower(local), "noreply") || strings.HasPrefix(strings.ToLower(local), "no-reply")
}

// fileEndings are last labels of files, units and properties, but not of hosts.
var fileEndings = list(
	"png jpg jpeg gif svg webp ico bmp tiff avif mp4 webm js jsx mjs cjs ts tsx css scss less json jsonc yaml yml toml lock txt html htm xml php rb java kt swift c cpp h hpp go cs exe dll jar war " +
		"service socket target mount timer slice device scope path wasm map gz tar pdf doc docx xls xlsx ppt csv tsv log bak tmp conf cfg ini env vue svelte tf proto sql db sqlite pem key crt",
)

func notTLD(tld string) bool {
	for _, f := range fileEndings() {
		if strings.EqualFold(f, tld) {
			return true
		}
	}
	return false
}

// upiHandles are the names of banks after the at sign of Indian payment addresses.
var upiHandles = list(
	"upi okhdfcbank okicici oksbi okaxis ybl ibl axl paytm ptsbi pthdfc ptaxis ptyes apl yapl rapl waicici wahdfcbank wasbi waaxis icici hdfcbank sbi axisbank kotak idfcbank fbl jupiteraxis freecharge ikwik airtel timecosmos fam pz naviaxis slc indus federal barodampay unionbank cnrb",
)

func (r *textReader) upi(s, i, e int) {
	handle := strings.ToLower(r.text[i+1 : e])
	for _, h := range upiHandles() {
		if h == handle && i-s >= 3 {
			r.add(r.x.byID["in_upi"], s, e, 0.85)
			return
		}
	}
}
