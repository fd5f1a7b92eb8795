package egress_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/egress"
	"mcpproxy/internal/eventually"
)

// rig is a running proxy with its reported attempts.
type rig struct {
	*egress.Proxy
	t       *testing.T
	address string

	mu       sync.Mutex
	attempts []egress.Attempt
	sent     int64
	received int64
}

// own is the port on which mcpproxy itself listens in these tests.
const own = 8377

// newRig returns a proxy with a list. Every name resolves to this machine, whose address is on the list.
func newRig(t *testing.T, list *egress.List) *rig {
	t.Helper()
	r := &rig{t: t}
	r.Proxy = egress.New(list, func(at netip.AddrPort) bool { return at.Port() == own }, egress.Watch{
		Attempt: func(a egress.Attempt) { r.mu.Lock(); defer r.mu.Unlock(); r.attempts = append(r.attempts, a) },
		Moved: func(sent, received int64) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.sent += sent
			r.received += received
		},
	})
	r.Resolve(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = l.Addr().String()
	done := make(chan struct{})
	go func() { defer close(done); r.Serve(l) }()
	t.Cleanup(func() { r.Close(); <-done })
	return r
}

// told returns the reasons of the attempts so far.
func (r *rig) told() (reasons []egress.Reason) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.attempts {
		reasons = append(reasons, a.Refused)
	}
	return reasons
}

// proxy returns the address of the proxy with its secret.
func (r *rig) proxy() *url.URL {
	u, err := url.Parse(r.URL(r.address))
	if err != nil {
		r.t.Fatal(err)
	}
	return u
}

// raw sends bytes to the proxy and returns the connection and the head of the answer. SECRET stands for the header
// with the secret.
func (r *rig) raw(request string) (net.Conn, *http.Response) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	secret := &http.Request{Header: http.Header{}}
	password, _ := r.proxy().User.Password()
	secret.SetBasicAuth("mcpproxy", password)
	request = strings.ReplaceAll(request, "SECRET", "Proxy-Authorization: "+secret.Header.Get("Authorization")+"\r\n")
	if _, err := io.WriteString(conn, request); err != nil {
		r.t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect})
	if err != nil {
		r.t.Fatalf("no answer: %v", err)
	}
	return &buffered{conn, in}, answer
}

// buffered is a connection whose first bytes were already read.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// tunnel opens a tunnel, which the proxy must allow.
func (r *rig) tunnel(target string) net.Conn {
	r.t.Helper()
	conn, answer := r.raw("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\nSECRET\r\n")
	if answer.StatusCode != http.StatusOK {
		r.t.Fatalf("no tunnel to %s: %s", target, answer.Status)
	}
	return conn
}

// web returns a TLS server for the name a.example, with its port and a certificate pool that trusts it.
func web(t *testing.T, handler http.HandlerFunc) (*httptest.Server, string) {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, port(s.Listener.Addr())
}

func port(a net.Addr) string { return strconv.Itoa(a.(*net.TCPAddr).Port) }

func trusting(s *httptest.Server, name string) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{RootCAs: pool, ServerName: name}
}

func hello(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "hello %s", r.Host) }

func TestAClientReachesWhatIsListedAndNothingElse(t *testing.T) {
	t.Parallel()
	s, at := web(t, hello)
	plain := httptest.NewServer(http.HandlerFunc(hello))
	t.Cleanup(plain.Close)
	plainPort := port(plain.Listener.Addr())
	r := newRig(t, parsed(t, "example.com:"+at, "example.com:"+plainPort, "127.0.0.1:*"))
	client := &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(r.proxy()),
		TLSClientConfig: trusting(s, ""),
	}}
	t.Cleanup(client.CloseIdleConnections)
	for _, address := range []string{"https://example.com:" + at, "http://example.com:" + plainPort} {
		answer, err := client.Get(address)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if host := strings.SplitN(address, "//", 2)[1]; string(body) != "hello "+host {
			t.Errorf("%s answers %q", address, body)
		}
	}
	if _, err := client.Get("https://other.example:" + at); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("a host that is not listed: %v", err)
	}
	answer, err := client.Get("http://other.example/x")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden || !strings.Contains(string(body), "isolation.network") {
		t.Errorf("%s %s", answer.Status, body)
	}
	if got := r.told(); !slices.Equal(got, []egress.Reason{"", "", egress.NotListed, egress.NotListed}) {
		t.Errorf("it tells of %q", got)
	}
	client.CloseIdleConnections()
	eventually.True(t, "what moved in the tunnel is told", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.sent > 300 && r.received > 500
	})
}

func TestCurlReachesWhatIsListedAndNothingElse(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("SKIPPED: there is no curl")
	}
	_, at := web(t, hello)
	leads := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, "https://evil.example/?secret", http.StatusFound)
	}))
	t.Cleanup(leads.Close)
	r := newRig(t, parsed(t, "a.example:*", "127.0.0.1:*"))
	run := func(arguments ...string) (string, error) {
		cmd := exec.Command(curl, append([]string{"-sSkL", "--max-time", "20"}, arguments...)...)
		for name, value := range egress.Environment(r.URL(r.address)) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("https://a.example:" + at); err != nil || out != "hello a.example:"+at {
		t.Errorf("%s %v", out, err)
	}
	if out, err := run("https://b.example:" + at); err == nil || !strings.Contains(out, "403") {
		t.Errorf("a host that is not listed: %s", out)
	}
	if out, err := run("http://a.example:" + port(leads.Listener.Addr())); err == nil || !strings.Contains(out, "403") {
		t.Errorf("a host to which a listed one leads: %s", out)
	}
	if out, err := run("--proxy", "http://mcpproxy:guess@"+r.address, "https://a.example:"+at); err == nil || !strings.Contains(out, "407") {
		t.Errorf("without the secret: %s", out)
	}
}

func TestRequestsThatTheProxyRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, parsed(t, "a.example", "127.0.0.1"))
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"no secret":                   {"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", 407},
		"a secret for the site":       {"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nAuthorization: Basic bWNwcHJveHk6eA==\r\n\r\n", 407},
		"a wrong secret":              {"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic bWNwcHJveHk6eA==\r\n\r\n", 407},
		"a Host that is listed":       {"CONNECT b.example:443 HTTP/1.1\r\nHost: a.example:443\r\nSECRET\r\n", 403},
		"userinfo":                    {"CONNECT a.example@b.example:443 HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 403},
		"no port":                     {"CONNECT a.example HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 403},
		"another port":                {"CONNECT a.example:22 HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 403},
		"a body":                      {"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nSECRET\r\nhello", 400},
		"a body of unknown length":    {"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nSECRET\r\n0\r\n\r\n", 400},
		"two lengths":                 {"GET http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\nSECRET\r\nhello", 400},
		"two hosts":                   {"GET http://a.example/ HTTP/1.1\r\nHost: a\r\nHost: b\r\nSECRET\r\n", 400},
		"a path":                      {"GET / HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 400},
		"an https address":            {"GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 400},
		"a file":                      {"GET file:///etc/passwd HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 400},
		"userinfo in an address":      {"GET http://a.example@b.example/ HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 403},
		"a Host beside the address":   {"GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 403},
		"an escaped host":             {"GET http://a.example%2eb.example/ HTTP/1.1\r\nHost: a.example\r\nSECRET\r\n", 400},
		"an address as a number":      {"CONNECT 2130706433:443 HTTP/1.1\r\nHost: a\r\nSECRET\r\n", 403},
		"an address of IPv6":          {"CONNECT [::1]:443 HTTP/1.1\r\nHost: a\r\nSECRET\r\n", 403},
		"a proxy request of HTTP/0.9": {"CONNECT a.example:443\r\n\r\n", 400},
	} {
		if _, answer := r.raw(c.request); answer.StatusCode != c.status {
			t.Errorf("%s: %s, wanted %d", name, answer.Status, c.status)
		}
	}
}

func TestANameThatResolvesToThisMachineIsRefused(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(hello))
	t.Cleanup(s.Close)
	at := port(s.Listener.Addr())
	for address, opens := range map[string]string{
		"127.0.0.1":        "127.0.0.0/8",
		"10.1.2.3":         "10.1.2.3:*",
		"169.254.169.254":  "169.254.0.0/16",
		"::1":              "::1",
		"::ffff:127.0.0.1": "127.0.0.1",
		"0.0.0.0":          "0.0.0.0",
	} {
		r := newRig(t, parsed(t, "a.example:*"))
		r.Resolve(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr(address)} })
		_, answer := r.raw("CONNECT a.example:" + at + " HTTP/1.1\r\nHost: a\r\nSECRET\r\n")
		if answer.StatusCode != http.StatusForbidden || !slices.Equal(r.told(), []egress.Reason{egress.LocalAddress}) {
			t.Errorf("a name that leads to %s: %s, %q", address, answer.Status, r.told())
		}
		if _, answer := r.raw("GET http://a.example:" + at + "/ HTTP/1.1\r\nHost: a\r\nSECRET\r\n"); answer.StatusCode != 403 {
			t.Errorf("a request for a name that leads to %s: %s", address, answer.Status)
		}
		if _, err := egress.ParseList([]string{opens}); err != nil {
			t.Errorf("%s: %v", opens, err)
		}
	}
	both := newRig(t, parsed(t, "a.example:*", "127.0.0.1:"+at))
	both.Resolve(func(string) []netip.Addr {
		return []netip.Addr{netip.MustParseAddr("10.255.255.1"), netip.MustParseAddr("127.0.0.1")}
	})
	both.tunnel("a.example:" + at) // by the address that is listed
	local := newRig(t, parsed(t, "localhost:"+at))
	local.tunnel("LOCALHOST.:" + at)
	own := newRig(t, egress.Observing())
	if _, answer := own.raw("CONNECT localhost:8377 HTTP/1.1\r\nHost: a\r\nSECRET\r\n"); answer.StatusCode != 403 {
		t.Errorf("mcpproxy's own port: %s", answer.Status)
	}
	if got := own.told(); !slices.Equal(got, []egress.Reason{egress.OwnPort}) {
		t.Errorf("it tells of %q", got)
	}
}

// Between the check and the connection, a name could change to another address.
func TestTheAddressThatWasCheckedIsTheOneThatIsConnectedTo(t *testing.T) {
	t.Parallel()
	at := echo(t)
	r := newRig(t, parsed(t, "a.example:*", "127.0.0.1:*"))
	times := 0
	r.Resolve(func(string) []netip.Addr {
		times++
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	r.tunnel("a.example:" + at)
	if times != 1 {
		t.Errorf("the name was looked up %d times", times)
	}
}

func TestTLSInATunnelIsForItsHost(t *testing.T) {
	t.Parallel()
	_, at := web(t, hello)
	for name, c := range map[string]struct {
		target, sni string
		why         egress.Reason
	}{
		"the host":                    {"a.example", "a.example", ""},
		"the host in upper case":      {"a.example", "A.EXAMPLE", ""},
		"another host":                {"a.example", "b.example", egress.OtherName},
		"a host below":                {"a.example", "x.a.example", egress.OtherName},
		"no host":                     {"a.example", "", egress.OtherName},
		"an address, which is unsaid": {"127.0.0.1", "", ""},
		"an address and a host":       {"127.0.0.1", "b.example", egress.OtherName},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, parsed(t, "a.example:"+at, "127.0.0.1:"+at))
			conn := tls.Client(r.tunnel(c.target+":"+at), &tls.Config{ServerName: c.sni, InsecureSkipVerify: true})
			err := conn.Handshake()
			if (err == nil) != (c.why == "") {
				t.Errorf("the handshake: %v", err)
			}
			want := []egress.Reason{""}
			if c.why != "" {
				want = append(want, c.why)
			}
			if got := r.told(); !slices.Equal(got, want) {
				t.Errorf("it tells of %q", got)
			}
		})
	}
}

// echo listens on this machine and returns what it receives.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	return port(l.Addr())
}

func TestATunnelCarriesOtherProtocols(t *testing.T) {
	t.Parallel()
	at := echo(t)
	r := newRig(t, parsed(t, "a.example:*", "127.0.0.1:*"))
	// The client sends data before it has read the answer to CONNECT.
	conn, answer := r.raw("CONNECT a.example:" + at + " HTTP/1.1\r\nHost: a\r\nSECRET\r\nSSH-2.0-early\r\n")
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	if _, err := io.WriteString(conn, "late\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*buffered).Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(conn); err != nil || string(all) != "SSH-2.0-early\r\nlate\r\n" {
		t.Errorf("%q, %v", all, err)
	}
}

func TestInvalidTLSIsRefused(t *testing.T) {
	t.Parallel()
	at := echo(t)
	for name, said := range map[string]string{
		"nothing of it":    "\x16GET / HTTP/1.1\r\n\r\n",
		"another message":  "\x16\x03\x01\x00\x05\x02\x00\x00\x01x",
		"a broken message": "\x16\x03\x01\x00\x08\x01\x00\x00\x04abcd",
	} {
		r := newRig(t, parsed(t, "a.example:*", "127.0.0.1:*"))
		conn := r.tunnel("a.example:" + at)
		_, _ = io.WriteString(conn, said)
		if all, _ := io.ReadAll(conn); len(all) > 0 {
			t.Errorf("%s reaches the host, which answers %q", name, all)
		}
		if got := r.told(); !slices.Equal(got, []egress.Reason{"", egress.NoTLS}) {
			t.Errorf("%s: it tells of %q", name, got)
		}
	}
}

func TestAReplacedListEndsConnections(t *testing.T) {
	t.Parallel()
	at := echo(t)
	slow := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-q.Context().Done():
		case <-slow:
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(slow) })
	r := newRig(t, parsed(t, "*.gone.example:*", "stays.example:*", "127.0.0.1:*"))
	gone, stays := r.tunnel("a.gone.example:"+at), r.tunnel("stays.example:"+at)
	request, answer := r.raw("GET http://b.gone.example:" + port(s.Listener.Addr()) + "/ HTTP/1.1\r\nHost: a\r\nSECRET\r\n")
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	r.Replace(parsed(t, "stays.example:*", "127.0.0.1:*"))
	for name, conn := range map[string]net.Conn{"tunnel": gone, "request": request} {
		if _, err := io.ReadAll(conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("the %s stays open: %v", name, err)
		}
	}
	got := make([]byte, 4)
	_, _ = io.WriteString(stays, "ping")
	if _, err := io.ReadFull(stays, got); err != nil || string(got) != "ping" {
		t.Errorf("the tunnel that is still allowed: %q, %v", got, err)
	}
	if _, answer := r.raw("CONNECT a.gone.example:" + at + " HTTP/1.1\r\nHost: a\r\nSECRET\r\n"); answer.StatusCode != 403 {
		t.Errorf("a new tunnel: %s", answer.Status)
	}
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	at := echo(t)
	r := newRig(t, parsed(t, "a.example:*", "127.0.0.1:*"))
	r.Idle(200 * time.Millisecond)
	conn := r.tunnel("a.example:" + at)
	for range 5 { // longer than that in all
		time.Sleep(80 * time.Millisecond)
		_, _ = io.WriteString(conn, "x")
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatalf("it ends while something moves: %v", err)
		}
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("it does not end: %v", err)
	}
}

func TestObservingLetsEverythingThrough(t *testing.T) {
	t.Parallel()
	_, at := web(t, hello)
	r := newRig(t, egress.Observing())
	conn := tls.Client(r.tunnel("a.example:"+at), &tls.Config{ServerName: "b.example", InsecureSkipVerify: true})
	if err := conn.Handshake(); err != nil {
		t.Error(err)
	}
	if got := r.told(); !slices.Equal(got, []egress.Reason{""}) || r.attempts[0].Target.String() != "a.example:"+at {
		t.Errorf("it tells of %+v", r.attempts)
	}
}

func TestWebSocketsPassThroughAPlainRequest(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		conn, both, err := http.NewResponseController(w).Hijack()
		if err != nil || q.Header.Get("Upgrade") != "websocket" || q.Header.Get("Proxy-Authorization") != "" {
			t.Errorf("the host sees %v", q.Header)
			return
		}
		defer conn.Close()
		_, _ = both.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_ = both.Flush()
		_, _ = io.Copy(conn, both)
	}))
	t.Cleanup(s.Close)
	r := newRig(t, parsed(t, "a.example:*", "127.0.0.1:*"))
	conn, answer := r.raw("GET http://a.example:" + port(s.Listener.Addr()) +
		"/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSECRET\r\n")
	if answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(answer.Status)
	}
	got := make([]byte, 4)
	_, _ = io.WriteString(conn, "ping")
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "ping" {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzServerName(f *testing.F) {
	f.Add([]byte("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03"))
	var first recorded
	_ = tls.Client(&first, &tls.Config{ServerName: "a.example"}).Handshake()
	f.Add(first.said)
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, name, err := egress.ServerName(strings.NewReader(string(raw)))
		if !strings.HasPrefix(string(raw), string(read)) {
			t.Errorf("it read %q of %q", read, raw)
		}
		if err != nil && name != "" {
			t.Errorf("a name and an error: %q, %v", name, err)
		}
	})
}

// recorded is a connection that records what is written and never answers.
type recorded struct {
	net.Conn
	said []byte
}

func (r *recorded) Write(p []byte) (int, error) { r.said = append(r.said, p...); return len(p), nil }

func (r *recorded) Read([]byte) (int, error) { return 0, io.EOF }

func (r *recorded) Close() error { return nil }
