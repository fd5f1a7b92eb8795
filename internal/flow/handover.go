package flow

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"mcpproxy"
)

// Versions returns the sessions of a principal by key, with a number that grows with every change of
// the session. The bucket that follows the principal across its sessions is one of them; sessions of
// hooks are not.
func (t *Tracker) Versions(principal string) map[string]uint64 {
	out := map[string]uint64{}
	for key, s := range t.sessions.All() {
		if !belongs(key, principal) {
			continue
		}
		s.mu.Lock() // the version counts results that wait to be indexed, too
		if !s.ended && s.joined == nil {
			out[key] = s.version
		}
		s.mu.Unlock()
	}
	return out
}

// belongs reports whether the session under key is one of the principal's. No principal has a colon in
// its name.
func belongs(key, principal string) bool {
	return key == principalKey(principal) || strings.HasPrefix(key, SessionPrefix+principal+":")
}

// SessionPrefix begins the keys of sessions that speak MCP; the principal and a colon follow.
const SessionPrefix = "mcp:"

// SaveSession writes one session of a principal, for [Tracker.Take]. What it writes lacks what a
// snapshot lacks, and is to be kept as a snapshot is. It returns the version of what it wrote, or of an
// older state.
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
	return version, saveSessions(w, map[string]*Session{key: s})
}

// Take takes over the sessions of a principal that [Tracker.SaveSession] wrote elsewhere, each under its
// key. Sessions of the principal that are here already are replaced; those that are not among the saved
// ones end. When it fails, those that could be read are here.
func (t *Tracker) Take(principal string, saved map[string][]byte) error {
	for key := range t.Versions(principal) {
		t.discard(key)
	}
	for key, body := range saved {
		if !belongs(key, principal) {
			return fmt.Errorf("the session %s is not one of the principal %s", key, principal)
		}
		loaded, err := t.Load(bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("taking over the session %s: %w", key, err)
		}
		if len(loaded.Lost) > 0 {
			return fmt.Errorf("the session %s was saved in a form that this version cannot read", key)
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

// discard removes a session that goes on elsewhere. Nobody needs to hear of its end.
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

// legsNow returns the legs of a session.
func (s *Session) legsNow() mcpproxy.Legs {
	s.lock()
	defer s.mu.Unlock()
	return s.legs
}

// Dismiss removes the sessions of a principal, which go on elsewhere.
func (t *Tracker) Dismiss(principal string) {
	for key := range t.Versions(principal) {
		t.discard(key)
	}
}
