package flow

import (
	"iter"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"mcpproxy"
	"mcpproxy/internal/flow/surprise"
	"mcpproxy/internal/text"
)

// These budgets limit how much information without a known source a session may send to one site, in bits. They apply
// once the session has read private data.
const (
	carryPrivate   = 240 // 30 bytes
	carrySensitive = 96  // 12 bytes, which is shorter than any key
	recordsFactor  = 4   // for a site that the user's own records name, the budget is multiplied by this factor
)

// Limits of the stored state.
const (
	maxCarrierTokens = 1 << 12 // known tokens per generation
	maxCarrierSites  = 256
	maxSiteTokens    = 1024
	maxCarrierText   = 256 << 10 // bytes of one text that are read
)

// Unexplained says how much information without a known source a site gets in the addresses and fields of a call,
// together with the session's earlier calls. Neither the user nor a home entry named the site.
type Unexplained struct {
	Site  string // the registrable domain
	Bits  int    // bits without a known source, of this call and earlier ones
	Limit int    // the budget for the site
}

// Exceeded reports whether the session has sent the site more than the budget allows.
func (u *Unexplained) Exceeded() bool { return u != nil && u.Bits > u.Limit }

// Characters returns the number of base64 characters that hold the same amount of information.
func (u *Unexplained) Characters() int { return (u.Bits + 5) / 6 }

// carriers counts the information that a session has sent in addresses. Text that was encoded, encrypted or sent
// letter by letter matches no text that was read. The address that carries it, however, contains parts that are not
// words, and that neither the user, nor a result, nor the description of a tool contained.
type carriers struct {
	met   map[uint32]struct{} // known tokens: of results, of the user's words and of tool descriptions
	older map[uint32]struct{} // the tokens of the previous generation
	sites map[string]*carrierSite
}

// carrierSite holds the addresses and tokens that one site has received.
type carrierSite struct {
	bits      float64
	tokens    map[uint32]struct{}
	addresses map[uint32]struct{}
	last      uint32
}

// carrierKey returns the FNV-1a hash of a token, ignoring case.
func carrierKey(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// learn records two kinds of tokens of a document: tokens with a digit, and all tokens of addresses.
func (c *carriers) learn(doc *text.Document) {
	left := maxCarrierText
	for _, part := range doc.Parts {
		if part.Kind == text.Key || part.Opened() {
			continue
		}
		if left -= len(part.Text); left < 0 {
			return
		}
		c.learnText(part.Text)
	}
}

func (c *carriers) learnText(s string) {
	for token := range carrierTokens(s) {
		if len(token) >= minToken && hasDigit(token) {
			c.note(token)
		}
	}
	for run := range payloadRuns(s) {
		c.note(run)
	}
	for a := range addresses(s) {
		plain := unescape(a.text)
		c.note(bareAddress(plain))
		for token := range carrierTokens(plain) {
			c.note(token)
		}
	}
}

// minToken is the minimum length of a token outside addresses.
const minToken = 4

func (c *carriers) note(token string) {
	if c.met == nil || len(c.met) >= maxCarrierTokens {
		c.older, c.met = c.met, map[uint32]struct{}{}
	}
	c.met[carrierKey(token)] = struct{}{}
}

func (c *carriers) has(token string) bool {
	key := carrierKey(token)
	if _, ok := c.met[key]; ok {
		return true
	}
	_, ok := c.older[key]
	return ok
}

// absorb adds the tokens and sites of another session.
func (c *carriers) absorb(from *carriers) {
	if len(from.met) > 0 {
		c.older = joinSets(c.older, c.met, from.older)
		c.met = from.met
	}
	for name, other := range from.sites {
		s := c.site(name)
		s.bits += other.bits
		maps.Copy(s.tokens, other.tokens)
		maps.Copy(s.addresses, other.addresses)
	}
}

// joinSets returns a new set with the members of all sets.
func joinSets(all ...map[uint32]struct{}) map[uint32]struct{} {
	out := map[uint32]struct{}{}
	for _, set := range all {
		maps.Copy(out, set)
	}
	return out
}

// tokenSize is the memory of a token's key with its share of the map.
const tokenSize = 16

// bytes estimates the memory of the tokens.
func (c *carriers) bytes() int {
	n := len(c.met) + len(c.older)
	for _, s := range c.sites {
		n += len(s.tokens) + len(s.addresses)
	}
	return n * tokenSize
}

// forget drops the tokens. It keeps the state of the sites.
func (c *carriers) forget() { c.met, c.older = nil, nil }

// told returns the bits that each site has received, for a snapshot.
func (c *carriers) told() map[string]float64 {
	out := make(map[string]float64, len(c.sites))
	for name, s := range c.sites {
		out[name] = s.bits
	}
	return out
}

// load restores the bits that told returned.
func (c *carriers) load(told map[string]float64) {
	for name, bits := range told {
		c.site(name).bits = bits
	}
}

// site returns the state of a site. Above maxCarrierSites, all further sites share one state.
func (c *carriers) site(name string) *carrierSite {
	if c.sites == nil {
		c.sites = map[string]*carrierSite{}
	}
	if c.sites[name] == nil && len(c.sites) >= maxCarrierSites {
		name = ""
	}
	s := c.sites[name]
	if s == nil {
		s = &carrierSite{tokens: map[uint32]struct{}{}, addresses: map[uint32]struct{}{}}
		c.sites[name] = s
	}
	return s
}

// unexplained returns the information without a known source that the call sends to a site which neither the user nor
// a home entry named. Of several such sites it returns the one that is nearest to its budget or exceeds it most. It
// returns nil without such a site, and for a session that has read no private data. An announced call does not count
// against the budget.
func (s *Session) unexplained(p Transfer, to []mcpproxy.Destination) *Unexplained {
	if s.legs.Private == nil && s.legs.Sensitive == nil {
		return nil
	}
	limit := carryPrivate
	if s.legs.Sensitive != nil {
		limit = carrySensitive
	}
	told := s.told(p, to)
	var worst *Unexplained
	for _, site := range slices.Sorted(maps.Keys(told)) {
		t := told[site]
		kept := s.carriers.site(site)
		bits := kept.bits
		for _, a := range t.addresses {
			bits += s.address(kept, a, p.Call.Announced)
		}
		for _, f := range t.fields {
			bits += s.field(kept, f, p.Call.Announced)
		}
		if !p.Call.Announced {
			kept.bits = bits
		}
		u := &Unexplained{Site: site, Bits: int(math.Ceil(bits)), Limit: limit * t.factor}
		if worst == nil || u.Bits*worst.Limit > worst.Bits*u.Limit {
			worst = u
		}
	}
	return worst
}

// toldSite holds what one call sends to one site.
type toldSite struct {
	addresses []string
	fields    []string
	factor    int
}

// told returns the sites that a call addresses and that neither the user nor a home entry named.
func (s *Session) told(p Transfer, to []mcpproxy.Destination) map[string]*toldSite {
	out := map[string]*toldSite{}
	hosts := map[string]*toldSite{}
	for _, d := range to {
		if !d.AtHost() || d.Source == mcpproxy.FromUser || p.Home != nil && p.Home(d) {
			continue
		}
		host, _ := splitURL(d.Value)
		if host == "" || !strings.Contains(host, ".") {
			continue
		}
		site := siteOf(host)
		t := out[site]
		if t == nil {
			t = &toldSite{factor: recordsFactor}
			out[site] = t
		}
		if d.Source != mcpproxy.FromInternal {
			t.factor = 1
		}
		hosts[host] = t
	}
	if len(out) == 0 {
		return nil
	}
	for _, part := range p.Doc.Parts {
		if part.Kind == text.Key || part.Opened() {
			continue
		}
		body := part.Text[:min(len(part.Text), maxCarrierText)]
		rest := body
		for a := range addresses(body) {
			host, _ := splitURL(a.text)
			t := hosts[host]
			if t == nil {
				continue
			}
			whole := wholeAddress(body[a.at:])
			if !slices.Contains(t.addresses, whole) {
				t.addresses = append(t.addresses, whole)
			}
			rest = strings.Replace(rest, whole, " ", 1)
		}
		for _, t := range out {
			t.fields = append(t.fields, rest)
		}
	}
	for host, t := range hosts {
		if !slices.ContainsFunc(t.addresses, func(a string) bool { h, _ := splitURL(a); return h == host }) {
			t.addresses = append(t.addresses, host)
		}
	}
	for _, t := range out {
		slices.Sort(t.addresses)
	}
	return out
}

// wholeAddress returns the URL at the beginning of a text as a program reads it, including commas and brackets.
func wholeAddress(s string) string {
	if end := strings.IndexAny(s, " \t\r\n\"'`<>|\\"); end >= 0 {
		return s[:end]
	}
	return s
}

// siteOf returns the registrable domain of a host.
func siteOf(host string) string {
	if isIP(host) {
		return host
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(strings.TrimSuffix(host, "."))); err == nil {
		return site
	}
	return strings.ToLower(host)
}

// The information in the choice of an address, in bits.
const (
	addressBits = 3 // a new address
	linkBits    = 1 // an address that a result contained, or that the site received before
)

// address returns the information without a known source in an address, in bits.
func (s *Session) address(site *carrierSite, address string, announced bool) float64 {
	plain := unescape(address)
	key := carrierKey(plain)
	if _, before := site.addresses[key]; before {
		if site.last == key {
			return 0
		}
		return linkBits
	}
	if !announced {
		site.last = key
		if len(site.addresses) < maxSiteTokens {
			site.addresses[key] = struct{}{}
		}
	}
	if s.carriers.has(bareAddress(plain)) {
		return linkBits
	}
	host, _ := splitURL(address)
	rest := plain
	if i := strings.Index(strings.ToLower(rest), siteOf(host)); i >= 0 { // the name of the site carries no information
		rest = rest[:i] + " " + rest[i+len(siteOf(host)):]
	}
	rest, _, _ = strings.Cut(rest, "#")
	for _, scheme := range []string{"https://", "http://", "www."} {
		rest = strings.TrimPrefix(rest, scheme)
	}
	bits := float64(addressBits)
	words := 0
	for segment := range strings.FieldsFuncSeq(rest, endsSegment) {
		if s.carriers.has(segment) || s.passages.Spelled(segment) {
			continue
		}
		single := true
		for token := range carrierTokens(segment) {
			single = single && len(token) == len(segment)
			if !s.explains(token) {
				bits += site.token(token, announced)
			} else {
				single = false
			}
		}
		if single && surprise.IsWord(segment) {
			words++
		}
	}
	if words > maxPathWords {
		bits += float64(words * wordBits)
	}
	return bits
}

// An address whose segments are more than maxPathWords single words may encode data. Each word then counts wordBits.
const (
	maxPathWords = 10
	wordBits     = 10
)

// endsSegment reports whether a character ends a segment of an address, or a name or value in its query.
func endsSegment(r rune) bool { return strings.ContainsRune("/?&=;: ", r) }

// field returns the information without a known source in an argument that is not an address, in bits. Only tokens
// that look random count.
func (s *Session) field(site *carrierSite, field string, announced bool) float64 {
	bits := 0.0
	before := ""
	for token := range carrierTokens(field) {
		named := digestName[strings.ToLower(before)] && isDigest(token)
		before = token
		if len(token) < minDrawn || named || s.explains(token) || surprise.IsWord(token) || surprise.IsWordy(token) ||
			strings.Trim(token, "0123456789") == "" {
			continue
		}
		bits += site.token(token, announced)
	}
	return bits
}

// minDrawn is the minimum length of a random-looking token in a field.
const minDrawn = 8

// token returns the bits of a token without a known source. For a token that the site has received before, only the
// choice among the received tokens counts.
func (c *carrierSite) token(token string, announced bool) float64 {
	key := carrierKey(token)
	if _, before := c.tokens[key]; before {
		return min(surprise.Bits(token), math.Log2(float64(len(c.tokens)+1)))
	}
	if !announced && len(c.tokens) < maxSiteTokens {
		c.tokens[key] = struct{}{}
	}
	return surprise.Bits(token)
}

// explains reports whether the user's words, a result or the description of a tool contains a token.
func (s *Session) explains(token string) bool {
	return s.carriers.has(token) || s.passages.Spelled(token)
}

// carrierTokens yields the runs of letters and digits in s.
func carrierTokens(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start, end := range wordsIn(s) {
			if !yield(s[start:end]) {
				return
			}
		}
	}
}

// minRun is the minimum length of a run of base64 characters that can be a payload.
const minRun = 64

// payloadBytes are the characters of base64 in all of its variants.
var payloadBytes = func() (table [256]bool) {
	for c := range table {
		table[c] = isAlnum(byte(c)) || strings.IndexByte("+/=-_", byte(c)) >= 0
	}
	return table
}()

// payloadRuns yields the runs of base64 characters in s that can be payloads. In a text without such a run it reads
// only one byte of a few words.
func payloadRuns(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at+minRun <= len(s); { // no run begins before at and extends to it
			end := at + minRun - 1
			for end >= at && payloadBytes[s[end]] {
				end--
			}
			if end >= at { // the run is too short
				at = end + 1
				continue
			}
			for end = at + minRun; end < len(s) && payloadBytes[s[end]]; {
				end++
			}
			if !yield(s[at:end]) {
				return
			}
			at = end + 1
		}
	}
}

// seenRuns returns the payloads of a call that a result or the user contained, if the session has read nothing
// sensitive. Whoever wrote such a payload learns nothing new.
func (s *Session) seenRuns(p Transfer) (seen []string) {
	if s.legs.Private == nil || s.legs.Sensitive != nil || !p.Class.Leaves() {
		return nil
	}
	for _, part := range p.Doc.Parts {
		for run := range payloadRuns(part.Text) {
			if s.carriers.has(run) {
				seen = append(seen, run)
			}
		}
	}
	return seen
}

// bareAddress returns an address without its scheme and its fragment.
func bareAddress(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(s, "#")
	return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
}

// unescape returns an address with its percent-encoding decoded as far as possible.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// digestName lists the words after which a digest is expected.
var digestName = map[string]bool{
	"sha1": true, "sha256": true, "sha384": true, "sha512": true, "md5": true, "blake2b": true, "blake3": true, "digest": true,
	"checksum": true, "integrity": true, "etag": true, "commit": true, "hash": true, "sum": true, "rev": true,
}

// isDigest reports whether a token has the form of a digest in hexadecimal digits.
func isDigest(token string) bool {
	switch len(token) {
	case 32, 40, 56, 64, 96, 128:
		return strings.Trim(strings.ToLower(token), "0123456789abcdef") == ""
	}
	return false
}
