package valkey

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// life is how long the server keeps a principal after a commit, in ms. It is longer than Idle, so that a claim must
// renew it only if less than Idle is left. A claim that renews nothing makes the server write nothing: with an
// append-only file and appendfsync always, each write waits for the disk.
func (s *Store) life() string {
	return strconv.FormatInt((s.options.Idle + s.options.Idle/renewals).Milliseconds(), 10)
}

// idle is the time in ms that a principal must at least have left after a claim.
func (s *Store) idle() string { return strconv.FormatInt(s.options.Idle.Milliseconds(), 10) }

// renewals is how often at most claims renew the life of a principal in the time that it has.
const renewals = 60

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
		mark, s.id, strconv.FormatUint(held, 10), s.life(), s.key("replica:"), s.idle(),
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
	lists    map[string]*list // the pieces of each session, by its key
	pieces   *tally
}

// tally counts in how many places of a principal's lists each piece occurs.
type tally struct {
	of     map[name]int
	latest *Written // the result of the commit after which these were the counts
}

// count returns the counts of w's pieces. Only the latest result of a commit has them at hand.
func (w *Written) count() *tally {
	if w.pieces != nil && w.pieces.latest == w {
		return w.pieces
	}
	t := &tally{of: map[name]int{}, latest: w}
	for _, l := range w.lists {
		for i := range l.pieces {
			t.of[l.pieces[i].sum.name()]++
		}
	}
	return t
}

// change is what a commit changes of a principal's sessions.
type change struct {
	pairs   []string     // fields and their contents
	removed []string     // fields
	counts  map[name]int // changes of the counts of pieces
}

// Commit writes changes of a principal that the caller owns under an epoch, and returns what the server has then.
// Before is the result of the caller's last commit; if that is nil, Commit replaces all sessions of the principal by
// the saved ones. Of each session, Commit sends only the pieces that the server does not have. Its own work grows with
// the changed sessions, at the speed of reading them; the other sessions of the principal cost nothing.
//
// If the caller no longer owns the principal, Commit writes nothing and returns [ErrNotOwner]. If the server does not
// have what before describes, Commit writes nothing and returns [ErrStale]. After another error it is unknown what the
// server has: before must be nil then. Commits of one principal must not overlap.
func (s *Store) Commit(
	ctx context.Context,
	principal string,
	epoch uint64,
	before *Written,
	c Changes,
) (*Written, error) {
	at := s.principal(principal)
	revision := ""
	if before == nil {
		before = &Written{}
	} else {
		revision = before.revision
	}
	next := &Written{
		revision: ulid.Make().String(),
		lists:    maps.Clone(before.lists),
		pieces:   before.count(),
	}
	if next.lists == nil {
		next.lists = map[string]*list{}
	}
	todo := s.change(at, c, next)
	args := []string{
		s.known(), s.id, strconv.FormatUint(epoch, 10), s.life(), revision, next.revision,
		strconv.Itoa(len(todo.removed)),
	}
	args = append(append(args, todo.removed...), todo.pairs...)
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
	next.pieces.add(todo.counts)
	next.pieces.latest = next
	return next, nil
}

// add changes the counts of pieces.
func (t *tally) add(counts map[name]int) {
	for n, more := range counts {
		if t.of[n] += more; t.of[n] == 0 {
			delete(t.of, n)
		}
	}
}

// The fields of a principal's sessions begin with these, or are revisionField.
const (
	listField     = "s" // a keyed hash of the session's key follows
	pieceField    = "p" // the name of the piece follows
	revisionField = "revision"
)

// about says where an encrypted field belongs.
func about(at, field string) string { return "3\x00" + at + "\x00" + field }

// change returns what must be written: the lists of sessions, and the pieces that the server does not have. It changes
// the lists in next, whose pieces are still those before the change.
func (s *Store) change(at string, c Changes, next *Written) *change {
	out := &change{counts: map[name]int{}}
	add := func(field string, content []byte) {
		out.pairs = append(out.pairs, field, valkey.BinaryString(s.seal.close(about(at, field), content)))
	}
	for _, session := range c.Ended {
		recount(out.counts, next.lists[session], nil)
		delete(next.lists, session)
		out.removed = append(out.removed, listField+s.seal.name("session", session))
	}
	sumOf, sent := s.seal.summer(at), map[name]bool{}
	for session, content := range c.Saved {
		old := next.lists[session]
		l := divide(content, old, sumOf)
		for i, from, to := 0, 0, 0; i < len(l.pieces); i++ {
			from, to = to, to+l.pieces[i].size
			n := l.pieces[i].sum.name()
			if next.pieces.of[n] > 0 || sent[n] {
				continue
			}
			sent[n] = true
			add(pieceField+string(n[:]), squeeze(content[from:to]))
		}
		recount(out.counts, old, l)
		next.lists[session] = l
		add(listField+s.seal.name("session", session), pack(session, l.encode()))
	}
	for n, more := range out.counts {
		if had := next.pieces.of[n]; had > 0 && had+more == 0 {
			out.removed = append(out.removed, pieceField+string(n[:]))
		}
	}
	return out
}

// recount adds the pieces of a new list to counts, and subtracts those of the old one. Either may be nil.
func recount(counts map[name]int, old, l *list) {
	var was, is []piece
	if old != nil {
		was = old.pieces
	}
	if l != nil {
		is = l.pieces
	}
	for len(was) > 0 && len(is) > 0 && was[0].sum == is[0].sum {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1].sum == is[len(is)-1].sum {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	for i := range was {
		counts[was[i].sum.name()]--
	}
	for i := range is {
		counts[is[i].sum.name()]++
	}
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
	lists, pieces := map[string][]byte{}, map[name][]byte{}
	for field, sealed := range fields {
		if field == revisionField {
			continue
		}
		content, err := s.seal.open(about(at, field), []byte(sealed))
		if err != nil {
			return nil, err
		}
		if n, ok := strings.CutPrefix(field, pieceField); ok {
			if len(n) != pieceName {
				return nil, ErrForeign
			}
			if pieces[name([]byte(n))], err = unsqueeze(content); err != nil {
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
	sumOf := s.seal.summer(at)
	for session, list := range lists {
		content, err := join(list, pieces, sumOf)
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
