package policy

import (
	"strings"

	"mcpproxy"
)

// suspicious returns the suspicious host that a call would reach. For a
// destination that keeps data inside, only a value that is itself an address
// counts: notes about an endpoint may be written down.
func (t *Tables) suspicious(f Facts) (string, bool) {
	inside := f.Class.Side == mcpproxy.Internal && !f.Class.CanExfiltrate
	for _, s := range f.Strings {
		lower := strings.ToLower(s)
		if inside && strings.ContainsAny(strings.TrimSpace(s), " \n\t") {
			continue
		}
		for _, host := range t.SuspiciousEndpoints {
			if namesHost(lower, strings.ToLower(host)) {
				return host, true
			}
		}
	}
	return "", false
}

// namesHost reports whether s names host or one of its subdomains.
func namesHost(s, host string) bool {
	for from := 0; host != ""; {
		i := strings.Index(s[from:], host)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(host)
		if (start == 0 || !hostByte(s[start-1]) || s[start-1] == '.') &&
			(end == len(s) || !hostByte(s[end]) || s[end] == '.' && (end+1 == len(s) || !hostByte(s[end+1]))) {
			return true
		}
		from = start + 1
	}
	return false
}

func hostByte(c byte) bool {
	return c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}
