package flow

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// oneSession is a Sessions that has one.
type oneSession struct{ s *Session }

func (o oneSession) Get(string) *Session          { return o.s }
func (o oneSession) Peek(string) (*Session, bool) { return nil, false }
func (o oneSession) All() map[string]*Session     { return map[string]*Session{"": o.s} }

// FR-026: whatever servers answer, a session holds no more than its limit.
func TestASessionIsBounded(t *testing.T) {
	const limit = 5
	for name, side := range map[string]mcpproxy.Side{
		"by results from inside":  mcpproxy.Internal,
		"by results from outside": mcpproxy.External,
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession()
			tracker := New(oneSession{s}, Limits{Enabled: true, MaxOrigins: limit, MinLength: 20, MaxBytes: 65536})
			perOrigin := 0
			for i := range 300 {
				doc, err := text.Parse(fmt.Appendf(nil, `{"a":"telling text number %06d, indeed","b":"another word%016d"}`, i, i*7919), "response")
				if err != nil {
					t.Fatal(err)
				}
				tracker.Record(Passage{Call: &mcpproxy.Call{Server: "s"}, Class: mcpproxy.Class{Side: side}, Doc: doc})
				perOrigin = max(perOrigin, len(prints(doc, 20, 65536)))
			}
			for what, n := range map[string]int{"origins": len(s.origins), "hash lists": len(s.hashes)} {
				if n > limit {
					t.Errorf("%d %s, limit %d", n, what, limit)
				}
			}
			for what, n := range map[string]int{"hashes": len(s.seen), "notes": s.noted} {
				if n > limit*perOrigin {
					t.Errorf("%d %s for %d origins of at most %d hashes", n, what, limit, perOrigin)
				}
			}
			noted := 0
			for _, hashes := range s.hashes {
				noted += len(hashes)
			}
			if noted != s.noted {
				t.Errorf("the sum of notes is %d, counted %d", noted, s.noted)
			}
		})
	}
}

// The same seen from outside, for whatever else a session may keep.
func TestASessionDoesNotGrowWithWhatItForgot(t *testing.T) {
	const enough = 700 << 10 // bytes for five origins of 300 words
	s := NewSession()
	tracker := New(oneSession{s}, Limits{Enabled: true, MaxOrigins: 5, MinLength: 20, MaxBytes: 65536})
	before := heap()
	for i := range 200 {
		var words strings.Builder
		for j := range 300 {
			fmt.Fprintf(&words, "word-%d-of-public-text-%d ", j, i)
		}
		doc, err := text.Parse(text.Quote(words.String()), "response")
		if err != nil {
			t.Fatal(err)
		}
		tracker.Record(Passage{Call: &mcpproxy.Call{Server: "s"}, Class: mcpproxy.Class{Side: mcpproxy.External}, Doc: doc})
	}
	if grown := heap() - before; grown > enough {
		t.Errorf("200 results, all but five forgotten, left %d KB", grown>>10)
	}
	runtime.KeepAlive(s)
}

// heap is the number of bytes in use after collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What all origins share is kept for those that are left alone.
func TestEvictionLeavesNoTrace(t *testing.T) {
	s := NewSession()
	for i := range 100 {
		n := s.add(&mcpproxy.Origin{Time: time.Now()}, 1)
		s.note(hashOf(fmt.Sprint(i)), n, "")
		s.note(hashOf("shared by all"), n, "api_token")
	}
	if len(s.seen) != 2 || len(s.seen[hashOf("shared by all")]) != 1 {
		t.Errorf("%d hashes are left of one origin with two", len(s.seen))
	}
}
