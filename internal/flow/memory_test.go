package flow

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/text"
)

// manySessions implements Sessions. Its sessions never expire.
type manySessions map[string]*Session

func (m manySessions) Get(key string) *Session {
	if m[key] == nil {
		m[key] = NewSession()
	}
	return m[key]
}

func (m manySessions) Peek(key string) (*Session, bool)        { s, ok := m[key]; return s, ok }
func (m manySessions) Put(key string, s *Session, _ time.Time) { m[key] = s }
func (m manySessions) End(key string) bool                     { delete(m, key); return true }
func (m manySessions) All() map[string]*Session                { return m }

// reads records a result of 100 words, and of a secret unless it is "".
func reads(t *testing.T, tracker *Tracker, session string, n int, secret string) {
	t.Helper()
	var words strings.Builder
	for i := range 100 {
		words.WriteString(wordOf(session, n, i) + " ")
	}
	doc, err := text.Parse(text.Quote(words.String()+secret), "response")
	if err != nil {
		t.Fatal(err)
	}
	p := Transfer{
		Call:  &mcpproxy.Call{Server: "s", FlowSession: session, Principal: session},
		Class: mcpproxy.Class{Side: mcpproxy.Internal},
		Doc:   doc,
	}
	if secret != "" {
		p.Secrets = []Secret{{Value: secret, Category: "api_token"}}
	}
	tracker.Record(p)
	tracker.close(tracker.open(session)) // indexes the result
}

// resultBytes is the approximate memory of one such result in a session.
const resultBytes = 32_000

// knows reports whether a session recognises a text.
func knows(t *testing.T, tracker *Tracker, session, sent string) bool {
	t.Helper()
	doc, err := text.Parse(text.Quote(sent), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	s := tracker.open(session)
	defer tracker.close(s)
	return len(s.contents.Find(match.NewQuery(doc, nil, tracker.limits.Load().options(Transfer{})), sent)) > 0
}

// word is one of the words of a result.
func word(session string, n int) string { return wordOf(session, n, 7) }

// wordOf returns a word that resembles no other word.
func wordOf(session string, n, i int) string {
	sum := sha256.Sum256(fmt.Append(nil, session, n, i))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

func secretOf(n int) string { return wordOf("secret", n, 0) }

// Shows: FR-026, edge 5.
func TestASessionEvictsSecretsLast(t *testing.T) {
	const secrets, plain = 5, 80
	for name, l := range map[string]Limits{
		"when it has too many origins":  {MaxOrigins: 12},
		"when it takes too much memory": {MaxOrigins: 10_000, SessionBytes: 12 * resultBytes},
	} {
		t.Run(name, func(t *testing.T) {
			l.Enabled = true
			l.MinLength = 20
			l.MaxBytes = 65536
			tracker := New(manySessions{}, l)
			for n := range secrets {
				reads(t, tracker, "s", n, secretOf(n))
			}
			for n := range plain {
				reads(t, tracker, "s", secrets+n, "")
			}
			for n := range secrets {
				if !knows(t, tracker, "s", secretOf(n)) {
					t.Errorf("secret %d is not found", n)
				}
			}
			if !knows(t, tracker, "s", word("s", secrets+plain-1)) || knows(t, tracker, "s", word("s", 10)) {
				t.Error("the newest result is not found, or an old one is still found")
			}
			s := tracker.sessions.Get("s")
			if len(s.origins) > l.MaxOrigins || s.evictable() > l.sessionBytes() {
				t.Errorf("%d origins in %d bytes", len(s.origins), s.bytes())
			}
			sum := s.Summary()
			if sum.Origins != secrets+plain || sum.Evicted != secrets+plain-len(s.origins) ||
				sum.EvictedBytes < plain/2*resultBytes {
				t.Errorf("summary: %+v", sum)
			}
		})
	}
}

// If all results of a session contain secrets, the session first evicts the text around the secrets, and then the
// oldest secrets.
func TestTheTextAroundSecretsIsEvictedBeforeThem(t *testing.T) {
	tracker := New(manySessions{}, Limits{
		Enabled:      true,
		MinLength:    20,
		MaxBytes:     65536,
		MaxOrigins:   10_000,
		SessionBytes: 20 * resultBytes,
	})
	for n := range 100 {
		reads(t, tracker, "s", n, secretOf(n))
	}
	kept := 0
	for n := range 100 {
		if knows(t, tracker, "s", secretOf(n)) {
			kept++
		}
	}
	if !knows(t, tracker, "s", secretOf(99)) || kept < 10 || kept == 100 {
		t.Errorf("%d secrets of 100 are left", kept)
	}
	if knows(t, tracker, "s", word("s", 95)) {
		t.Error("a text is found although secrets were evicted")
	}
}

func TestTheSessionsShareTheirMemory(t *testing.T) {
	const limit = 120 * resultBytes // with the passages
	tracker := New(manySessions{}, Limits{
		Enabled:    true,
		MinLength:  20,
		MaxBytes:   65536,
		MaxOrigins: 10_000,
		TotalBytes: limit,
	})
	for i := range 10 {
		session := fmt.Sprint("s", i)
		reads(t, tracker, session, 0, secretOf(i))
		for n := range 9 {
			reads(t, tracker, session, n+1, "")
		}
		// Memory is freed in the background.
		eventually.Within(10*time.Second, func() bool { return tracker.used.Load() <= limit })
		tracker.relieving.Lock() // waits for the goroutine that frees memory
		//lint:ignore SA2001 the lock waits until whoever frees memory is done
		tracker.relieving.Unlock()
		if used := tracker.used.Load(); used > limit {
			t.Errorf("after %d sessions %d bytes are used, want at most %d", i+1, used, limit)
		}
	}
	sum := int64(0)
	for _, s := range tracker.sessions.All() {
		sum += int64(s.bytes())
	}
	if used := tracker.used.Load(); used != sum {
		t.Errorf("%d bytes are counted, %d used", used, sum)
	}
	for i := range 10 {
		session := fmt.Sprint("s", i)
		if !knows(t, tracker, session, secretOf(i)) {
			t.Errorf("the secret of session %d is not found", i)
		}
		if known := knows(t, tracker, session, word(session, 9)); known && i < 4 || !known && i > 6 {
			t.Errorf("session %d finds its last result: %t", i, known)
		}
	}
}

// The sessions may exceed the bound with memory that cannot be freed. A call must not look at all of them again.
// Otherwise its cost would grow with their number.
func TestACallLooksAtOtherSessionsOnlyIfTheyMayFreeMemory(t *testing.T) {
	tracker := New(manySessions{}, Limits{
		Enabled:    true,
		MinLength:  20,
		MaxBytes:   65536,
		MaxOrigins: 10_000,
		TotalBytes: 2 * resultBytes,
	})
	for i := range 20 {
		reads(t, tracker, fmt.Sprint("s", i), 0, secretOf(i))
	}
	tracker.relieve()
	s := tracker.open("s0")
	over := tracker.charge(s)
	s.mu.Unlock()
	if used := tracker.used.Load(); used <= 2*resultBytes {
		t.Fatalf("the sessions keep %d bytes, which is within the bound", used)
	}
	if over {
		t.Error("a session that has not grown makes a call look at all of them")
	}
	reads(t, tracker, "s0", 1, "")
	if knows(t, tracker, "s0", word("s0", 1)) {
		t.Error("a text beyond the bound is still found")
	}
}

// Under any limit, texts are evicted, but secrets are not.
func TestOtherSessionsDoNotEvictASecret(t *testing.T) {
	tracker := New(manySessions{}, Limits{
		Enabled:    true,
		MinLength:  20,
		MaxBytes:   65536,
		MaxOrigins: 10_000,
		TotalBytes: 1,
	})
	for i := range 4 {
		session := fmt.Sprint("s", i)
		reads(t, tracker, session, 0, secretOf(i))
		reads(t, tracker, session, 1, "")
	}
	for i := range 4 {
		session := fmt.Sprint("s", i)
		if !knows(t, tracker, session, secretOf(i)) {
			t.Errorf("the secret of session %d is not found", i)
		}
		if knows(t, tracker, session, word(session, 1)) {
			t.Errorf("session %d still finds a text", i)
		}
		sum := tracker.sessions.Get(session).Summary()
		if sum.Origins != 2 || sum.Evicted != 1 || sum.EvictedBytes == 0 {
			t.Errorf("the summary of session %d does not count the eviction: %+v", i, sum)
		}
	}
}

func TestAnEndedSessionFreesItsMemory(t *testing.T) {
	tracker := New(manySessions{}, Limits{
		Enabled:    true,
		MinLength:  20,
		MaxBytes:   65536,
		MaxOrigins: 10_000,
	})
	reads(t, tracker, "a", 0, "")
	reads(t, tracker, "b", 0, "")
	tracker.Join("a", "b")
	s := tracker.sessions.Get("b")
	if used := tracker.used.Load(); used != int64(s.bytes()) {
		t.Errorf("after joining %d bytes are counted, %d used", used, s.bytes())
	}
	tracker.Ended("b", s)
	if used := tracker.used.Load(); used != 0 {
		t.Errorf("%d bytes are still counted", used)
	}
}
