package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpproxy/internal/egress"
)

// company is the proxy of a company. It connects to one address, whatever the host.
type company struct {
	*httptest.Server
	leads string // the address to which it leads

	mu    sync.Mutex
	asked []string // requests, as METHOD HOST
}

func newCompany(t *testing.T, leads string) *company {
	t.Helper()
	c := &company{leads: leads}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP serves requests with the password.
func (c *company) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked = append(c.asked, r.Method+" "+r.Host)
	c.mu.Unlock()
	if r.Header.Get("Proxy-Authorization") != "Basic YW5uOnBhc3M=" { // ann:pass
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	if r.Method != http.MethodConnect {
		fmt.Fprintf(w, "the company's copy of %s", r.URL)
		return
	}
	host, err := net.Dial("tcp", c.leads)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer host.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\nVia: 1.1 company\r\n\r\n")
	go func() { _, _ = io.Copy(host, buffered) }()
	_, _ = io.Copy(client, host)
}

// through returns a function that finds the company's proxy for a user, with an exception for direct.example.
func (c *company) through(user *url.Userinfo) func(*url.URL) (*url.URL, error) {
	u, _ := url.Parse(c.URL)
	u.User = user
	return func(to *url.URL) (*url.URL, error) {
		if to.Hostname() == "direct.example" {
			return nil, nil
		}
		return u, nil
	}
}

func TestServersGoThroughTheCompanysProxy(t *testing.T) {
	t.Parallel()
	s, at := web(t, hello)
	plain := httptest.NewServer(http.HandlerFunc(hello))
	t.Cleanup(plain.Close)
	c := newCompany(t, s.Listener.Addr().String())
	direct := "direct.example:" + port(plain.Listener.Addr())
	r := newRig(t, parsed(t, "example.com", "example.com:"+at, direct, "127.0.0.1:*"))
	r.Fail("example.com") // this machine cannot resolve public names
	r.Through(c.through(url.UserPassword("ann", "pass")))
	client := &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(r.proxy()),
		TLSClientConfig: trusting(s, ""),
	}}
	t.Cleanup(client.CloseIdleConnections)
	for address, want := range map[string]string{
		"https://example.com":        "hello example.com",
		"https://example.com:" + at:  "hello example.com:" + at,
		"http://example.com/a?b":     "the company's copy of http://example.com/a?b",
		"http://" + direct:           "hello " + direct,
		"http://other.example/":      "mcpproxy: other.example is not on this server's list (isolation.network)\n",
		"http://example.com:8080/no": "mcpproxy: example.com is on this server's list (isolation.network), but not with port 8080\n",
	} {
		answer, err := client.Get(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(body) != want {
			t.Errorf("%s answers %q, wanted %q", address, body, want)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.asked)
	if want := []string{"CONNECT example.com:" + at, "CONNECT example.com:443", "GET example.com"}; !slices.Equal(c.asked, sorted(want)) {
		t.Errorf("the company's proxy was asked for %q, wanted %q", c.asked, want)
	}
}

func sorted(all []string) []string { slices.Sort(all); return all }

func TestTheCompanysProxyDoesNotOpenWhatTheListCloses(t *testing.T) {
	t.Parallel()
	s, _ := web(t, hello)
	c := newCompany(t, s.Listener.Addr().String())
	for name, k := range map[string]struct {
		list   []string
		target string
		names  string // the address to which this machine resolves every name; "" if it cannot resolve names
		want   egress.Reason
	}{
		"a host that is not listed":                  {[]string{"a.example"}, "b.example:443", "", egress.NotListed},
		"a name that leads to the metadata of cloud": {[]string{"a.example"}, "a.example:443", "169.254.169.254", egress.LocalAddress},
		"a name that leads into a private network":   {[]string{"a.example"}, "a.example:443", "10.1.2.3", egress.LocalAddress},
		"mcpproxy itself":                            {[]string{"a.example:*", "127.0.0.1:*"}, fmt.Sprintf("a.example:%d", own), "127.0.0.1", egress.OwnPort},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, parsed(t, k.list...))
			if k.names == "" {
				r.Fail("a.example")
			} else {
				r.Resolve(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr(k.names)} })
			}
			r.Through(c.through(url.UserPassword("ann", "pass")))
			if _, answer := r.raw("CONNECT " + k.target + " HTTP/1.1\r\nHost: a\r\nSECRET\r\n"); answer.StatusCode != http.StatusForbidden {
				t.Errorf("a tunnel: %s", answer.Status)
			}
			if _, answer := r.raw("GET http://" + k.target + "/ HTTP/1.1\r\nHost: a\r\nSECRET\r\n"); answer.StatusCode != http.StatusForbidden {
				t.Errorf("a plain request: %s", answer.Status)
			}
			if got := r.told(); !slices.Equal(got, []egress.Reason{k.want, k.want}) {
				t.Errorf("it tells of %q, wanted %q twice", got, k.want)
			}
		})
	}
	c.mu.Lock()
	if len(c.asked) > 0 {
		t.Errorf("the company's proxy was asked for %q", c.asked)
	}
	c.mu.Unlock()
	t.Run("TLS in a tunnel still has to name its host", func(t *testing.T) {
		r := newRig(t, parsed(t, "example.com"))
		r.Fail("example.com")
		r.Through(c.through(url.UserPassword("ann", "pass")))
		conn := r.tunnel("example.com:443")
		if _, err := conn.Write([]byte("SSH-2.0-no TLS\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("the tunnel stays open: %v", err)
		}
		if got := r.told(); !slices.Equal(got, []egress.Reason{"", egress.NoTLS}) {
			t.Errorf("it tells of %q", got)
		}
	})
}

func TestErrorsOfTheCompanysProxyAreReported(t *testing.T) {
	t.Parallel()
	c := newCompany(t, "127.0.0.1:1")
	closed := "http://127.0.0.1:1"
	for name, k := range map[string]struct {
		find func(*url.URL) (*url.URL, error)
		want string
	}{
		"a wrong password":    {c.through(url.UserPassword("ann", "wrong")), "refused a tunnel to a.example:443: status 407"},
		"a host that is gone": {c.through(url.UserPassword("ann", "pass")), "refused a tunnel to a.example:443: status 502"},
		"nobody there":        {address(closed), "connecting to this machine's own proxy"},
		"socks":               {address("socks5://127.0.0.1:1"), "can only use an http or https proxy"},
		"an unusable address": {func(*url.URL) (*url.URL, error) { return nil, errors.New("it is no address") }, "it is no address"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, parsed(t, "a.example"))
			r.Fail("a.example")
			r.Through(k.find)
			_, answer := r.raw("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nSECRET\r\n")
			body := make([]byte, answer.ContentLength)
			_, _ = io.ReadFull(answer.Body, body)
			if answer.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), k.want) {
				t.Errorf("%s %q, wanted %q", answer.Status, body, k.want)
			}
			if strings.Contains(string(body), "wrong") {
				t.Errorf("the answer has the password: %q", body)
			}
		})
	}
}

func address(a string) func(*url.URL) (*url.URL, error) {
	return func(*url.URL) (*url.URL, error) { return url.Parse(a) }
}
