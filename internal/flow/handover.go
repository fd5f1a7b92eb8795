package flow

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"mcpproxy"
)

// Versions returns the version of each session of a principal, by session key. Every change of a session increases its
// version. The result includes the principal's own bucket, which spans all its sessions. It excludes the sessions of
// hooks.
func (t *Tracker) Versions(principal string) map[string]uint64 {
	out := map[string]uint64{}
	for key, s := range t.sessions.All() {
		if !belongs(key, principal) {
			continue
		}
		s.mu.Lock() // the version also counts results that are not indexed yet
		if !s.ended && s.joined == nil {
			out[key] = s.version
		}
		s.mu.Unlock()
	}
	return out
}

// belongs reports whether key is the key of a session of the principal. The name of a principal contains
// no colon.
func belongs(key, principal string) bool {
	return key == principalKey(principal) || strings.HasPrefix(key, SessionPrefix+principal+":")
}

// SessionPrefix is the prefix of the keys of MCP sessions. The principal and a colon follow it.
const SessionPrefix = "mcp:"

// SaveSession writes one session of a principal to w, in a form that [Tracker.Take] reads. The output omits the same
// state as a snapshot, and needs the same protection. The returned version may be older than the written state, but
// never newer.
func (t *Tracker) SaveSession(w io.Writer, principal, key string) (version uint64, err error) {
	s, ok := t.sessions.Peek(key)
	if !ok || !belongs(key, principal) {
		return 0, fmt.Errorf("the principal %s has no session %s", principal, key)
	}
	s.lock()
	version = s.version
	s.mu.Unlock()
	taken := Taken{Version: snapshotVersion, Time: time.Now().UTC()}
	if err := writeJSON(w, frameSnapshot, taken); err != nil {
		return 0, err
	}
	mine := t.owners.save(func(o owner) bool { return o.of == principal })
	if err := writeJSON(w, frameOwners, mine); err != nil {
		return 0, err
	}
	return version, saveSessions(w, map[string]*Session{key: s}, true)
}

// Take replaces the sessions of a principal by the sessions in saved. These are the outputs of another tracker's
// [Tracker.SaveSession], by session key. If Take fails, the tracker has the sessions that it read before the error.
func (t *Tracker) Take(principal string, saved map[string][]byte) error {
	for key := range t.Versions(principal) {
		t.discard(key)
	}
	for key, body := range saved {
		if !belongs(key, principal) {
			return fmt.Errorf("the session %s does not belong to the principal %s", key, principal)
		}
		loaded, err := t.Load(bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("taking over the session %s: %w", key, err)
		}
		if len(loaded.Lost) > 0 {
			return fmt.Errorf("the session %s was saved in a format that this version cannot read", key)
		}
		s, ok := t.sessions.Peek(key)
		if !ok {
			return fmt.Errorf("the session %s was saved under another key", key)
		}
		if s.legsNow().Private != nil {
			t.kin.note(principal, key)
		}
	}
	return nil
}

// discard removes a session that continues in another tracker. It does not report the end of the session.
func (t *Tracker) discard(key string) {
	s, ok := t.sessions.Peek(key)
	if !ok {
		return
	}
	s.lock()
	s.moved = true
	s.mu.Unlock()
	t.sessions.End(key)
}

// legsNow returns the legs of a session, under its lock.
func (s *Session) legsNow() mcpproxy.Legs {
	s.lock()
	defer s.mu.Unlock()
	return s.legs
}

// Dismiss removes the sessions of a principal, because they continue in another tracker.
func (t *Tracker) Dismiss(principal string) {
	for key := range t.Versions(principal) {
		t.discard(key)
	}
}
