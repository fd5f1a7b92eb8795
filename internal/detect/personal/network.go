package personal

import "mcpproxy"

// networkKinds are addresses of machines.
var networkKinds = []kind{
	{id: "ip_address", category: ofNetwork, severity: mcpproxy.SeverityMedium, named: 0.9},
	{id: "mac_address", category: ofNetwork, severity: mcpproxy.SeverityLow, named: 0.9},
}

// network reads an address around the word text[s:e], and returns its end, or 0.
func (r *reader) network(s, e int) int {
	t := r.text
	if e < len(t) && t[e] == '.' && e-s <= 3 || e-s == 4 && e < len(t) && t[e] == '.' {
		if end := r.ipv4(s); end > 0 {
			return end
		}
		return r.hardware(s, e)
	}
	if e < len(t) && (t[e] == ':' || t[e] == '-') || s > 0 && (t[s-1] == ':' || t[s-1] == '-') {
		if e-s == 2 || e-s == 4 {
			if end := r.hardware(s, e); end > 0 {
				return end
			}
		}
		if e-s <= 4 && (e < len(t) && t[e] == ':' || s > 0 && t[s-1] == ':') {
			return r.ipv6(s)
		}
	}
	return 0
}

// ipv4 reads four numbers up to 255 with dots between them.
func (r *reader) ipv4(s int) int {
	t := r.text
	if s > 0 && (t[s-1] == '.' || t[s-1] == '-' && s > 1 && isAlnum(t[s-2]) || t[s-1] == '_') {
		return 0
	}
	var parts [4]int
	i := s
	for n := range 4 {
		start := i
		for i < len(t) && isNumber(t[i]) && i-start < 4 {
			parts[n] = parts[n]*10 + digit(t[i])
			i++
		}
		if w := i - start; w == 0 || w > 3 || parts[n] > 255 || w > 1 && t[start] == '0' {
			return 0
		}
		if n < 3 {
			if i >= len(t) || t[i] != '.' {
				return 0
			}
			i++
		}
	}
	if i < len(t) && isAlnum(t[i]) || i+1 < len(t) && (t[i] == '.' || t[i] == '-') && isAlnum(t[i+1]) {
		return 0
	}
	if confidence, severity := r.ipv4Trust(parts, s, i); confidence >= leastConfidence {
		r.addAs(r.x.byID["ip_address"], s, i, confidence, severity)
	}
	return i
}

// ipv4Trust tells addresses from versions, and public ones from others.
func (r *reader) ipv4Trust(p [4]int, s, e int) (float64, mcpproxy.Severity) {
	t := r.text
	ctx := r.context(s, e)
	named := ctx.tags.has(topicIP)
	inPath := s > 1 && t[s-1] == '/' && isLetter(t[s-2])
	if !named && (ctx.tags.has(topicVersion) || inPath || s > 0 && (t[s-1]|0x20 == 'v' || t[s-1] == '=' && s > 1 && t[s-2] == '=')) {
		return 0, mcpproxy.SeverityLow
	}
	prefix := e < len(t) && t[e] == '/' // a network
	switch {
	case p[0] == 127 || p[0] == 0 || p[0] >= 224:
		return 0.4, mcpproxy.SeverityLow
	case isPrivate(p):
		return 0.7, mcpproxy.SeverityLow
	case !named && !prefix && p[0] < 10 && p[1] < 10 && p[2] < 10 && p[3] < 10 || !named && p[3] == 0 && p[2] == 0:
		return 0.4, mcpproxy.SeverityLow
	case named:
		return 0.95, mcpproxy.SeverityMedium
	}
	return 0.75, mcpproxy.SeverityMedium
}

// isPrivate reports the networks that are no one's: private, link-local, shared, for documentation and benchmarks.
func isPrivate(p [4]int) bool {
	return p[0] == 10 || p[0] == 192 && p[1] == 168 || p[0] == 172 && p[1] >= 16 && p[1] < 32 || p[0] == 169 && p[1] == 254 || p[0] == 100 && p[1] >= 64 && p[1] < 128 ||
		p[0] == 192 && p[1] == 0 || p[0] == 198 && (p[1] == 18 || p[1] == 19) || p[0] == 198 && p[1] == 51 && p[2] == 100 || p[0] == 203 && p[1] == 0 && p[2] == 113
}

// ipv6 reads groups of up to four hexadecimal digits with colons around s.
func (r *reader) ipv6(s int) int {
	t := r.text
	for s > r.done && s > 0 && (isHex(t[s-1]) || t[s-1] == ':') {
		s--
	}
	groups, double, colons, i := 0, false, 0, s
	for i < len(t) && i-s < 46 {
		start := i
		for i < len(t) && isHex(t[i]) && i-start < 5 {
			i++
		}
		if i-start > 4 {
			return 0
		}
		if i > start {
			groups++
		}
		if i >= len(t) || t[i] != ':' {
			break
		}
		colons++
		if i++; i < len(t) && t[i] == ':' {
			if double {
				return 0
			}
			double = true
			i++
		}
	}
	end := i
	if end > s && t[end-1] == ':' && !(double && end >= 2 && t[end-2] == ':') {
		end-- // a colon behind
	}
	if end < len(t) && (isAlnum(t[end]) && t[end] != '%' || t[end] == '.' && end+1 < len(t) && isNumber(t[end+1])) {
		return 0
	}
	if s > 0 && isAlnum(t[s-1]) || !double && groups != 8 || double && groups > 7 {
		return 0
	}
	if double && groups < 3 && !r.context(s, end).tags.has(topicIP) && !(r.whole(s, end) && groups > 0) {
		return 0
	}
	severity, confidence := mcpproxy.SeverityMedium, 0.9
	if h := t[s:end]; len(h) < 6 || h[0]|0x20 == 'f' && (h[1]|0x20 == 'e' || h[1]|0x20 == 'c' || h[1]|0x20 == 'd') || len(h) > 8 && (h[:8] == "2001:db8" || h[:8] == "2001:DB8") {
		severity, confidence = mcpproxy.SeverityLow, 0.7
	}
	r.addAs(r.x.byID["ip_address"], s, end, confidence, severity)
	return end
}

// hardware reads six pairs of hexadecimal digits with colons or hyphens, or three groups of four with dots.
func (r *reader) hardware(s, e int) int {
	t := r.text
	if e >= len(t) {
		return 0
	}
	width, groups := 2, 6
	if t[e] == '.' {
		width, groups = 4, 3
	}
	sep := t[e]
	for at := s - 1 - width; at >= r.done && t[s-1] == sep && allHex(t[at:s-1]); at = s - 1 - width {
		s = at
	}
	if s > 0 && (isAlnum(t[s-1]) || t[s-1] == sep) {
		return 0
	}
	i := s
	for n := range groups {
		for range width {
			if i >= len(t) || !isHex(t[i]) {
				return 0
			}
			i++
		}
		if n < groups-1 {
			if i >= len(t) || t[i] != sep {
				return 0
			}
			i++
		}
	}
	if i < len(t) && (isAlnum(t[i]) || t[i] == sep && i+1 < len(t) && isHex(t[i+1])) {
		return 0
	}
	if id := r.squeeze(s, i); trivial(id) || sep == '.' && allNumbers(id) {
		return 0
	}
	confidence := 0.85
	if sep == '-' && allNumbers(r.squeeze(s, i)) && !r.whole(s, i) {
		confidence = 0.3
	}
	r.add(r.x.byID["mac_address"], s, i, confidence)
	return i
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}
