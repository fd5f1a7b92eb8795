package flow

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/text"
)

// oneSession implements Sessions with one session.
type oneSession struct{ s *Session }

func (o oneSession) Get(string) *Session             { return o.s }
func (o oneSession) Peek(string) (*Session, bool)    { return nil, false }
func (o oneSession) All() map[string]*Session        { return map[string]*Session{"": o.s} }
func (o oneSession) Put(string, *Session, time.Time) {}
func (o oneSession) End(string) bool                 { return false }

// FR-026: a session stays within its limit for any results of servers.
func TestASessionIsBounded(t *testing.T) {
	const limit = 5
	for name, side := range map[string]mcpproxy.Side{
		"by results from inside":  mcpproxy.Internal,
		"by results from outside": mcpproxy.External,
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession()
			tracker := New(oneSession{s}, Limits{
				Enabled:    true,
				MaxOrigins: limit,
				MinLength:  20,
				MaxBytes:   65536,
			})
			for i := range 300 {
				doc, err := text.Parse(
					fmt.Appendf(nil, `{"a":"telling text number %06d, indeed","b":"another word%016d"}`, i, i*7919),
					"response",
				)
				if err != nil {
					t.Fatal(err)
				}
				tracker.Record(Transfer{Call: &mcpproxy.Call{Server: "s"}, Class: mcpproxy.Class{Side: side}, Doc: doc})
			}
			tracker.close(tracker.open(""))
			if len(s.origins) > limit || s.contents.Bytes() > 1200*limit+80<<10 {
				t.Errorf("%d origins in %d bytes", len(s.origins), s.contents.Bytes())
			}
		})
	}
}

// This test measures the heap, so it includes everything that a session stores.
func TestEvictedResultsDoNotGrowASession(t *testing.T) {
	const enough = 1000 << 10 // bytes for five origins of 300 words
	s := NewSession()
	tracker := New(oneSession{s}, Limits{
		Enabled:    true,
		MaxOrigins: 5,
		MinLength:  20,
		MaxBytes:   65536,
	})
	intent.Mentions("the word lists are read once")
	before := heap()
	for i := range 60 {
		var words strings.Builder
		for j := range 300 {
			fmt.Fprintf(&words, "word-%d-of-public-text-%d ", j, i)
		}
		doc, err := text.Parse(text.Quote(words.String()), "response")
		if err != nil {
			t.Fatal(err)
		}
		tracker.Record(
			Transfer{Call: &mcpproxy.Call{Server: "s"}, Class: mcpproxy.Class{Side: mcpproxy.Internal}, Doc: doc},
		)
	}
	tracker.close(tracker.open(""))
	if grown := heap() - before; grown > enough {
		t.Errorf("60 results, of which 55 were evicted, take %d KB", grown>>10)
	}
	runtime.KeepAlive(s)
}

// heap returns the number of bytes in use after a collection, without the contents of pools.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
