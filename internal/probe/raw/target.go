package raw

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
)

// Target is the server to connect to: either URL or Command, with their settings.
type Target struct {
	Name      string // name of the server in reports
	URL       string
	Headers   map[string]string // of every HTTP request
	Transport string            // http or sse; detected if empty
	Command   string
	Args      []string
	Env       map[string]string // in addition to PATH, HOME and LANG, which a child always gets
	Dir       string
	Guarded   bool // refuse link-local and metadata addresses, for URLs from untrusted sources

	// Watch is called with every raw message that is sent or received. It is called from several
	// goroutines, and may be nil.
	Watch func(sent bool, frame []byte)
}

// The transports of a [Target].
const (
	OverStdio = "stdio"
	OverHTTP  = "http" // streamable HTTP
	OverSSE   = "sse"  // HTTP+SSE, revision 2024-11-05
)

// Check refuses an incomplete target, and one whose credentials would be sent unencrypted.
func (t Target) Check() error {
	switch {
	case t.URL == "" && t.Command == "":
		return fmt.Errorf("the target has neither a URL nor a command")
	case t.URL != "" && t.Command != "":
		return fmt.Errorf("the target has both a URL and a command: give one")
	case t.Transport != "" && t.Transport != OverHTTP && t.Transport != OverSSE:
		return fmt.Errorf("the transport %q is neither http nor sse", t.Transport)
	case t.URL == "":
		return nil
	}
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not an http or https URL", shown(t.URL))
	}
	if u.Scheme == "https" || mcpproxy.LoopbackHost(u.Hostname()) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		if mcpproxy.SensitiveHeader(name) {
			return fmt.Errorf(
				"refusing to send the header %s to %s without encryption: use an https URL",
				name,
				u.Hostname(),
			)
		}
	}
	return nil
}

// String returns the target for people: a URL without user, password and query, or the program.
// Arguments may contain secrets, so only the package or script is included.
func (t Target) String() string {
	switch {
	case t.Name != "":
		return t.Name
	case t.URL != "":
		return shown(t.URL)
	}
	if what := program(t.Command, t.Args); what != "" {
		return t.Command + " " + what
	}
	return t.Command
}

// launchers are programs that run another program, which their arguments name.
var launchers = []string{
	"npx", "bunx", "pnpx", "uvx", "pipx", "node", "nodejs", "deno", "bun", "tsx", "python", "uv", "ruby", "php",
}

// Names of what a launcher runs: a package with its version, or a script.
var (
	packageName = lazyregexp.New(`^(@[a-zA-Z0-9._-]{1,60}/)?[a-zA-Z][a-zA-Z0-9._-]{0,80}(@[a-zA-Z0-9._~^-]{1,30})?$`)
	scriptName  = lazyregexp.New(`^[a-zA-Z0-9._-]{1,80}\.(m?js|cjs|m?ts|py|rb|php)$`)
)

// program returns the package or script that a launcher runs, or "" if the arguments do not show
// it. An argument after a flag may be the flag's value, so it only counts if it looks like a
// script.
func program(command string, args []string) string {
	launcher := strings.TrimRight(strings.TrimSuffix(filepath.Base(command), ".exe"), "0123456789.") // python3.12
	if !slices.Contains(launchers, launcher) {
		return ""
	}
	for i, a := range args {
		base := filepath.Base(a)
		afterFlag := i > 0 && strings.HasPrefix(args[i-1], "-") && !slices.Contains(plainFlags, args[i-1])
		switch {
		case strings.HasPrefix(a, "-"):
		case scriptName().MatchString(base):
			return base
		case slices.Contains([]string{"run", "x", "dlx", "exec", "tool"}, a) || afterFlag:
		case packageName().MatchString(a):
			return a
		default:
			return ""
		}
	}
	return ""
}

// plainFlags are flags of launchers that precede the package.
var plainFlags = []string{"-y", "--yes", "-q", "--quiet", "-m", "--from", "-p", "--package"}

func shown(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the URL"
	}
	u.User = nil
	u.RawQuery = ""
	u.Fragment = ""
	return u.String()
}

// ErrRefused says that a target was not called because of its address.
type ErrRefused struct{ Addr netip.Addr }

// Error says what to do about it.
func (e *ErrRefused) Error() string {
	return fmt.Sprintf(
		"the address %s is link-local or the metadata address of a cloud, which a URL in a request may not name; configure the server in mcpServers and probe it by its name",
		e.Addr,
	)
}

// metadata are metadata service addresses of clouds outside the link-local ranges.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("fd00:ec2::254"),
}

// refused reports whether a guarded target may not have an address.
func refused(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.Is6() { // IPv4 addresses in NAT64 and 6to4 form
		b := a.As16()
		switch {
		case strings.HasPrefix(a.StringExpanded(), "0064:ff9b:"):
			return refused(netip.AddrFrom4([4]byte(b[12:16])))
		case b[0] == 0x20 && b[1] == 0x02:
			return refused(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	if a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return true
	}
	for _, m := range metadata {
		if a == m {
			return true
		}
	}
	return false
}

// client returns an HTTP client for a target. It checks the address when it connects, so that a
// changed DNS entry cannot bypass the check. A guarded client uses no proxy, because a proxy would
// resolve the name itself.
func (t Target) client() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true,
	}
	if t.Guarded {
		transport.Proxy = nil
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(address); err != nil {
				return err
			} else if refused(at.Addr()) {
				return &ErrRefused{at.Addr().Unmap()}
			}
			return nil
		}
	}
	transport.DialContext = dialer.DialContext
	return &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || len(via) > 5 {
			return fmt.Errorf(
				"the server redirects to another origin, %s: give that address if it is meant",
				req.URL.Host,
			)
		}
		return nil
	}}
}
