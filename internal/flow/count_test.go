package flow

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// sentences returns n bytes of text that contains numbers, addresses and keys.
func sentences(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	list := strings.Fields(
		"report of customer says that every shipment this quarter has been moved another region after review",
	)
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s %d ", list[r.IntN(len(list))], r.IntN(10_000))
		switch r.IntN(20) {
		case 0:
			fmt.Fprintf(&b, "mail%x@example.com ", r.Uint32())
		case 1:
			b.WriteString(wordOf("key", r.Int(), 0) + " ")
		}
	}
	return b.String()[:n]
}

// records returns a table of n bytes in JSON.
func records(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(
			&b,
			`{"id":%d,"name":"%x","mail":"u%x@example.com","iban":"DE%018d"},`,
			r.Uint32(),
			r.Uint64(),
			r.Uint64(),
			r.Uint64()%1e18,
		)
	}
	return "[" + strings.TrimSuffix(b.String(), ",") + "]"
}

// calls sends one text and reads another in a session.
func calls(t *testing.T, tracker *Tracker, session string, side mcpproxy.Side, sent, read string, secrets int) {
	t.Helper()
	parse := func(s string) *text.Document {
		doc, err := text.Parse(text.Quote(s), "response")
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	call := &mcpproxy.Call{
		Server:      "s",
		Tool:        "t",
		FlowSession: session,
		Principal:   session,
	}
	p := Transfer{Call: call, Class: mcpproxy.Class{Side: side}, Doc: parse(sent)}
	tracker.Check(p)
	for i := range secrets {
		secret := wordOf(sent, i, 0)
		read += " " + secret
		p.Secrets = append(p.Secrets, Secret{Value: secret, Category: "api_token"})
	}
	p.Doc = parse(read)
	tracker.Record(p)()
}

// The counted memory differs from the growth of the heap by at most a tenth. Evicted data that is not yet freed does
// not count. It may be half as much as the counted memory.
func TestTheCountedMemoryIsTheMemoryOfASession(t *testing.T) {
	for _, c := range []struct {
		name    string
		side    mcpproxy.Side
		results int
		read    func(seed uint64, n int) string
		size    int
		secrets int // in each result
		limit   int // bytes of the session
		most    float64
	}{
		{"after one large result", mcpproxy.Internal, 1, sentences, 64 << 10, 0, 0, 1.1},
		{"after large results", mcpproxy.Internal, 60, sentences, 64 << 10, 0, 0, 1.1},
		{"after tables", mcpproxy.Internal, 30, records, 64 << 10, 0, 0, 1.1},
		{"after large results from outside", mcpproxy.External, 60, sentences, 64 << 10, 0, 0, 1.1},
		{"after small results", mcpproxy.Internal, 500, sentences, 300, 0, 0, 1.1},
		{"after results with secrets", mcpproxy.Internal, 100, sentences, 1000, 20, 0, 1.1},
		{"after forgetting most results", mcpproxy.Internal, 60, sentences, 64 << 10, 0, 3 << 20, 1.6},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := Limits{
				Enabled:      true,
				MaxOrigins:   10_000,
				MinLength:    20,
				MaxBytes:     65536,
				SessionBytes: c.limit,
			}
			calls(t, New(manySessions{}, limits), "warm", c.side, "x", c.read(0, c.size), 0)
			sessions := manySessions{}
			tracker := New(sessions, limits)
			before := heap()
			for i := range c.results {
				calls(
					t,
					tracker,
					"s",
					c.side,
					fmt.Sprint("what is number ", i, " about?"),
					c.read(uint64(i+1), c.size),
					c.secrets,
				)
			}
			grown, counted := float64(heap()-before), 0.0
			for _, s := range sessions {
				counted += float64(s.Summary().Bytes)
			}
			if grown > c.most*counted || grown < 0.9*counted {
				t.Errorf("the heap has grown by %.0f KB, but %.0f KB are counted", grown/1024, counted/1024)
			}
			runtime.KeepAlive(sessions)
		})
	}
}

func TestASessionKeepsNoTextThatItHasCompared(t *testing.T) {
	const size = 4 << 20
	sessions := manySessions{}
	tracker := New(sessions, Limits{
		Enabled:    true,
		MaxOrigins: 10_000,
		MinLength:  20,
		MaxBytes:   65536,
	})
	calls(t, tracker, "s", mcpproxy.Internal, "x", sentences(1, 1000), 0)
	before := heap()
	for i := range 3 {
		calls(t, tracker, fmt.Sprint("s", i), mcpproxy.Internal, sentences(uint64(i), size), "ok", 0)
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("three calls of %d KB left %d KB", size>>10, grown>>10)
	}
	runtime.KeepAlive(sessions)
}
