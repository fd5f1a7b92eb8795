package valkey_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/state/valkey"
	"mcpproxy/internal/state/valkey/valkeytest"
)

const key = "a key of the group, of no value at all"

// replica returns a store that has sent a heartbeat.
func replica(t *testing.T, s *valkeytest.Server, address string) *valkey.Store {
	t.Helper()
	store, err := valkey.New(valkey.Options{
		URL:     s.URL(),
		Key:     key,
		Address: address,
		Idle:    time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	beat(t, store)
	return store
}

func beat(t *testing.T, s *valkey.Store) (wiped bool) {
	t.Helper()
	eventually.TrueWithin(t, 10*time.Second, "a beat", func() bool {
		_, lost, err := s.Beat(t.Context())
		wiped = wiped || lost
		return err == nil
	})
	return wiped
}

// claim sends a heartbeat and claims a principal. It waits until the time in which the owner is unknown is over.
func claim(t *testing.T, s *valkey.Store, principal string, held uint64) (c valkey.Claim) {
	t.Helper()
	eventually.TrueWithin(t, 10*time.Second, "a claim", func() bool {
		beat(t, s)
		var err error
		if c, err = s.Claim(t.Context(), principal, held); err != nil {
			t.Fatal(err)
		}
		return c.Standing != valkey.Grace
	})
	return c
}

func commit(t *testing.T, s *valkey.Store, principal string, epoch uint64, session, content string) error {
	t.Helper()
	_, err := s.Commit(t.Context(), principal, epoch, nil, valkey.Changes{Saved: map[string][]byte{session: []byte(content)}})
	return err
}

func TestAPrincipalHasOneOwnerUntilThatIsGone(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
	first := claim(t, a, "ci", 0)
	if first.Standing != valkey.Fresh || first.Epoch == 0 || !first.Lost.IsZero() {
		t.Fatalf("the first claim gave %+v", first)
	}
	if c := claim(t, a, "ci", first.Epoch); c.Standing != valkey.Mine || c.Epoch != first.Epoch {
		t.Errorf("the owner's second claim gave %+v", c)
	}
	if c := claim(t, b, "ci", 0); c.Standing != valkey.Other || c.Address != "http://a" {
		t.Errorf("another replica's claim gave %+v", c)
	}
	if err := commit(t, a, "ci", first.Epoch, "mcp:ci:1", "read"); err != nil {
		t.Fatal(err)
	}
	if err := commit(t, b, "ci", first.Epoch, "mcp:ci:1", "forged"); !errors.Is(err, valkey.ErrNotOwner) {
		t.Errorf("a commit of another replica gave %v", err)
	}
	a.Close()
	next := claim(t, b, "ci", 0)
	if next.Standing != valkey.Fresh || next.Epoch <= first.Epoch {
		t.Errorf("the claim after the owner's end gave %+v", next)
	}
	got, err := b.Load(t.Context(), "ci")
	if err != nil || len(got) != 1 || string(got["mcp:ci:1"]) != "read" {
		t.Errorf("loaded %q, %v", got, err)
	}
	if _, err := b.Commit(t.Context(), "ci", next.Epoch, nil, valkey.Changes{Ended: []string{"mcp:ci:1"}}); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Load(t.Context(), "ci"); err != nil || len(got) != 0 {
		t.Errorf("after its end, the session is %q, %v", got, err)
	}
}

func TestAnOwnerThatWasFrozenCannotCommit(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
	old := claim(t, a, "ci", 0)
	var next valkey.Claim
	eventually.TrueWithin(t, 3*valkey.Life, "the silent owner is replaced", func() bool {
		beat(t, b)
		next = claim(t, b, "ci", 0)
		return next.Standing == valkey.Fresh
	})
	if err := commit(t, a, "ci", old.Epoch, "mcp:ci:1", "late"); !errors.Is(err, valkey.ErrNotOwner) {
		t.Errorf("the old owner's commit gave %v", err)
	}
	if c, err := a.Claim(t.Context(), "ci", old.Epoch); err != nil || c.Standing != valkey.Late {
		t.Errorf("a claim without a beat gave %+v, %v", c, err)
	}
	beat(t, a)
	if c := claim(t, a, "ci", old.Epoch); c.Standing != valkey.Other || c.Address != "http://b" {
		t.Errorf("the old owner's claim gave %+v", c)
	}
}

func TestOneOfManyClaimsAtOnceWins(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	stores := []*valkey.Store{replica(t, server, "http://a"), replica(t, server, "http://b"), replica(t, server, "http://c")}
	claim(t, stores[0], "first", 0) // the server is new: its grace is over then
	got := make([]valkey.Claim, len(stores))
	for round := range 50 {
		principal := fmt.Sprint("p", round)
		var wg sync.WaitGroup
		for i, s := range stores {
			wg.Go(func() {
				got[i] = claim(t, s, principal, 0)
			})
		}
		wg.Wait()
		owners := 0
		for _, c := range got {
			if c.Standing == valkey.Fresh {
				owners++
			}
		}
		if owners != 1 {
			t.Fatalf("%d replicas own one principal: %+v", owners, got)
		}
	}
}

func TestAServerThatForgotEverythingWaitsForTheOwners(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
	held := claim(t, a, "ci", 0)
	server.Stop()
	if _, err := a.Claim(t.Context(), "ci", held.Epoch); err == nil {
		t.Error("a claim without a server succeeded")
	}
	server.Start()
	if !beat(t, b) {
		t.Error("the replica did not notice that everything was forgotten")
	}
	if c, err := b.Claim(t.Context(), "ci", 0); err != nil || c.Standing != valkey.Grace {
		t.Errorf("the claim of a principal that another replica may own gave %+v, %v", c, err)
	}
	eventually.TrueWithin(t, 5*time.Second, "the owner's claim before its beat", func() bool {
		c, err := a.Claim(t.Context(), "ci", held.Epoch)
		return err == nil && c.Standing == valkey.Wiped // the first attempt finds that the connection is broken
	})
	if !beat(t, a) {
		t.Error("the owner did not notice that everything was forgotten")
	}
	c, err := a.Claim(t.Context(), "ci", held.Epoch)
	if err != nil || c.Standing != valkey.Kept || c.Epoch <= held.Epoch {
		t.Errorf("the owner's claim gave %+v, %v", c, err)
	}
	if c := claim(t, b, "ci", 0); c.Standing != valkey.Other {
		t.Errorf("the claim of another replica gave %+v", c)
	}
	if c := claim(t, b, "unknown", 0); c.Standing != valkey.Fresh || time.Until(c.Lost) <= 0 {
		t.Errorf("a principal that nobody came back with is claimed as whole: %+v", c)
	}
}

func TestADurableServerKnowsTheOwnersAfterARestart(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, true)
	a := replica(t, server, "http://a")
	held := claim(t, a, "ci", 0)
	if err := commit(t, a, "ci", held.Epoch, "mcp:ci:1", "read"); err != nil {
		t.Fatal(err)
	}
	size := len(server.Kept(t))
	for range 3 {
		if c, err := a.Claim(t.Context(), "ci", held.Epoch); err != nil || c.Standing != valkey.Mine {
			t.Errorf("the owner's claim gave %+v, %v", c, err)
		}
	}
	if more := len(server.Kept(t)) - size; more != 0 {
		t.Errorf("three claims of the owner make the server write %d bytes to its disk, and wait for it", more)
	}
	server.Stop()
	server.Start()
	if beat(t, a) {
		t.Error("a durable server counts as one that forgot everything")
	}
	if c := claim(t, a, "ci", held.Epoch); c.Standing != valkey.Mine {
		t.Errorf("the owner's claim gave %+v", c)
	}
}

func TestTheServerLearnsNoNameAndNoContent(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, true)
	a := replica(t, server, "http://replica-a.example")
	held := claim(t, a, "somebody", 0)
	if err := commit(t, a, "somebody", held.Epoch, "mcp:somebody:session-1", "what was read"); err != nil {
		t.Fatal(err)
	}
	kept := server.Kept(t)
	if !bytes.Contains(kept, []byte("mcpproxy:")) {
		t.Fatal("the server keeps nothing")
	}
	for _, secret := range []string{"somebody", "session-1", "what was read", "replica-a", key} {
		if bytes.Contains(kept, []byte(secret)) {
			t.Errorf("the server keeps %q in clear", secret)
		}
	}
	other, err := valkey.New(valkey.Options{URL: server.URL(), Key: strings.Repeat("another key ", 4), Idle: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	beat(t, other)
	if got, err := other.Load(t.Context(), "somebody"); err != nil || len(got) != 0 {
		t.Errorf("a replica with another key loaded %q, %v", got, err)
	}
}

func TestTheKillSwitchIsOneForAll(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
	if now, _, err := b.Beat(t.Context()); err != nil || now.Kill.Turn != 0 || now.Kill.On {
		t.Fatalf("a new server has the switch %+v, %v", now.Kill, err)
	}
	on, err := a.SetKill(t.Context(), true, "the owner")
	if err != nil || !on.On || on.Turn == 0 {
		t.Fatalf("turned it on: %+v, %v", on, err)
	}
	if c := claim(t, b, "ci", 0); c.Kill != on {
		t.Errorf("the next claim elsewhere tells %+v, want %+v", c.Kill, on)
	}
	off, err := b.SetKill(t.Context(), false, "somebody else")
	if err != nil || off.On || off.Turn <= on.Turn {
		t.Fatalf("turned it off: %+v, %v", off, err)
	}
	if now, _, err := a.Beat(t.Context()); err != nil || now.Kill != off {
		t.Errorf("the next beat tells %+v, %v", now.Kill, err)
	}
}

func TestAPrincipalServedWithoutTheServerIsMarked(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a, b := replica(t, server, "http://a"), replica(t, server, "http://b")
	held := claim(t, a, "ci", 0)
	if err := b.Lose(t.Context(), "ci"); err != nil {
		t.Fatal(err)
	}
	if c := claim(t, a, "ci", held.Epoch); c.Standing != valkey.Mine || time.Until(c.Lost) <= 0 {
		t.Errorf("the owner's claim gave %+v", c)
	}
}

func TestWhatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]valkey.Options{
		"another scheme":           {URL: "https://127.0.0.1", Key: key},
		"a database with no digit": {URL: "valkey://127.0.0.1/x", Key: key},
		"a short key":              {URL: "valkey://127.0.0.1", Key: "short"},
	} {
		if _, err := valkey.New(bad); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	_, err := valkey.New(valkey.Options{URL: "valkey://user:hunter2@127.0.0.1/x", Key: key})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error is %v", err)
	}
}

func TestAnswersCutByACancelledCallAreErrors(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a := replica(t, server, "http://a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Claim(ctx, "ci", 0); err == nil {
		t.Error("a claim that was cancelled succeeded")
	}
}

// sessions commits the sessions of a principal one after the other.
type sessions struct {
	t       *testing.T
	store   *valkey.Store
	epoch   uint64
	written *valkey.Written
}

func (s *sessions) commit(saved map[string]string, ended ...string) error {
	changes := valkey.Changes{Saved: map[string][]byte{}, Ended: ended}
	for session, content := range saved {
		changes.Saved[session] = []byte(content)
	}
	next, err := s.store.Commit(s.t.Context(), "ci", s.epoch, s.written, changes)
	if err == nil {
		s.written = next
	}
	return err
}

// has checks the sessions on the server.
func (s *sessions) has(want map[string]string) {
	s.t.Helper()
	got, err := s.store.Load(s.t.Context(), "ci")
	if err != nil {
		s.t.Fatal(err)
	}
	if len(got) != len(want) {
		s.t.Errorf("the server has %d sessions, want %d", len(got), len(want))
	}
	for session, content := range want {
		if string(got[session]) != content {
			s.t.Errorf("%s has %d bytes, which are not the %d that were written", session, len(got[session]), len(content))
		}
	}
}

// numbered returns a text of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a long session, %x\n", i, i*i*7919)
	}
	return b.String()
}

func TestACommitSendsWhatHasChanged(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a := replica(t, server, "http://a")
	s := &sessions{t: t, store: a, epoch: claim(t, a, "ci", 1).Epoch} // 1: as if the replica had owned the principal before
	long := numbered(3000)
	sent := func(saved map[string]string, ended ...string) int {
		t.Helper()
		before := server.Received(t)
		if err := s.commit(saved, ended...); err != nil {
			t.Fatal(err)
		}
		return server.Received(t) - before
	}
	if n := sent(map[string]string{"one": long}); n < len(long)/10 {
		t.Fatalf("a session of %d bytes is written with %d", len(long), n)
	}
	longer := strings.Replace(long, "line 1500 ", "another line ", 1) + "and one more\n"
	if n := sent(map[string]string{"one": longer}); n > len(long)/10 {
		t.Errorf("two changed lines of %d bytes are written with %d", len(long), n)
	}
	if n := sent(map[string]string{"two": longer + "a bucket has the same"}); n > len(long)/10 {
		t.Errorf("a session of the same content is written with %d bytes", n)
	}
	s.has(map[string]string{"one": longer, "two": longer + "a bucket has the same"})
	sent(map[string]string{"two": long, "three": "", "four": "short"})
	s.has(map[string]string{"one": longer, "two": long, "three": "", "four": "short"})
	sent(nil, "one", "three")
	s.has(map[string]string{"two": long, "four": "short"})
	sent(map[string]string{"two": long}, "four")
	s.has(map[string]string{"two": long})
	sent(nil, "two")
	s.has(nil)
}

func TestChangesOfWhatTheServerHasLostAreRefused(t *testing.T) {
	t.Parallel()
	server := valkeytest.Start(t, false)
	a := replica(t, server, "http://a")
	s := &sessions{t: t, store: a, epoch: claim(t, a, "ci", 1).Epoch} // 1: as if the replica had owned the principal before
	if err := s.commit(map[string]string{"one": numbered(100)}); err != nil {
		t.Fatal(err)
	}
	first := s.written
	if err := s.commit(map[string]string{"one": numbered(200)}); err != nil {
		t.Fatal(err)
	}
	s.written = first // as if the server had lost a commit, or had a commit whose confirmation was lost
	if err := s.commit(map[string]string{"one": numbered(300)}); !errors.Is(err, valkey.ErrStale) {
		t.Errorf("a change of another revision than the server's gave %v", err)
	}
	s.has(map[string]string{"one": numbered(200)})
	s.written = nil
	if err := s.commit(map[string]string{"two": numbered(300)}); err != nil {
		t.Fatal(err)
	}
	s.has(map[string]string{"two": numbered(300)})
}
