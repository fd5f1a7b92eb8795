package telemetry_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/porttest"
	"mcpproxy/internal/telemetry"
)

// frames reads the messages in a stream, each of which follows its length.
func frames(c io.Reader, out chan<- string) {
	in := bufio.NewReader(c)
	for {
		length, err := in.ReadString(' ')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSuffix(length, " "))
		if err != nil {
			out <- "no length: " + length
			return
		}
		m := make([]byte, n)
		if _, err := io.ReadFull(in, m); err != nil {
			return
		}
		out <- string(m)
	}
}

func acceptAll(l net.Listener, out chan<- string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { defer c.Close(); frames(c, out) }()
	}
}

func datagrams(c net.PacketConn, out chan<- string) {
	b := make([]byte, 64<<10)
	for {
		n, _, err := c.ReadFrom(b)
		if err != nil {
			return
		}
		out <- string(b[:n])
	}
}

// server listens on a network and returns its address. It sends what it receives to the channel.
func server(t *testing.T, network string) (address string, got chan string) {
	t.Helper()
	got = make(chan string, 100)
	var l net.Listener
	var err error
	switch network {
	case "udp", "unixgram":
		at := "127.0.0.1:0"
		if network == "unixgram" {
			at = filepath.Join(t.TempDir(), "s")
		}
		c, err := net.ListenPacket(network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		go datagrams(c, got)
		return c.LocalAddr().String(), got
	case "unix":
		l, err = net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	case "tls":
		l, err = tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate()}})
	default:
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go acceptAll(l, got)
	return l.Addr().String(), got
}

// certificate returns a certificate for 127.0.0.1 that this process trusts. The trusted roots are read only once.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	form := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(
		os.Getenv("SSL_CERT_FILE"),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		0o600,
	); err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

func next(t *testing.T, got <-chan string) string {
	t.Helper()
	select {
	case m := <-got:
		return m
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}

// header matches the header of RFC 5424 with its structured data.
var header = regexp.MustCompile(`^<(\d+)>1 (\S+) (\S+) mcpproxy (\d+) (\S+) \[mcpproxy@32473 id="([^"]+)"\] `)

func TestASyslogServerGetsEveryRecord(t *testing.T) {
	for _, network := range []string{"udp", "tcp", "tls", "unix", "unixgram"} {
		for _, format := range []string{"cef", "json"} {
			t.Run(network+" "+format, func(t *testing.T) {
				address, got := server(t, network)
				e := newExporter(
					t,
					telemetry.Settings{
						Syslog: telemetry.Syslog{
							Address: address,
							Network: strings.TrimSuffix(network, "gram"),
							Format:  format,
						},
						Version: "1",
					},
				)
				e.Hear(sent(1))
				e.Hear(&mcpproxy.Record{
					ID:        "01K",
					Type:      mcpproxy.RecordSystemStop,
					Source:    "system",
					Timestamp: at,
				})
				first, second := next(t, got), next(t, got)
				h := header.FindStringSubmatch(first)
				if h == nil || h[1] != "108" || h[2] != "2027-01-15T08:00:00.000000Z" || h[5] != "tool_call" ||
					h[6] != sent(1).ID {
					t.Fatalf("%q: %q", h, first)
				}
				payload := strings.TrimPrefix(first, h[0])
				if format == "cef" &&
					!strings.HasPrefix(
						payload,
						"CEF:0|mcpproxy|mcpproxy|1|r.x|tool_call warn|8|rt=1800000000000 externalId=",
					) {
					t.Errorf("%s", payload)
				}
				var fields map[string]any
				if format == "json" &&
					(json.Unmarshal([]byte(payload), &fields) != nil || fields["gen_ai.tool.name"] != "post_message" || fields["mcpproxy.risk.score"] != 60.0) {
					t.Errorf("%s", payload)
				}
				if !strings.HasPrefix(second, "<110>1 ") || !strings.Contains(second, " system_stop ") {
					t.Errorf("the second is %s", second)
				}
			})
		}
	}
}

// After a server was down, the exporter connects again and sends the records of that time.
func TestASyslogServerThatWasAway(t *testing.T) {
	address := porttest.Free(t)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 100)
	e := newExporter(t, telemetry.Settings{Syslog: telemetry.Syslog{Address: address, Network: "tcp", Format: "cef"}})
	e.Hear(sent(1))
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go frames(c, got)
	next(t, got)
	l.Close()
	c.Close()
	e.Hear(sent(2))
	time.Sleep(700 * time.Millisecond) // the batch goes out, and fails
	if l, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go acceptAll(l, got)
	if m := next(t, got); !strings.Contains(m, sent(2).ID) {
		t.Errorf("got %s", m)
	}
}
