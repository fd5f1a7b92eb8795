package valkey

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/valkey-io/valkey-go"
)

const (
	// Life is how long a replica counts as running after its last heartbeat.
	Life = 3 * time.Second
	// Every is the time between two heartbeats.
	Every = 500 * time.Millisecond
	// grace is how long former owners can claim their principals again after the server has lost its data.
	grace = 3 * time.Second
	// patience is the timeout of one command.
	patience = 2 * time.Second
	// again is the time between two attempts to connect.
	again = 250 * time.Millisecond
)

// Options are the address of the server and the settings of this replica.
type Options struct {
	URL     string        // valkey://, redis://, valkeys:// or rediss://
	Key     string        // shared by all replicas of the group; at least [MinKey] bytes
	Address string        // URL at which the other replicas reach this one
	Idle    time.Duration // how long the server keeps a principal that is not used
}

// Store is the connection of one replica to the shared state. It is safe for concurrent use.
type Store struct {
	id      string
	options Options
	connect valkey.ClientOption
	seal    *seal
	prefix  string // of all keys

	mu     sync.Mutex
	client valkey.Client // nil before the first connection
	tried  time.Time     // time of the last attempt to connect
	failed error         // its error
	mark   string        // of the server's data, as of the last heartbeat; "" before the first
	turn   uint64        // highest turn of a decision that this replica has seen
	closed bool
}

// Check returns an error if a URL or a key is not valid.
func Check(url, key string) error {
	_, err := New(Options{URL: url, Key: key})
	return err
}

// New returns a store. It connects on first use.
func New(o Options) (*Store, error) {
	connect, err := valkey.ParseURL(o.URL)
	if err != nil {
		return nil, errors.New("the address of the state store is not of the form valkey://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	s, err := newSeal(o.Key)
	if err != nil {
		return nil, err
	}
	connect.DisableCache = true
	connect.ForceSingleClient = true
	connect.DisableRetry = true
	connect.PipelineMultiplex = -1 // one connection, so that the next heartbeat notices if it broke
	connect.ConnWriteTimeout = patience
	connect.Dialer.Timeout = patience
	connect.ClientName = "mcpproxy"
	return &Store{
		id:      ulid.Make().String(),
		options: o,
		connect: connect,
		seal:    s,
		prefix:  "mcpproxy:" + s.name("group", "") + ":",
	}, nil
}

// Close leaves the group. Other replicas can claim the principals of this one at once.
func (s *Store) Close() {
	s.mu.Lock()
	c := s.client
	s.client, s.closed = nil, true
	s.mu.Unlock()
	if c == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = c.Do(ctx, c.B().Del().Key(s.replica()).Build()).Error() // if this fails, the key expires
	c.Close()
}

var errClosed = errors.New("the state store is closed")

// dial returns the client, which reconnects by itself. It connects if there is no client yet.
func (s *Store) dial() (valkey.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errClosed
	case s.client != nil:
		return s.client, nil
	case s.failed != nil && time.Since(s.tried) < again:
		return nil, s.failed
	}
	s.tried = time.Now()
	c, err := valkey.NewClient(s.connect)
	if err != nil {
		s.failed = fmt.Errorf("using the state store: %w", err)
		return nil, s.failed
	}
	s.client, s.failed = c, nil
	return c, nil
}

// run runs a script. If the connection broke, it runs the script a second time, which all scripts tolerate.
func (s *Store) run(ctx context.Context, script *valkey.Lua, keys, args []string) (valkey.ValkeyResult, error) {
	c, err := s.dial()
	if err != nil {
		return valkey.ValkeyResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := script.Exec(ctx, c, keys, args)
	if err := r.Error(); err != nil && ctx.Err() == nil {
		if _, said := valkey.IsValkeyErr(err); !said { // the connection broke
			r = script.Exec(ctx, c, keys, args)
		}
	}
	if err := r.Error(); err != nil {
		return r, fmt.Errorf("using the state store: %w", err)
	}
	return r, nil
}

func (s *Store) key(name string) string { return s.prefix + name }

func (s *Store) replica() string { return s.key("replica:" + s.id) }

func (s *Store) principal(name string) string {
	return s.key("principal:" + s.seal.name("principal", name))
}

func (s *Store) life() string { return strconv.FormatInt(s.options.Idle.Milliseconds(), 10) }

func (s *Store) known() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark
}

// Beat sends a heartbeat: this replica is running. Wiped is true if the server has lost its data since the last
// heartbeat; the caller must then claim its principals again at once. Other replicas can claim the principals of a
// replica that has sent no heartbeat for the time [Life].
func (s *Store) Beat(ctx context.Context) (now Shared, wiped bool, err error) {
	known := s.known()
	keys := []string{s.key("mark"), s.replica(), s.key("grace"), s.key("wiped"), s.key("kill"), s.key("decided")}
	r, err := s.run(ctx, beatScript, keys, []string{
		known,
		ulid.Make().String(),
		string(s.seal.close("address", []byte(s.options.Address))),
		strconv.FormatInt(Life.Milliseconds(), 10),
		strconv.FormatInt(grace.Milliseconds(), 10),
		s.life(),
	})
	if err != nil {
		return Shared{}, false, err
	}
	out, err := r.AsStrSlice()
	if err != nil || len(out) != 3 {
		return Shared{}, false, unexpected(out, err)
	}
	s.mu.Lock()
	s.mark = out[0]
	s.mu.Unlock()
	return readShared(out[2]), out[1] == "wiped", nil
}

func unexpected(got []string, err error) error {
	return fmt.Errorf("unexpected answer of the state store: %q: %w", got, cmpErr(err))
}

func cmpErr(err error) error {
	if err == nil {
		return errors.New("wrong number of elements")
	}
	return err
}

// Standing is the result of a claim.
type Standing string

// The standings.
const (
	Mine  Standing = "mine"  // the caller still owns the principal, and its sessions in memory are current
	Fresh Standing = "new"   // the caller is the new owner: it must replace its sessions with those of [Store.Load]
	Kept  Standing = "kept"  // the caller stays the owner, but the server lost writes: it must commit its sessions again
	Other Standing = "other" // another replica owns the principal
	Grace Standing = "grace" // unknown: the server has just lost its data, and the owner may still claim the principal
	Wiped Standing = "wiped" // the server lost its data since the last heartbeat: call [Store.Beat], then claim again
	Late  Standing = "late"  // this replica's last heartbeat has expired: call [Store.Beat], then claim again
)

// Claim is the answer to a claim.
type Claim struct {
	Standing Standing
	Address  string    // of the owner, if another replica is the owner
	Epoch    uint64    // of the ownership, if the caller is the owner
	Lost     time.Time // the time until which the sessions count as incomplete; zero if they are complete
	Shared
}

// Claim returns the owner of a principal. If the principal has no running owner, the caller becomes the owner. Held is
// the epoch of the caller's last claim, or 0 if the caller did not own the principal.
func (s *Store) Claim(ctx context.Context, principal string, held uint64) (Claim, error) {
	mark := s.known()
	if mark == "" {
		return Claim{Standing: Late}, nil
	}
	keys := []string{
		s.key("mark"), s.replica(), s.principal(principal), s.key("grace"), s.key("wiped"), s.key("kill"), s.key("decided"),
	}
	r, err := s.run(ctx, claimScript, keys, []string{
		mark, s.id, strconv.FormatUint(held, 10), s.life(), s.key("replica:"),
	})
	if err != nil {
		return Claim{}, err
	}
	out, err := r.AsStrSlice()
	if err != nil || len(out) == 0 {
		return Claim{}, unexpected(out, err)
	}
	c := Claim{Standing: Standing(out[0])}
	if len(out) > 1 {
		c.Shared = readShared(out[1])
	}
	switch {
	case len(out) == 3: // other
		address, err := s.seal.open("address", []byte(out[2]))
		if err != nil {
			return Claim{}, err
		}
		c.Address = string(address)
	case len(out) == 4:
		if c.Epoch, err = strconv.ParseUint(out[2], 10, 64); err != nil {
			return Claim{}, unexpected(out, err)
		}
		if ms, err := strconv.ParseInt(out[3], 10, 64); err == nil {
			c.Lost = time.UnixMilli(ms)
		}
	}
	return c, nil
}

// ErrNotOwner is returned if another replica has claimed the principal, or the server has lost the record of its
// owner.
var ErrNotOwner = errors.New("another replica has taken over this principal")

// ErrStale is returned if the server does not have what the last commit has written. The caller must commit all
// sessions again.
var ErrStale = errors.New("the state store has lost the last changes of this principal")

// Changes are the changes of a principal's sessions since the last commit.
type Changes struct {
	Saved map[string][]byte // content of new and changed sessions by key
	Ended []string          // keys of sessions that have ended
}

// Written describes what the server has of a principal's sessions after a commit.
type Written struct {
	revision string
	lists    map[string][]string // names of the pieces of each session, by its key
}

// Commit writes changes of a principal that the caller owns under an epoch, and returns what the server has then.
// Before is the result of the caller's last commit; if that is nil, Commit replaces all sessions of the principal by
// the saved ones. Of each session, Commit sends only the pieces that the server does not have.
//
// If the caller no longer owns the principal, Commit writes nothing and returns [ErrNotOwner]. If the server does not
// have what before describes, Commit writes nothing and returns [ErrStale]. After another error it is unknown what the
// server has: before must be nil then.
func (s *Store) Commit(
	ctx context.Context,
	principal string,
	epoch uint64,
	before *Written,
	c Changes,
) (*Written, error) {
	at := s.principal(principal)
	next := &Written{revision: ulid.Make().String(), lists: map[string][]string{}}
	revision := ""
	had := map[string]bool{}
	if before != nil {
		revision = before.revision
		for session, list := range before.lists {
			next.lists[session] = list
			for _, name := range list {
				had[name] = true
			}
		}
	}
	var removed []string
	for _, session := range c.Ended {
		delete(next.lists, session)
		removed = append(removed, listField+s.seal.name("session", session))
	}
	pairs, err := s.pairs(at, c.Saved, had, next)
	if err != nil {
		return nil, err
	}
	for _, list := range next.lists {
		for _, name := range list {
			delete(had, name)
		}
	}
	for name := range had {
		removed = append(removed, pieceField+name)
	}
	args := []string{
		s.known(), s.id, strconv.FormatUint(epoch, 10), s.life(), revision, next.revision, strconv.Itoa(len(removed)),
	}
	args = append(append(args, removed...), pairs...)
	r, err := s.run(ctx, commitScript, []string{s.key("mark"), at, at + ":s"}, args)
	if err != nil {
		return nil, err
	}
	switch said, err := r.ToString(); {
	case err != nil:
		return nil, unexpected(nil, err)
	case said == "stale":
		return nil, ErrStale
	case said != "ok":
		return nil, ErrNotOwner
	}
	return next, nil
}

// The fields of a principal's sessions begin with these, or are revisionField.
const (
	listField     = "s" // a keyed hash of the session's key follows
	pieceField    = "p" // the name of the piece follows
	revisionField = "revision"
)

// about says where an encrypted field belongs.
func about(at, field string) string { return "2\x00" + at + "\x00" + field }

// pairs returns the fields of sessions and their encrypted contents: the lists, and the pieces that the server does
// not have. It adds the lists to next.
func (s *Store) pairs(
	at string,
	saved map[string][]byte,
	had map[string]bool,
	next *Written,
) (pairs []string, err error) {
	add := func(field string, content []byte) {
		pairs = append(pairs, field, valkey.BinaryString(s.seal.close(about(at, field), content)))
	}
	nameOf, sent := s.seal.namer(at), map[string]bool{}
	for session, content := range saved {
		var list []string
		for _, piece := range split(content) {
			name := nameOf(piece)
			list = append(list, name)
			if had[name] || sent[name] {
				continue
			}
			sent[name] = true
			stored, err := squeeze(piece)
			if err != nil {
				return nil, fmt.Errorf("compressing a session for the state store: %w", err)
			}
			add(pieceField+name, stored)
		}
		next.lists[session] = list
		add(listField+s.seal.name("session", session), pack(session, listOf(content, list)))
	}
	return pairs, nil
}

// Load returns the sessions of a principal by key.
func (s *Store) Load(ctx context.Context, principal string) (map[string][]byte, error) {
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at := s.principal(principal)
	fields, err := c.Do(ctx, c.B().Hgetall().Key(at+":s").Build()).AsStrMap()
	if err != nil {
		return nil, fmt.Errorf("reading sessions from the state store: %w", err)
	}
	return s.assemble(at, fields)
}

// assemble decrypts the fields of a principal's sessions. It returns the sessions by key.
func (s *Store) assemble(at string, fields map[string]string) (map[string][]byte, error) {
	lists, pieces := map[string][]byte{}, map[string][]byte{}
	for field, sealed := range fields {
		if field == revisionField {
			continue
		}
		content, err := s.seal.open(about(at, field), []byte(sealed))
		if err != nil {
			return nil, err
		}
		if name, ok := strings.CutPrefix(field, pieceField); ok {
			if pieces[name], err = unsqueeze(content); err != nil {
				return nil, err
			}
			continue
		}
		session, list, err := unpack(content)
		if err != nil {
			return nil, err
		}
		lists[session] = list
	}
	for session, list := range lists {
		content, err := join(list, pieces)
		if err != nil {
			return nil, err
		}
		lists[session] = content
	}
	return lists, nil
}

// Lose marks the sessions of a principal as incomplete, because a replica served the principal without the store.
func (s *Store) Lose(ctx context.Context, principal string) error {
	_, err := s.run(ctx, loseScript, []string{s.principal(principal)}, []string{s.life()})
	return err
}

// Shared is what all replicas must know before they decide about a call. Commands return it, so that a replica
// needs no further command to learn of changes.
type Shared struct {
	Kill    Kill
	Decided string // version of the decisions; see [state.Decisions]
}

func readShared(said string) Shared {
	decided, kill, _ := strings.Cut(said, " ")
	return Shared{Kill: readKill(kill), Decided: decided}
}

// Kill is the state of the kill switch that the replicas share. The zero value means that nobody has used it yet.
type Kill struct {
	Turn uint64 // number of changes so far
	On   bool
	By   string
}

// SetKill turns the shared kill switch on or off. By names the person who does it.
func (s *Store) SetKill(ctx context.Context, on bool, by string) (Kill, error) {
	word := "off"
	if on {
		word = "on"
	}
	r, err := s.run(ctx, killScript, []string{s.key("kill"), s.key("kills")}, []string{word, by})
	if err != nil {
		return Kill{}, err
	}
	said, err := r.ToString()
	if err != nil {
		return Kill{}, unexpected(nil, err)
	}
	return readKill(said), nil
}

func readKill(said string) Kill {
	turn, rest, _ := strings.Cut(said, " ")
	word, by, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(turn, 10, 64)
	if err != nil {
		return Kill{}
	}
	return Kill{Turn: n, On: word != "off", By: by}
}
