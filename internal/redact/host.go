package redact

import (
	"iter"
	"net/netip"
	"slices"
	"strings"
)

// suffixes are the endings of internal host names.
var suffixes = []string{
	".internal",
	".local",
	".lan",
	".corp",
	".intranet",
	".localdomain",
	".svc",
	".cluster.local",
	".home.arpa",
	".private",
	".consul",
}

// reaching are words that precede a host in messages of resolvers and dialers.
var reaching = map[string]bool{
	"ECONNREFUSED": true,
	"ECONNRESET":   true,
	"ENOTFOUND":    true,
	"EHOSTUNREACH": true,
	"ENETUNREACH":  true,
	"ETIMEDOUT":    true,
	"EAI_AGAIN":    true,
	"EPIPE":        true,
	"EADDRINUSE":   true,
}

// places are words after which four numbers are an address, not a version.
var places = map[string]bool{
	"host":         true,
	"address":      true,
	"addr":         true,
	"ip":           true,
	"connect":      true,
	"peer":         true,
	"dial":         true,
	"tcp":          true,
	"udp":          true,
	"ping":         true,
	"upstream":     true,
	"gateway":      true,
	"client":       true,
	"econnrefused": true,
	"etimedout":    true,
}

// versions are words before a version number. Four numbers right after one of them are not an address.
var versions = map[string]bool{
	"v":        true,
	"ver":      true,
	"versions": true,
	"release":  true,
	"build":    true,
	"sdk":      true,
	"section":  true,
	"chapter":  true,
	"revision": true,
	"firmware": true,
}

// joining are the words between "version" and its number, or between two numbers.
var joining = map[string]bool{
	"is":       true,
	"was":      true,
	"of":       true,
	"than":     true,
	"and":      true,
	"or":       true,
	"least":    true,
	"at":       true,
	"mismatch": true,
	"expected": true,
	"got":      true,
	"found":    true,
}

// counting are words before a number that is not a port.
var counting = map[string]bool{
	"line":     true,
	"column":   true,
	"col":      true,
	"position": true,
	"pos":      true,
	"offset":   true,
	"index":    true,
	"port":     true,
	"code":     true,
	"status":   true,
	"error":    true,
	"attempt":  true,
	"row":      true,
	"pid":      true,
	"timeout":  true,
}

// stems are the beginnings of words that say that a connection was made or failed.
var stems = []string{
	"connect",
	"dial",
	"reach",
	"unreach",
	"econn",
	"etimedout",
	"ehost",
	"enet",
	"enotfound",
	"eai_again",
	"resolv",
	"lookup",
	"refused",
	"timeout",
	"timed",
	"contact",
	"endpoint",
	"upstream",
	"socket",
	"tcp",
	"udp",
	"handshake",
	"bootstrap",
	"broker",
	"unknownhost",
	"getaddrinfo",
	"bind",
	"listen",
}

// maxSaid is the number of words before a host that are examined.
const maxSaid = 6

// said yields the words before i in its sentence, the nearest first.
func (s *scanner) said(i int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		next := i
		for n := range min(s.seen, maxSaid) {
			w := s.words[(s.seen-1-n)%len(s.words)]
			word := s.s[w.from:w.end]
			if next-w.end > 32 || strings.Contains(s.s[w.end:next], "\n") || strings.HasSuffix(word, ".") ||
				!yield(n, word) {
				return
			}
			next = w.from
		}
	}
}

// reaches reports whether the words before i say that a connection is made.
func (s *scanner) reaches(i int) bool {
	for _, word := range s.said(i) {
		word = strings.ToLower(word[:min(len(word), 16)])
		for _, stem := range stems {
			if strings.HasPrefix(word, stem) {
				return true
			}
		}
	}
	return false
}

// follows reports whether one of words is directly before i.
func (s *scanner) follows(i int, words ...string) bool {
	return slices.Contains(words, strings.ToLower(s.before(i)))
}

// host removes the address or the name of a host from i to end.
func (s *scanner) host(i, end int) int {
	if s.secrets {
		return i
	}
	if at(s.s, end) == ':' && isHex(s.s[i:end]) {
		if stop := s.address(i); stop > i {
			return stop
		}
	}
	for end > i && strings.IndexByte(".-+", s.s[end-1]) >= 0 {
		end--
	}
	name := s.s[i:end]
	stop := portEnd(s.s, end)
	gone := false
	if ip, err := parseIPv4(name); err == nil {
		gone = stop > end || s.isAddress(i, end, ip)
		stop = maskEnd(s.s, stop)
	} else {
		gone = isInside(name) || stop > end && s.isServer(i, end) || s.isSought(i, end)
	}
	if !gone || s.keeps(s.s[i:stop]) || s.keeps(name) {
		return i
	}
	return s.cut(i, stop, fit(s.s[i:stop], addressMark, hostMark))
}

// isServer reports whether a name from i to end, before a port, is a host and not a file.
func (s *scanner) isServer(i, end int) bool {
	name := s.s[i:end]
	dot := strings.LastIndexByte(name, '.')
	switch {
	case !isName(name) || counting[strings.ToLower(name)]:
		return false
	case name == "localhost",
		dot > 0 && tops[strings.ToLower(name[dot+1:])],
		strings.HasSuffix(s.s[:i], "//"),
		i > 0 && i-1 == s.copied && s.s[i-1] == '@':
		return true
	case isUnreached(s.s[portEnd(s.s, end):]):
		return true
	case dot > 0 || !isDigit(at(s.s, end+2)):
		return s.follows(
			i,
			"to",
			"at",
			"with",
			"host",
			"server",
			"tcp",
			"udp",
			"dial",
			"peer",
			"upstream",
			"connecting",
		) &&
			s.reaches(i)
	}
	return !isNumber(name) &&
		(isMachine(name) || s.follows(i, "to", "at", "with", "from", "host", "server", "tcp", "dial", "connecting", "refused")) &&
		s.reaches(i)
}

// isMachine reports whether a name looks like the name of a machine, such as vault-01.
func isMachine(name string) bool { return strings.ContainsAny(name, "-0123456789") }

// isUnreached reports whether the text after a host and its port says that the connection failed.
func isUnreached(after string) bool {
	after = strings.TrimLeft(after[:min(len(after), 64)], " :")
	for _, said := range []string{"connect:", "connection refused", "Connection refused", "Connection timed", "dial:", "[Errno 1", "no route to host", "i/o timeout"} {
		if strings.HasPrefix(after, said) {
			return true
		}
	}
	return false
}

// isSought reports whether a name from i to end, without a port, is a host, because the words around it say that it
// was resolved or dialled.
func (s *scanner) isSought(i, end int) bool {
	name := s.s[i:end]
	if !isName(name) || isNumber(name) {
		return false
	}
	before := s.before(i)
	if before == "" && !isQuote(at(s.s, i-1)) {
		return false
	}
	after := strings.TrimLeft(s.s[end:min(len(s.s), end+48)], "'\"`")
	if strings.HasPrefix(after, " (") && after != s.s[end:] && isIP(after[2:]) {
		return true
	}
	if reaching[before] {
		return at(s.s, i-1) != '['
	}
	switch before = strings.ToLower(before); {
	case strings.HasSuffix(before, "unknownhostexception"), before == "gaierror":
		return s.stands(i, end)
	case strings.HasPrefix(before, "resolv"), before == "lookup", before == "getaddrinfo":
		return isUnresolved(after)
	case before == "host" || before == "hostname" || before == "name":
		signed := i-s.ended() > 1 || isMachine(name) || at(s.s, end) != ':' || isUnresolved(after)
		return signed && s.stands(i, end) && s.seeks(i) || portInWords(s.s, end) && s.reaches(i)
	case before == "to" || before == "at" || before == "with" || before == "server":
		return portInWords(s.s, end) && s.reaches(i) ||
			s.stands(i, end) && isMachine(name) && !strings.Contains(name, ".") && s.isDialed(i)
	}
	return false
}

// isDialed reports whether the words before i say that something connects to the place at i, as in "connect to" and
// unlike "connect a to".
func (s *scanner) isDialed(i int) bool {
	for n, word := range s.said(i) {
		word = strings.ToLower(word)
		switch {
		case n > 0 && (strings.HasPrefix(word, "connect") || strings.HasPrefix(word, "dial")):
			return true
		case word != "to" && word != "at" && word != "with" && word != "the" && word != "server" && word != "host":
			return false
		}
	}
	return false
}

// isUnresolved reports whether the text after a name says that resolvers do not know the name.
func isUnresolved(after string) bool {
	for _, said := range []string{": no such host", ": i/o timeout", ": server misbehaving", ": Temporary failure", ": Name or service", ": nodename", " ([Errno", ": dial", ": lookup"} {
		if strings.HasPrefix(after, said) {
			return true
		}
	}
	server, ok := strings.CutPrefix(after, " on ")
	return ok && (strings.HasPrefix(server, "[") || isIP(server))
}

// seeks reports whether the words before i are those of a resolver, as in "could not resolve host" and "unknown host".
func (s *scanner) seeks(i int) bool {
	for n, word := range s.said(i) {
		word = strings.ToLower(word)
		if n > 0 &&
			(strings.HasPrefix(word, "resolv") || word == "unknown" || word == "such" || word == "translate" || word == "lookup") {
			return true
		}
	}
	return false
}

// stands reports whether the text from i to end is a name by itself, and not a word of a sentence.
func (s *scanner) stands(i, end int) bool {
	after := s.s[end:]
	return isQuote(at(s.s, i-1)) && at(after, 0) == s.s[i-1] || after == "" ||
		strings.IndexByte(":;,)\n", after[0]) >= 0 ||
		strings.HasPrefix(after, " (") ||
		strings.HasPrefix(after, ".") && (len(after) == 1 || isSpace(after[1]))
}

// isIP reports whether s begins with an address.
func isIP(s string) bool {
	end := 0
	for end < len(s) && end < 40 && (isHexDigit(s[end]) || s[end] == '.' || s[end] == ':') {
		end++
	}
	name, _, _ := strings.Cut(s[:end], ":")
	if strings.Count(name, ".") < 3 {
		name = s[:end]
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// tops are the last labels of host names. They do not include labels that are also file extensions, such as .rs and
// .py.
var tops = topDomains(
	"com net org edu gov mil int info biz io dev cloud app ai co xyz online site store tech page example test invalid prod staging arpa " +
		"ac ad ae af ag al am ao ar at au az ba bd be bg bh bo br by bz ca ch ci cl cm cn cr cu cy cz de dk do ec ee eg es et eu fi fr ga ge gh gr gt hk hn hr hu " +
		"ie il iq ir is it jm jo jp ke kg kr kw kz lb lk lt lu lv ly ma mn mt mx my ng ni nl no np nz om pa pe ph pk pt qa ro ru sa se sg si sk sv sy " +
		"th tn tr tv tw tz ua ug uk us uy uz ve vn ye za zw",
)

func topDomains(names string) map[string]bool {
	tops := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		tops[name] = true
	}
	return tops
}

// inside reports whether the authority of a URL reveals internals: an address, a port, or a host that only internal
// programs can reach.
func inside(authority string) bool {
	name, _, port := strings.Cut(authority, ":")
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return port || err == nil || strings.HasPrefix(authority, "[") || isInside(name)
}

// isInside reports whether only internal programs can reach a host with this name.
func isInside(name string) bool {
	if strings.IndexByte(name, '.') < 0 {
		return false
	}
	name = strings.ToLower(name)
	for _, suffix := range suffixes {
		if strings.HasSuffix(name, suffix) && len(name) > len(suffix) && isName(name) {
			return true
		}
	}
	return false
}

// isName reports whether s can be a host name: it consists of letters, digits, dashes, underscores and dots.
func isName(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '-' && s[i] != '.' && s[i] != '_' {
			return false
		}
	}
	return s != "" && isAlnum(s[0])
}
