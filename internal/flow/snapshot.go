package flow

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"mcpproxy"
)

// A snapshot is a row of frames: a name and its bytes, each with its length
// before it. A frame "session" begins a session; those that follow belong to it.
// Frames of unknown names are skipped. The frame "end" is the last.
const (
	frameLinks     = "links"     // JSON: pairs of keys
	frameSession   = "session"   // JSON: savedSession
	frameContents  = "contents"  // what contents.Save wrote
	frameDirectory = "directory" // JSON: savedDirectory
	frameEnd       = "end"
)

// savedSession is a session without its contents.
type savedSession struct {
	Key          string                     `json:"key"`
	Started      time.Time                  `json:"started"`
	Last         time.Time                  `json:"last"`
	Next         int                        `json:"next"`
	Evicted      int                        `json:"evicted"`
	Freed        int                        `json:"freed"`
	Total        int                        `json:"total"`
	Origins      map[int]*mcpproxy.Origin   `json:"origins"`
	Moves        []Move                     `json:"moves"`
	ByType       map[mcpproxy.FlowType]int  `json:"by_type"`
	ByRisk       map[mcpproxy.RiskLevel]int `json:"by_risk"`
	Destinations []mcpproxy.Destination     `json:"destinations"`
	Tools        []string                   `json:"tools"`
	Linked       []string                   `json:"linked"`
	Legs         mcpproxy.Legs              `json:"legs"`
}

// Changes counts what was done to sessions: while it stays the same, so does
// what Save writes.
func (t *Tracker) Changes() uint64 { return t.changes.Load() }

// Save writes all sessions. What it writes holds hashes of everything that was
// followed, by which texts can be guessed: keep it where nobody else reads.
func (t *Tracker) Save(w io.Writer) error {
	if err := writeJSON(w, frameLinks, t.links.all()); err != nil {
		return err
	}
	var contents []byte
	for key, s := range t.sessions.All() {
		contents = roomFor(s, contents)
		s.lock()
		saved, skip := s.saved(key), s.ended || s.joined != nil
		directory := s.directory.save()
		contents = s.contents.Save(contents)
		s.mu.Unlock() // calls wait for no more than this
		if skip {
			continue
		}
		if err := errors.Join(writeJSON(w, frameSession, saved), writeFrame(w, frameContents, contents),
			writeJSON(w, frameDirectory, directory)); err != nil {
			return fmt.Errorf("saving the session %s: %w", key, err)
		}
	}
	return writeFrame(w, frameEnd, nil)
}

// roomFor is b without what is in it, and with room for the contents of s. To find it
// takes longer than to fill it, and calls need not wait for that.
func roomFor(s *Session, b []byte) []byte {
	s.lock()
	size := s.contents.Bytes()
	s.mu.Unlock()
	if cap(b) < size {
		b = make([]byte, size)
	}
	const page = 4 << 10 // of memory, at least
	for i := 0; i < size; i += page {
		b[:size][i] = 0 // it comes to be when it is written
	}
	return b[:0]
}

// saved is a copy of everything that can still change.
func (s *Session) saved(key string) savedSession {
	out := savedSession{Key: key, Started: s.started, Last: s.last, Next: s.next, Evicted: s.evicted, Freed: s.freed, Total: s.total,
		Origins: maps.Clone(s.origins), Moves: slices.Clone(s.moves), ByType: maps.Clone(s.byType), ByRisk: maps.Clone(s.byRisk), Tools: sortedKeys(s.tools), Linked: sortedKeys(s.linked), Legs: s.legs}
	for _, d := range s.destinations {
		out.Destinations = append(out.Destinations, *d)
	}
	return out
}

// Load reads what Save wrote and puts the sessions where new ones would come to
// be. When it fails nothing has changed.
func (t *Tracker) Load(r io.Reader) error {
	in := bufio.NewReader(r)
	var pairs [][2]string
	var keys []string
	var sessions []*Session
	for {
		name, body, err := readFrame(in)
		switch {
		case err != nil:
		case name == frameLinks:
			err = json.Unmarshal(body, &pairs)
		case name == frameSession:
			var saved savedSession
			if err = json.Unmarshal(body, &saved); err == nil {
				keys, sessions = append(keys, saved.Key), append(sessions, saved.session())
			}
		case name == frameContents && len(sessions) > 0:
			err = sessions[len(sessions)-1].load(body)
		case name == frameDirectory && len(sessions) > 0:
			err = sessions[len(sessions)-1].directory.load(body)
		case name == frameEnd:
			if _, err = in.ReadByte(); errors.Is(err, io.EOF) {
				t.restore(pairs, keys, sessions)
				return nil
			}
			err = errors.Join(err, errors.New("there is more after the end"))
		}
		if err != nil {
			return fmt.Errorf("reading the sessions: %w", err)
		}
	}
}

func (t *Tracker) restore(pairs [][2]string, keys []string, sessions []*Session) {
	for _, p := range pairs {
		if from, to := t.Session(p[0]), t.Session(p[1]); from != to {
			t.links.add(from, to)
		}
	}
	for i, s := range sessions {
		t.charge(s)
		t.sessions.Put(keys[i], s, s.last)
	}
}

func (v savedSession) session() *Session {
	s := NewSession()
	s.started, s.last, s.next, s.evicted, s.freed, s.total = v.Started, v.Last, v.Next, v.Evicted, v.Freed, v.Total
	s.moves, s.legs = v.Moves, v.Legs
	s.trim()
	for n, o := range v.Origins {
		if n < 0 || n >= s.next || n > maxNumber || o == nil {
			continue
		}
		s.origins[n] = o
		if len(o.Sensitive) > 0 {
			s.sensitive = append(s.sensitive, n)
		} else {
			s.plain = append(s.plain, n)
		}
	}
	slices.Sort(s.plain)
	slices.Sort(s.sensitive)
	maps.Copy(s.byType, v.ByType)
	maps.Copy(s.byRisk, v.ByRisk)
	for _, d := range v.Destinations {
		s.meet(d)
	}
	for _, t := range v.Tools {
		s.tools[t] = true
	}
	for _, l := range v.Linked {
		s.linked[l] = true
	}
	return s
}

// load reads the contents. What they know of origins that are not there is of no
// use and does no harm.
func (s *Session) load(body []byte) error { return s.contents.Load(bytes.NewReader(body)) }
