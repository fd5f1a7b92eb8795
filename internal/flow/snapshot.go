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
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/intent"
)

// A snapshot is a sequence of frames. A frame has a name and a body, each preceded by its length. The first frame is
// "snapshot". A frame "session" begins a session; the frames after it belong to it. Frames with unknown names are
// skipped. The last frame is "end".
//
// Builds before version 1 did not write the frame "snapshot"; otherwise the format was the same.
const (
	frameSnapshot  = "snapshot"  // JSON: Taken
	frameLinks     = "links"     // JSON: pairs of keys
	frameOwners    = "owners"    // JSON: an array of savedOwner
	frameSession   = "session"   // JSON: savedSession
	frameContents  = "contents"  // written by contents.Save
	frameDirectory = "directory" // JSON: savedDirectory
	frameAttached  = "attached"  // JSON: savedAttached
	frameEnd       = "end"
)

// snapshotVersion is the version that Save writes. It increases if the meaning of a frame changes. The contents of a
// session have a separate version.
const snapshotVersion = 1

// Taken describes a snapshot and when it was taken.
type Taken struct {
	Version int       `json:"version"` // 0 in snapshots of builds that wrote no version
	Time    time.Time `json:"time"`
	Record  string    `json:"record"` // id of the activity log's last record when Save began
}

// Loaded holds the sessions that could be loaded from a snapshot.
type Loaded struct {
	Taken
	// Lost are the keys of the sessions whose results could not be read, because another version of the program wrote
	// them in another form. The caller marks these sessions with [Tracker.Lose].
	Lost []string
}

// savedSession is a session without its contents.
type savedSession struct {
	Key          string                     `json:"key"`
	Started      time.Time                  `json:"started"`
	Last         time.Time                  `json:"last"`
	Next         int                        `json:"next"`
	Evicted      int                        `json:"evicted"`
	Freed        int                        `json:"freed"`
	Total        int                        `json:"total"`
	Origins      map[int]*mcpproxy.Origin   `json:"origins,omitempty"`
	Moves        []Move                     `json:"moves,omitempty"`
	ByType       map[mcpproxy.FlowType]int  `json:"by_type"`
	ByRisk       map[mcpproxy.RiskLevel]int `json:"by_risk"`
	Destinations []mcpproxy.Destination     `json:"destinations"`
	Tools        []string                   `json:"tools"`
	Linked       []string                   `json:"linked"`
	Legs         mcpproxy.Legs              `json:"legs"`
	Loss         *Loss                      `json:"loss,omitempty"`
	Request      intent.Request             `json:"request,omitzero"`
	Told         map[string]float64         `json:"told,omitempty"` // bits by site, see carriers
	Agent        *mcpproxy.SessionAgent     `json:"agent,omitempty"`
}

// Changes counts the changes of sessions. While it stays the same, Save writes the same state.
func (t *Tracker) Changes() uint64 { return t.changes.Load() }

// Save writes all sessions. The output contains hashes of all tracked data, from which a reader can guess texts, so
// only the owner may be able to read it. record is the id of the last record in the activity log. Results that were
// recorded later may be missing.
func (t *Tracker) Save(w io.Writer, record string) error {
	taken := Taken{Version: snapshotVersion, Time: time.Now().UTC(), Record: record}
	if err := writeJSON(w, frameSnapshot, taken); err != nil {
		return err
	}
	if err := writeJSON(w, frameLinks, t.links.all()); err != nil {
		return err
	}
	if err := writeJSON(w, frameOwners, t.owners.save(func(owner) bool { return true })); err != nil {
		return err
	}
	return saveSessions(w, t.sessions.All(), false)
}

// saveSessions writes the sessions and the last frame of a snapshot. If again is set, it keeps what it has encoded,
// because the sessions will soon be written again.
func saveSessions(w io.Writer, all map[string]*Session, again bool) error {
	room := rooms.Get().(*[]byte)
	contents := *room
	defer func() {
		if cap(contents) <= mostRoom {
			*room = contents[:0]
		}
		rooms.Put(room)
	}()
	for key, s := range all {
		contents = roomFor(s, contents)
		s.lock()
		saved, skip := s.saved(key), s.ended || s.joined != nil
		origins, moves, err := s.history(&saved, again)
		directory, attached := s.directory.save(), s.attached.saved(s)
		contents = s.contents.Save(contents)
		s.mu.Unlock() // from here on, calls no longer wait
		if skip {
			continue
		}
		if err := errors.Join(err, saved.write(w, origins, moves), writeFrame(w, frameContents, contents),
			writeJSON(w, frameDirectory, directory), writeJSON(w, frameAttached, attached)); err != nil {
			return fmt.Errorf("saving the session %s: %w", key, err)
		}
	}
	return writeFrame(w, frameEnd, nil)
}

// rooms has buffers for the contents of sessions, of at most mostRoom bytes: a gateway that shares its state writes
// sessions all the time.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

const mostRoom = 1 << 20

// history adds the origins and the moves to saved. If again is set, it returns them as JSON instead, and
// keeps that JSON for the next time.
func (s *Session) history(saved *savedSession, again bool) (origins, moves []byte, err error) {
	if again {
		return s.coded.encode(s)
	}
	saved.Origins = maps.Clone(s.origins)
	saved.Moves = slices.Clone(s.moves)
	return nil, nil, nil
}

// write writes the frame of a session. If origins is not nil, origins and moves are its history as JSON.
func (v savedSession) write(w io.Writer, origins, moves []byte) error {
	body, err := json.Marshal(v)
	if err != nil || origins == nil {
		return errors.Join(err, writeFrame(w, frameSession, body))
	}
	return writeFrame(w, frameSession,
		body[:len(body)-1], []byte(`,"origins":`), origins, []byte(`,"moves":`), moves, []byte("}"))
}

// roomFor returns b, empty, with enough capacity for the contents of s. It allocates before the session is locked for
// saving, because allocating takes longer than copying.
func roomFor(s *Session, b []byte) []byte {
	s.lock()
	size := s.contents.Bytes()
	s.mu.Unlock()
	if cap(b) >= size {
		return b[:0]
	}
	b = make([]byte, size)
	const page = 4 << 10 // minimum size of a page of memory
	for i := 0; i < size; i += page {
		b[i] = 0 // the page is allocated when it is written
	}
	return b[:0]
}

// saved returns a copy of the session's state, which later changes do not affect. The copy leaves out origins and
// moves.
func (s *Session) saved(key string) savedSession {
	out := savedSession{
		Key:     key,
		Started: s.started,
		Last:    s.last,
		Next:    s.next,
		Evicted: s.evicted,
		Freed:   s.freed,
		Total:   s.total,
		ByType:  maps.Clone(s.byType),
		ByRisk:  maps.Clone(s.byRisk),
		Tools:   sortedKeys(s.tools),
		Linked:  sortedKeys(s.linked),
		Legs:    s.legs,
		Loss:    s.loss,
		Request: s.request,
		Told:    s.carriers.told(),
		Agent:   s.knownAgent().Recorded(),
	}
	for _, d := range s.destinations {
		out.Destinations = append(out.Destinations, *d)
	}
	return out
}

// Load reads a snapshot and adds its sessions. If Load fails, the tracker is unchanged.
//
// Load converts a snapshot of another version as far as possible. Sessions, their origins, counters, destinations and
// legs have the same form in all versions. The content of results may have another form. If Load cannot read it,
// Loaded.Lost names the session.
func (t *Tracker) Load(r io.Reader) (Loaded, error) {
	in, l := bufio.NewReader(r), loading{}
	for {
		name, body, err := readFrame(in)
		if err == nil && name == frameEnd {
			if _, err = in.ReadByte(); errors.Is(err, io.EOF) {
				t.restore(&l)
				return Loaded{l.taken, l.lost()}, nil
			}
			err = errors.Join(err, errors.New("data follows the end of the snapshot"))
		}
		if err == nil {
			err = l.take(name, body)
		}
		if err != nil {
			return Loaded{}, fmt.Errorf("reading the sessions: %w", err)
		}
	}
}

// loading is the state of reading a snapshot.
type loading struct {
	taken    Taken
	links    [][2]string
	owners   []savedOwner
	sessions []loadedSession
}

// loadedSession is a session of a snapshot.
type loadedSession struct {
	*Session
	key   string
	whole bool // its contents were read
}

// take reads a frame.
func (l *loading) take(name string, body []byte) error {
	var last *loadedSession
	if n := len(l.sessions); n > 0 {
		last = &l.sessions[n-1]
	}
	switch {
	case name == frameSnapshot:
		return json.Unmarshal(body, &l.taken)
	case name == frameLinks:
		return json.Unmarshal(body, &l.links)
	case name == frameOwners:
		return json.Unmarshal(body, &l.owners)
	case name == frameSession:
		var saved savedSession
		err := json.Unmarshal(body, &saved)
		l.sessions = append(l.sessions, loadedSession{saved.session(), saved.Key, false})
		return err
	case name == frameContents && last != nil && l.taken.Version <= snapshotVersion:
		if last.whole = last.load(body) == nil; !last.whole {
			last.contents = match.New() // another version wrote the contents in another form
		}
	case name == frameDirectory && last != nil:
		return last.directory.load(body)
	case name == frameAttached && last != nil:
		return last.attached.load(body, last.Session)
	}
	return nil
}

// lost returns the keys of the sessions whose results could not be read.
func (l *loading) lost() (keys []string) {
	for _, s := range l.sessions {
		if !s.whole && s.next > 0 {
			keys = append(keys, s.key)
		}
	}
	return keys
}

func (t *Tracker) restore(l *loading) {
	t.owners.load(l.owners)
	for _, p := range l.links {
		if from, to := t.Session(p[0]), t.Session(p[1]); from != to {
			t.links.add(from, to)
		}
	}
	for _, s := range l.sessions {
		t.charge(s.Session)
		t.sessions.Put(s.key, s.Session, s.last)
	}
}

func (v savedSession) session() *Session {
	s := NewSession()
	s.started = v.Started
	s.last = v.Last
	s.next = v.Next
	s.evicted = v.Evicted
	s.freed = v.Freed
	s.total = v.Total
	s.moves = v.Moves
	s.legs = v.Legs
	s.loss = v.Loss
	s.request = v.Request
	s.carriers.load(v.Told)
	s.agent.Store(v.Agent)
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

// load reads the contents of the session's origins. Contents of origins that do not exist are never used.
func (s *Session) load(body []byte) error { return s.contents.Load(bytes.NewReader(body)) }
