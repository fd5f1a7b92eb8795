package raw

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"
)

// quiet is a pipe that discards every frame.
type quiet struct{}

func (quiet) send(context.Context, []byte, http.Header) (Answer, error) { return Answer{}, nil }
func (quiet) exchanges() bool                                           { return false }
func (quiet) close()                                                    {}

func TestProtocolViolationsAreRecordedAndAnswersStillDelivered(t *testing.T) {
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                       "",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`:        "", // how the server refuses broken frames
		`{"jsonrpc":"2.0","method":"notifications/x"}`:               "",
		`{"jsonrpc":"2.0","id":77,"result":{}}`:                      "foreign id",
		`{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`:            "not JSON",
		`{"jsonrpc":"2.0","id":1,"result":{}`:                        "not JSON",
		`{"id":1,"result":{}}`:                                       "not JSON-RPC",
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}`:    "not JSON-RPC",
		"Server listening!":                                          "not a message",
		`{"jsonrpc":"2.0","id":1,"result":` + deep(1500) + `}`:       "too deep",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}": "not JSON",
	} {
		c := newConn(Target{})
		c.pipe = quiet{}
		answer := c.expect([]byte("1"))
		c.receive([]byte(frame))
		var got string
		for _, f := range c.Faults() {
			got = f.Kind
		}
		if got != want {
			t.Errorf("%.60q is %q, want %q", frame, got, want)
		}
		if strings.Contains(frame, `"id":1,`) {
			select {
			case <-answer:
			default:
				t.Errorf("%.60q answers nobody", frame)
			}
		}
	}
}

func deep(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

func TestASecondAnswerIsAFault(t *testing.T) {
	c := newConn(Target{})
	c.pipe = quiet{}
	c.expect([]byte(`"a"`))
	for range 2 {
		c.receive([]byte(`{"jsonrpc":"2.0","id":"a","result":{}}`))
	}
	if f := c.Faults(); len(f) != 1 || f[0].Kind != "answered twice" {
		t.Errorf("the faults are %v", f)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{}}`))
	f.Add([]byte(`{"id":`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		c := newConn(Target{})
		c.pipe = quiet{}
		answer := c.expect([]byte("1"))
		c.receive(frame)
		c.receive(frame)
		if len(c.Faults()) > 4 {
			t.Errorf("the faults are %v", c.Faults())
		}
		select {
		case a := <-answer:
			if a.Result == nil && a.Error == nil && !errors.Is(a.Err, ErrUnreadable) {
				t.Errorf("the answer is %+v", a)
			}
		default:
		}
	})
}

func TestAddressesOfTheCloudAreRefused(t *testing.T) {
	for address, want := range map[string]bool{
		"169.254.169.254":        true,
		"169.254.0.1":            true,
		"fe80::1":                true,
		"fe80::1%eth0":           true,
		"fd00:ec2::254":          true,
		"100.100.100.200":        true,
		"::ffff:169.254.169.254": true,
		"64:ff9b::a9fe:a9fe":     true,
		"2002:a9fe:a9fe::1":      true,
		"0.0.0.0":                true,
		"::":                     true,
		"224.0.0.1":              true,
		"127.0.0.1":              false,
		"::1":                    false,
		"10.0.0.1":               false,
		"192.168.1.1":            false,
		"93.184.216.34":          false,
		"2606:2800:220:1::1":     false,
	} {
		if got := refused(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: refused is %t", address, got)
		}
	}
}

func TestATargetIsCheckedAndShownWithoutSecrets(t *testing.T) {
	for _, c := range []struct {
		target Target
		shown  string
		ok     bool
	}{
		{Target{URL: "https://user:pass@host.example/mcp?key=secret#x"}, "https://host.example/mcp", true},
		{Target{Command: "npx", Args: []string{"--token", "secret"}}, "npx", true},
		{Target{Command: "npx", Args: []string{"-y", "@scope/server-notes@1.2.3", "secret"}}, "npx @scope/server-notes@1.2.3", true},
		{Target{Command: "/usr/bin/node", Args: []string{"--env", "secret", "/srv/index.js"}}, "/usr/bin/node index.js", true},
		{Target{Command: "python3", Args: []string{"-m", "mcp_server"}}, "python3 mcp_server", true},
		{Target{Command: "/opt/bin/python3.12", Args: []string{"/srv/notes.py"}}, "/opt/bin/python3.12 notes.py", true},
		{Target{Command: "npx", Args: []string{"https://user:secret@host.example/x.tgz"}}, "npx", true},
		{Target{Command: "server", Args: []string{"secret"}}, "server", true},
		{Target{Name: "notes", URL: "http://x/"}, "notes", true},
		{Target{URL: "http://x.example/", Headers: map[string]string{"Authorization": "Bearer secret"}}, "http://x.example/", false},
		{Target{URL: "https://x.example/", Headers: map[string]string{"Authorization": "Bearer secret"}}, "https://x.example/", true},
		{Target{URL: "http://localhost:3/", Headers: map[string]string{"X-Api-Key": "secret"}}, "http://localhost:3/", true},
		{Target{URL: "http://x.example/", Headers: map[string]string{"X-Trace": "1"}}, "http://x.example/", true},
		{Target{}, "", false},
		{Target{URL: "http://x", Command: "y"}, "http://x", false},
		{Target{URL: "ftp://x"}, "ftp://x", false},
		{Target{URL: "http://"}, "http:", false},
		{Target{URL: "http://x", Transport: "ws"}, "http://x", false},
	} {
		if err := c.target.Check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.target, err)
		} else if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the secret: %v", err)
		}
		if got := c.target.String(); got != c.shown {
			t.Errorf("shown as %q, want %q", got, c.shown)
		}
	}
}

func TestACredentialNeverFollowsARedirectElsewhere(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	_, err := Dial(t.Context(), Target{URL: first.URL, Headers: map[string]string{"Authorization": "Bearer k"}})
	if err == nil || !strings.Contains(err.Error(), "redirects to another origin") || reached {
		t.Errorf("reached %t, %v", reached, err)
	}
}

func TestAChildThatDoesNotEndIsEnded(t *testing.T) {
	c, err := Connect(t.Context(), Target{Command: "sleep", Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	p := c.pipe.(*process)
	c.Close()
	select {
	case <-p.exited:
	default:
		t.Error("it runs on")
	}
}

func TestTheWaitForAMissingAnswerEnds(t *testing.T) {
	c, err := Connect(t.Context(), Target{Command: "sleep", Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if a := c.Request(ctx, "ping", nil); !errors.Is(a.Err, ErrTimeout) {
		t.Errorf("the answer is %+v", a)
	}
}

// A server that sends endless requests and does not read the answers occupies only a few goroutines.
func TestAServerThatSendsEndlessRequestsFillsNoMemory(t *testing.T) {
	c, err := Connect(t.Context(), Target{Command: "sleep", Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before := runtime.NumGoroutine()
	long := strings.Repeat("x", 128<<10) // more than a pipe holds
	for range 20 * maxRefusing {
		c.receive([]byte(`{"jsonrpc":"2.0","id":"` + long + `","method":"sampling/createMessage"}`))
	}
	for range 20 { // callers that gave up leave no goroutine behind
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if a := c.Frame(ctx, []byte(long), []byte("1"), nil); !errors.Is(a.Err, ErrTimeout) {
			t.Errorf("the answer is %+v", a)
		}
		cancel()
	}
	if n := runtime.NumGoroutine() - before; n > 2*maxRefusing+25 {
		t.Errorf("%d goroutines wait", n)
	}
	if len(c.refusing) != maxRefusing {
		t.Errorf("%d refusals are under way", len(c.refusing))
	}
}
