package upstream_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpproxy/internal/egress"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
)

// site returns a web server on this machine that says "hello", with its address.
func site(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("hello"))
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// hosts returns a list of hosts.
func hosts(t *testing.T, names ...string) *egress.List {
	t.Helper()
	l, err := egress.ParseList(names)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// needsNetworkNamespaces skips a test loudly where a server cannot have a network namespace.
func needsNetworkNamespaces(t *testing.T) {
	t.Helper()
	if err := upstream.Offline(); err != nil {
		t.Skip("SKIPPED: THE LIST OF HOSTS IS ADVICE ONLY HERE: ", err)
	}
}

// network records the connections that a manager reports.
type network struct {
	mu       sync.Mutex
	attempts []egress.Attempt
	servers  []string
}

func (n *network) watch(m *upstream.Manager) {
	m.WatchNetwork(upstream.Network{
		Attempt: func(server string, a egress.Attempt) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.attempts = append(n.attempts, a)
			n.servers = append(n.servers, server)
		},
		Moved:    func(string, int64, int64) {},
		Observed: func(string, egress.Target) {},
		Own:      func(netip.AddrPort) bool { return false },
	})
}

func TestAServerWithAListOfHostsReachesThoseAndNothingElse(t *testing.T) {
	t.Parallel()
	needsNetworkNamespaces(t)
	listed, other := site(t), site(t)
	abstract, err := net.Listen("unix", "@mcpproxy-test-egress-"+strings.ReplaceAll(listed, ":", "-"))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	for name, isolation := range map[string]*upstream.Isolation{
		"alone":                     {Required: true},
		"with the standard profile": {Standard: true, Required: true},
		"with sockets":              {UnixSockets: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := stdioSpec(t, "plain")
			isolation.Hosts = hosts(t, listed)
			spec.Isolation = isolation
			spec.Env["HTTP_PROXY"] = "http://" + other // which is not counted
			spec.Env["NO_PROXY"] = "127.0.0.1"
			s, m := start(t, spec)
			works(t, s)
			var n network
			n.watch(m)
			expect(t, s, true, "fetch", "http://"+listed)
			if came := tries(t, s, "fetch", "http://"+other); !strings.Contains(came, "403") {
				t.Errorf("another host: %s", came)
			}
			for _, address := range []string{listed, other, "192.0.2.1:443", "[2001:db8::1]:443"} {
				expect(t, s, false, "connect", address)
			}
			expect(t, s, false, "multipath", listed)
			expect(t, s, false, "udp", "192.0.2.1:53")
			expect(t, s, false, "unix", abstract.Addr().String())
			expect(t, s, true, "listen", "127.0.0.1:8080")
			expect(t, s, false, "listen", "127.0.0.1:3128")
			n.mu.Lock()
			defer n.mu.Unlock()
			var reasons []egress.Reason
			for _, a := range n.attempts {
				reasons = append(reasons, a.Refused)
			}
			if !slices.Equal(reasons, []egress.Reason{"", egress.OtherPort}) || n.servers[0] != "fake" {
				t.Errorf("the manager tells of %+v by %q", n.attempts, n.servers)
			}
			if c := s.Status().Isolation; c.Network != "hosts" || strings.Contains(strings.Join(c.Missing, " "), "network") {
				t.Errorf("the status says %+v", c)
			}
		})
	}
}

func TestTheRightsOverANetworkNamespaceAreGivenUp(t *testing.T) {
	t.Parallel()
	needsNetworkNamespaces(t)
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Hosts: hosts(t)}
	s, _ := start(t, spec)
	works(t, s)
	expect(t, s, false, "lower the loopback device", "")
	expect(t, s, false, "open a raw socket", "")
	expect(t, s, true, "run", "/bin/true")
}

func TestANarrowerListOfHostsAppliesAtOnceAndAWiderOneAfterARestart(t *testing.T) {
	t.Parallel()
	needsNetworkNamespaces(t)
	first, second := site(t), site(t)
	third := site(t)
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Hosts: hosts(t, first, second)}
	s, m := start(t, spec)
	works(t, s)
	apply := func(network *upstream.Isolation) *upstream.Server {
		changed := spec
		changed.Isolation = network
		m.Apply([]upstream.Spec{changed})
		now, _ := m.Get(spec.Name)
		works(t, now)
		return now
	}
	for name, wider := range map[string]*upstream.Isolation{
		"another host":        {Hosts: hosts(t, first, second, third)},
		"every host":          {Hosts: egress.Observing()},
		"the whole network":   {CPUSecs: 1000},
		"no isolation at all": nil,
	} {
		now := apply(wider)
		if now != s || len(now.Status().Unconfirmed) == 0 {
			t.Errorf("%s: not confirmed are %q", name, now.Status().Unconfirmed)
		}
		expect(t, now, true, "fetch", "http://"+first)
		expect(t, now, false, "fetch", "http://"+third)
	}
	now := apply(&upstream.Isolation{Hosts: hosts(t, first)})
	expect(t, now, true, "fetch", "http://"+first)
	expect(t, now, false, "fetch", "http://"+second)
	now = apply(&upstream.Isolation{NoNetwork: true})
	expect(t, now, false, "fetch", "http://"+first)
}

func TestAServerThatIsObservedReachesEverythingByTheProxy(t *testing.T) {
	t.Parallel()
	needsNetworkNamespaces(t)
	somewhere := site(t)
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Hosts: egress.Observing()}
	s, m := start(t, spec)
	works(t, s)
	var n network
	n.watch(m)
	expect(t, s, true, "fetch", "http://"+somewhere)
	expect(t, s, false, "connect", somewhere)
	n.mu.Lock()
	if len(n.attempts) != 1 || n.attempts[0].Target.String() != somewhere || n.attempts[0].Refused != "" {
		t.Errorf("the manager tells of %+v", n.attempts)
	}
	n.mu.Unlock()
	if got := s.Status().Isolation.Network; got != "observe" {
		t.Errorf("the status says %q", got)
	}
	m.Reopen(spec.Name)
	eventually.True(t, "the server works again", func() bool {
		link, err := s.Shared(t.Context())
		return err == nil && link != nil
	})
}

func TestTheListIsAdviceWithoutNamespaces(t *testing.T) {
	listed, other := site(t), site(t)
	upstream.ForbidNamespaces(t.Cleanup)
	spec := stdioSpec(t, "plain")
	spec.Isolation = &upstream.Isolation{Hosts: hosts(t, listed)}
	s, _ := start(t, spec)
	works(t, s)
	expect(t, s, true, "fetch", "http://"+listed)
	expect(t, s, false, "fetch", "http://"+other)
	expect(t, s, true, "connect", other)
	if got := strings.Join(s.Status().Isolation.Missing, " "); !strings.Contains(got, "advice only") {
		t.Errorf("missing is %q", got)
	}
	if !slices.ContainsFunc(s.Logs(), func(l upstream.LogLine) bool { return strings.Contains(l.Text, "advice only") }) {
		t.Errorf("the server's log is %v", s.Logs())
	}
	spec.Name, spec.Isolation = "strict", &upstream.Isolation{Hosts: hosts(t, listed), Required: true}
	strict, _ := start(t, spec)
	if _, err := strict.Shared(t.Context()); err == nil || !strings.Contains(err.Error(), "advice only") {
		t.Errorf("with required: %v", err)
	}
}
