package egress

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"mcpproxy/internal/zone"
)

// Target is the host and port to which a client wants to connect.
type Target struct {
	Host string     // in lower case, in ASCII (punycode), without a final dot; or an IP address
	IP   netip.Addr // valid if Host is an IP address
	Port uint16
}

// String returns the target as HOST:PORT.
func (t Target) String() string { return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port))) }

// List is the list of hosts that a server may reach.
type List struct {
	entries []entry
	observe bool
}

// entry is one host, all hosts below a name, or a range of addresses.
type entry struct {
	name   string       // "" for addresses
	below  bool         // matches the hosts below the name, but not the name itself
	prefix netip.Prefix // of addresses
	port   uint16       // 0 means the ports in usual
	any    bool         // every port
}

// usual are the ports of an entry without a port.
var usual = []uint16{80, 443}

// Observing returns a list that allows every host. It serves to find out which hosts a server needs.
func Observing() *List { return &List{observe: true} }

// ParseList reads the hosts of a configuration: api.github.com, *.github.com, host:port, host:*, IP addresses and
// ranges of them. An empty list allows nothing.
func ParseList(hosts []string) (*List, error) {
	l := &List{}
	for _, h := range hosts {
		e, err := parseEntry(h)
		if err != nil {
			return nil, fmt.Errorf("%q %w", h, err)
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// Observes reports whether the list was made by [Observing].
func (l *List) Observes() bool { return l.observe }

func parseEntry(s string) (e entry, err error) {
	switch {
	case strings.Contains(s, "://"):
		return e, errors.New("is a URL: name the host only, as in api.github.com")
	case s == "*":
		return e, errors.New(`is every host: say "network": true for that, or "observe" to find out which are needed`)
	}
	if p, err := netip.ParsePrefix(s); err == nil {
		if p.Masked() != p {
			return e, fmt.Errorf("has bits beyond its length: write %s", p.Masked())
		}
		return entry{prefix: p}, nil
	}
	if strings.Contains(s, "/") {
		return e, errors.New("is a path, or not a range of addresses: name the host only, as in api.github.com")
	}
	host, port := s, ""
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err != nil && strings.Contains(s, ":") {
		if host, port, err = net.SplitHostPort(s); err != nil {
			return e, errors.New("is not a host with a port; an IPv6 address with a port stands in brackets, as in [2001:db8::1]:443")
		}
		if port != "*" {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil || n == 0 {
				return e, errors.New("has no port from 1 to 65535")
			}
			e.port = uint16(n)
		}
	}
	e.any = port == "*"
	host, e.below = strings.CutPrefix(host, "*.")
	name, ip, err := normalHost(strings.Trim(host, "[]"))
	switch {
	case err != nil:
		return e, err
	case ip.IsValid() && e.below:
		return e, errors.New("is a pattern of addresses: write a range, as in 10.0.0.0/8")
	case ip.IsValid():
		e.prefix = netip.PrefixFrom(ip, ip.BitLen())
		return e, nil
	}
	if suffix, _ := publicsuffix.PublicSuffix(name); e.below && suffix == name {
		return e, errors.New("is every host below a suffix under which anybody can register a name")
	}
	e.name = name
	return e, nil
}

// profile converts names to the ASCII form of DNS. It refuses the names that browsers refuse, but allows underscores.
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.BidiRule(),
	idna.StrictDomainName(false),
	idna.VerifyDNSLength(true),
)

// normalHost returns a host in the ASCII form of DNS, or an IP address.
func normalHost(host string) (string, netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return "", ip, errors.New("has a zone, which is of this machine only")
		}
		ip = ip.Unmap()
		return ip.String(), ip, nil
	}
	name, err := profile.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil {
		return "", netip.Addr{}, errors.New("is not a host name")
	}
	name = strings.ToLower(name)
	if again, err := profile.ToASCII(name); err != nil || again != name || !utf8.ValidString(host) {
		return "", netip.Addr{}, errors.New("is not a host name") // other programs could read it as another name
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return "", netip.Addr{}, errors.New("is not a host name")
		}
	}
	// Some programs read a name that ends in a number as an IP address: 127.1, 0x7f000001, 2130706433.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil || strings.Trim(last, "0123456789") == "" ||
		strings.HasPrefix(last, "0x") {
		return "", netip.Addr{}, errors.New("is not a host name: it ends in a number")
	}
	return name, netip.Addr{}, nil
}

// ParseTarget parses the HOST or HOST:PORT of a request. Port is the default; if it is 0, authority must have a port.
func ParseTarget(authority string, port uint16) (Target, error) {
	host := authority
	bare := strings.HasSuffix(authority, "]") || !strings.Contains(authority, ":")
	if !bare || port == 0 {
		var number string
		var err error
		if host, number, err = net.SplitHostPort(authority); err != nil {
			return Target{}, errors.New("is not a host with a port")
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != number {
			return Target{}, errors.New("has no port from 1 to 65535")
		}
		port = uint16(n)
	} else if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	name, ip, err := normalHost(host)
	if err != nil {
		return Target{}, err
	}
	return Target{
		Host: name,
		IP:   ip,
		Port: port,
	}, nil
}

// opens reports whether an entry allows a port.
func (e entry) opens(port uint16) bool {
	switch {
	case e.any:
		return true
	case e.port != 0:
		return e.port == port
	}
	return slices.Contains(usual, port)
}

// names reports whether an entry matches the host of a target.
func (e entry) names(t Target) bool {
	switch {
	case e.name == "":
		return t.IP.IsValid() && e.prefix.Contains(t.IP)
	case e.below:
		return strings.HasSuffix(t.Host, "."+e.name)
	}
	return t.Host == e.name
}

// Allows reports whether the list allows a target. It does not check the addresses to which the name resolves.
func (l *List) Allows(t Target) bool { return l.refuses(t) == "" }

// refuses returns the reason why the list does not allow a target, or "" if it does.
func (l *List) refuses(t Target) Reason {
	if l.observe {
		return ""
	}
	why := NotListed
	for _, e := range l.entries {
		switch {
		case !e.names(t):
		case e.opens(t.Port):
			return ""
		default:
			why = OtherPort
		}
	}
	return why
}

// leads reports whether an allowed target may resolve to an address.
func (l *List) leads(t Target, ip netip.Addr) bool {
	if l.observe || zone.Of(ip) == zone.Worldwide {
		return true
	}
	return slices.ContainsFunc(l.entries, func(e entry) bool {
		if !e.opens(t.Port) {
			return false
		}
		if e.name == "localhost" && !e.below { // always this machine
			return t.Host == e.name && zone.Of(ip) == zone.Machine
		}
		return e.prefix.IsValid() && e.prefix.Contains(ip.Unmap())
	})
}

// Covers reports whether l allows everything that other allows.
func (l *List) Covers(other *List) bool {
	if l.observe || other.observe {
		return l.observe
	}
	return !slices.ContainsFunc(other.entries, func(e entry) bool {
		return !slices.ContainsFunc(l.entries, func(f entry) bool { return f.covers(e) })
	})
}

// covers reports whether f allows everything that e allows.
func (f entry) covers(e entry) bool {
	switch {
	case f.any:
	case e.any:
		return false
	case e.port == f.port:
	case e.port == 0 || f.port != 0 || !f.opens(e.port):
		return false
	}
	switch {
	case (e.name == "") != (f.name == ""):
		return false
	case e.name == "":
		return f.prefix.Bits() <= e.prefix.Bits() && f.prefix.Contains(e.prefix.Addr())
	case !f.below:
		return !e.below && e.name == f.name
	}
	return strings.HasSuffix(e.name, "."+f.name) || e.below && e.name == f.name
}
