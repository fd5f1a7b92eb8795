package bind

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcpproxy/internal/locate"
	"mcpproxy/internal/text"
)

const (
	maxHosts    = 8    // for one secret
	maxSettings = 256  // of one text; further settings are not compared with the secrets
	maxLine     = 4096 // bytes before and after a secret that count as its line
	maxName     = 80   // length of a setting's name, in bytes
)

// Binder finds the hosts of the secrets of one document.
type Binder struct {
	doc      *text.Document
	settings map[int][]setting // by the index of the part
	members  []setting         // the document's own members
	read     bool
}

// setting is a name and a value in a document. The value names a host.
type setting struct {
	words []string // words of the name
	scope string   // path of the object that contains it
	host  string
}

// New returns a binder for a document.
func New(doc *text.Document) *Binder { return &Binder{doc: doc, settings: map[int][]setting{}} }

// Hosts returns the hosts to which the document binds the secret at a span.
func (b *Binder) Hosts(at text.Span) []string {
	if at.Part < 0 || at.Part >= len(b.doc.Parts) {
		return nil
	}
	part := b.doc.Parts[at.Part]
	if at.Start < 0 || at.End > len(part.Text) || at.Start > at.End {
		return nil
	}
	found := hosts{}
	found.url(part.Text, at.Start, at.End)
	found.line(part.Text, at.Start)
	if name := nameBefore(part.Text, at.Start); name != "" {
		found.beside(words(name), "", b.settingsOf(at.Part, part.Text))
	} else if field := b.doc.Field(part); field != "" && len(part.Text) <= maxLine {
		found.beside(words(field), b.scope(part), b.memberSettings())
	}
	return found
}

// Service returns words that say which service the secret at a span is for: the words of the secret's name and of the
// section that contains it, without words such as "key" and "host". For the token in the section [hetzner-dns] they
// are "hetzner" and "dns".
func (b *Binder) Service(at text.Span) []string {
	if at.Part < 0 || at.Part >= len(b.doc.Parts) {
		return nil
	}
	part := b.doc.Parts[at.Part]
	if at.Start < 0 || at.Start > len(part.Text) {
		return nil
	}
	name := nameBefore(part.Text, at.Start)
	if name == "" {
		name = b.doc.Field(part)
	}
	all := append(words(sectionBefore(part.Text, at.Start)), words(name)...)
	all = slices.DeleteFunc(all, func(w string) bool { return hostWords[w] || keyWords[w] })
	return all[:min(len(all), maxService)]
}

// maxService is the maximum number of words that Service returns.
const maxService = 6

// sectionBefore returns the name of the section that contains the byte at start of a settings file, such as
// "hetzner-dns" for [hetzner-dns]. It returns "" if no section begins in the lines before.
func sectionBefore(s string, start int) string {
	before := s[max(start-maxLine, 0):start]
	for before != "" {
		i := strings.LastIndexByte(before, '\n')
		line := strings.TrimSpace(unnumbered(before[i+1:]))
		if name, ok := strings.CutPrefix(line, "["); ok {
			if name, ok = strings.CutSuffix(name, "]"); ok && len(name) <= maxName && !strings.ContainsAny(name, "[],{}") {
				return name
			}
		}
		before = before[:max(i, 0)]
	}
	return ""
}

// hosts are the distinct hosts that were found for one secret.
type hosts []string

func (h *hosts) add(host string) {
	host = strings.Trim(host, "[]")
	if host == "" || len(*h) >= maxHosts || slices.Contains(*h, host) || !isHost(host) {
		return
	}
	*h = append(*h, host)
}

// isHost reports whether a text can be a host name: it contains a dot and only the characters of host names.
func isHost(s string) bool {
	return strings.Contains(s, ".") && len(s) <= 253 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}

// url adds the hosts of the URL that contains the secret.
func (h *hosts) url(s string, start, end int) {
	from, to := start, end
	for from > 0 && start-from < maxLine && !breaksURL(s[from-1]) {
		from--
	}
	for to < len(s) && to-end < maxLine && !breaksURL(s[to]) {
		to++
	}
	word := s[from:to]
	i := strings.Index(word, "://")
	if i < 0 {
		return
	}
	authority := word[i+len("://"):]
	if j := strings.IndexAny(authority, `/?#\`); j >= 0 {
		authority = authority[:j]
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	for host := range strings.SplitSeq(authority, ",") { // a cluster has several
		name, _ := locate.Split(host)
		h.add(name)
	}
}

func breaksURL(c byte) bool { return c <= ' ' || strings.IndexByte("\"'<>`;", c) >= 0 }

// line adds the host that the secret's own line names. It knows the formats of .netrc, .npmrc and .pgpass, and
// connection strings.
func (h *hosts) line(s string, start int) {
	from := max(start-maxLine, 0)
	before := s[from:start]
	if i := strings.LastIndex(before, "machine "); i >= 0 && strings.HasSuffix(strings.TrimRight(before, " \t\n"), "password") {
		if fields := strings.Fields(before[i+len("machine "):]); len(fields) > 0 && !strings.Contains(before[i:], "default") {
			h.add(strings.ToLower(fields[0]))
		}
	}
	before = before[strings.LastIndexByte(before, '\n')+1:]
	before = unnumbered(before)
	if rest, ok := strings.CutPrefix(strings.TrimSpace(before), "//"); ok && strings.Contains(rest, "/:_") { // .npmrc
		name, _ := locate.Split(rest)
		h.add(name)
	}
	if fields := strings.Split(before, ":"); len(fields) == 5 { // .pgpass
		h.add(strings.ToLower(strings.TrimSpace(fields[0])))
	}
	after := s[start:min(start+maxLine, len(s))]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	separates := func(r rune) bool { return strings.ContainsRune(`; "'`, r) }
	for _, piece := range strings.FieldsFunc(before+" "+after, separates) {
		name, value, ok := strings.Cut(piece, "=")
		if ok && namesHost(words(name)) && !strings.Contains(name, "_") {
			h.add(hostOf(value))
		}
	}
}

// beside adds the hosts of settings in the same object whose names have the same stem as the name of the secret.
func (h *hosts) beside(name []string, scope string, all []setting) {
	stem := stemOf(name)
	for _, s := range all {
		theirs := stemOf(s.words)
		if s.scope == scope && (slices.Equal(stem, theirs) || isStore(stem) && isStore(theirs)) {
			h.add(s.host)
		}
	}
}

// isStore reports whether a stem stands for an S3-compatible store. The stems of such stores match each other:
// AWS_ACCESS_KEY_ID belongs to S3_ENDPOINT.
func isStore(stem []string) bool {
	return len(stem) == 1 && (stem[0] == "aws" || stem[0] == "s3" || stem[0] == "minio")
}

// settingsOf returns the lines of s, the text with number part, that set a name to a host.
func (b *Binder) settingsOf(part int, s string) []setting {
	if known, ok := b.settings[part]; ok {
		return known
	}
	var out []setting
	for line := range strings.Lines(s) {
		if len(out) == maxSettings {
			break
		}
		name, value, ok := cutSetting(strings.TrimSpace(unlocated(unnumbered(line))))
		if !ok {
			continue
		}
		if w := words(name); namesHost(w) || strings.Contains(value, "://") {
			out = append(out, setting{words: w, host: hostOf(value)})
		}
	}
	b.settings[part] = out
	return out
}

// unnumbered returns a line without the number that an agent's Read or cat -n writes before it, as in "   3→url: x"
// and "3\turl: x".
func unnumbered(line string) string {
	rest := strings.TrimLeft(line, " ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 {
		return line
	}
	for _, sign := range []string{"→", "\t", "|"} {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest[digits:], " "), sign); ok {
			return after
		}
	}
	return line
}

// unlocated returns a line without the file name and the line number that grep -n writes before it, as in
// "conf/app.yml:3:url: x".
func unlocated(line string) string {
	file, after, _ := strings.Cut(line, ":")
	number, setting, ok := strings.Cut(after, ":")
	if _, err := strconv.Atoi(number); !ok || err != nil || !strings.ContainsAny(file, "./") {
		return line
	}
	return setting
}

// memberSettings returns the members of the document that name hosts.
func (b *Binder) memberSettings() []setting {
	if b.read {
		return b.members
	}
	b.read = true
	for _, p := range b.doc.Parts {
		if p.Kind != text.Value || len(p.Text) > maxLine || len(b.members) == maxSettings {
			continue
		}
		if w := words(b.doc.Field(p)); namesHost(w) || strings.Contains(p.Text, "://") {
			b.members = append(b.members, setting{w, b.scope(p), hostOf(p.Text)})
		}
	}
	return b.members
}

// scope returns the path of the object that contains a member.
func (b *Binder) scope(p text.Part) string {
	path := b.doc.Path(p)
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return path
}

// cutSetting splits a line such as NAME=value, "name": "value" or export NAME=value.
func cutSetting(line string) (name, value string, ok bool) {
	i := strings.IndexAny(line, "=:")
	if i < 1 || i > maxName {
		return "", "", false
	}
	name = strings.Trim(strings.TrimSpace(line[:i]), `"'`)
	name = strings.TrimPrefix(name, "export ")
	return name, line[i+1:], !strings.ContainsAny(name, " \t")
}

// nameBefore returns the name of the setting whose value begins at byte start; "" if no setting's value begins there.
func nameBefore(s string, start int) string {
	end := start
	for end > 0 && strings.IndexByte(" \t\"'", s[end-1]) >= 0 {
		end--
	}
	if end == 0 || s[end-1] != '=' && s[end-1] != ':' {
		return ""
	}
	end--
	for end > 0 && strings.IndexByte(" \t\"'", s[end-1]) >= 0 {
		end--
	}
	from := end
	for from > 0 && end-from < maxName && isNameByte(s[from-1]) {
		from--
	}
	return s[from:end]
}

func isNameByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' || c == '.'
}

// hostOf returns the host that the value of a setting names; "" if it names no host.
func hostOf(value string) string {
	value = strings.Trim(strings.TrimSpace(value), `"',;`)
	if strings.ContainsAny(value, " \t") {
		value, _, _ = strings.Cut(value, " ")
		value = strings.Trim(value, `"',;`)
	}
	value, _, _ = strings.Cut(value, ",") // Microsoft writes a comma before the port
	host, _ := locate.Split(value)
	if !isHost(host) {
		return ""
	}
	return host
}

// Words in the names of settings that name hosts or hold secrets.
var (
	hostWords = set("host hostname hosts url uri endpoint domain server registry site address addr origin instance api base broker")
	keyWords  = set(
		"key token secret password passwd pass pwd auth apikey access credential credentials api bearer private id user username login",
	)
)

func set(list string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		all[w] = true
	}
	return all
}

// namesHost reports whether a name says that its value is a host.
func namesHost(name []string) bool {
	return len(name) > 0 && hostWords[name[len(name)-1]] && name[len(name)-1] != "api" && name[len(name)-1] != "base" ||
		len(name) > 1 && name[len(name)-2] == "base"
}

// stemOf returns a name without the words for secrets and hosts at its end. ACME_API_KEY and ACME_BASE_URL belong
// together because they have the same stem.
func stemOf(name []string) []string {
	for len(name) > 0 && (hostWords[name[len(name)-1]] || keyWords[name[len(name)-1]]) {
		name = name[:len(name)-1]
	}
	return name
}

// words splits a name in any notation into lower-case words.
func words(name string) []string {
	var out []string
	from, last := 0, ' '
	for i, r := range name + " " {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			if from < i {
				out = append(out, strings.ToLower(name[from:i]))
			}
			from = i + len(string(r))
		case unicode.IsUpper(r) && unicode.IsLower(last):
			out = append(out, strings.ToLower(name[from:i]))
			from = i
		}
		last = r
	}
	return out
}
