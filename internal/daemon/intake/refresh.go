package intake

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// listing is the state of reading one server's tools. Only one goroutine at a time reads them, at
// most once every refreshPause, however often the server reports changes.
type listing struct {
	running bool
	again   bool     // requested while running
	now     *reading // the last read that has begun
	next    *reading // the read that begins next
}

// reading is one read of a server's tools.
type reading struct {
	done chan struct{}
	err  error // why the read failed; valid once it is done
}

func newReading() *reading { return &reading{done: make(chan struct{})} }

const refreshPause = time.Second

// refresher reads definitions again: after a server reports a change, when they may be outdated, and
// periodically. Only one goroutine at a time reads a server.
type refresher struct {
	servers func() *upstream.Manager
	ready   func(*upstream.Server) bool  // reports whether a server can be read
	read    func(*upstream.Server) error // the error says why the server's tools could not be read

	mu      sync.Mutex
	lists   map[string]*listing  // by server
	doubted map[string]time.Time // when a server was last read, or will be, because of a doubt
}

// refresh schedules a read of a server's tools. It returns the read in progress, if any, and the
// next one. It does not block.
func (r *refresher) refresh(s *upstream.Server) []*reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lists[s.Name()]
	if l == nil {
		l = &listing{next: newReading()}
		r.lists[s.Name()] = l
	}
	if l.running {
		l.again = true
		return []*reading{l.now, l.next}
	}
	l.running, l.now, l.next = true, l.next, newReading()
	go r.keepListing(s.Name(), l, l.now)
	return []*reading{l.now}
}

func (r *refresher) keepListing(server string, l *listing, now *reading) {
	for now != nil {
		if s, ok := r.servers().Get(server); ok { // a reload may have replaced the server
			now.err = r.read(s)
		} else {
			now.err = mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "server %q was removed", server)
		}
		close(now.done)
		time.Sleep(refreshPause)
		r.mu.Lock()
		now = nil
		if l.again {
			l.now, l.next = l.next, newReading()
			now = l.now
		}
		l.running, l.again = l.again, false
		r.mu.Unlock()
	}
}

// relistEvery is the interval at which definitions are read again even if a server reports no
// change.
const relistEvery = time.Minute

// keep reads the definitions of every server periodically until ctx ends.
func (r *refresher) keep(ctx context.Context) {
	tick := time.NewTicker(relistEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, s := range r.servers().All() {
				if r.ready(s) {
					r.refresh(s)
				}
			}
		}
	}
}

// doubtPause is the minimum interval between two reads because of a doubt. A doubt during the pause
// takes effect at its end, so that changes after the last call are seen as well.
const doubtPause = 5 * time.Second

// doubt schedules a read of a connected server: now, or at the end of doubtPause.
func (r *refresher) doubt(server string) {
	if _, ok := r.servers().Get(server); !ok {
		return
	}
	r.mu.Lock()
	wait := time.Until(r.doubted[server].Add(doubtPause))
	if wait > doubtPause { // a read is already scheduled
		r.mu.Unlock()
		return
	}
	r.doubted[server] = time.Now().Add(max(wait, 0))
	r.mu.Unlock()
	if wait > 0 {
		time.AfterFunc(wait, func() { r.reread(server) })
		return
	}
	r.reread(server)
}

// connected reports whether a server is connected.
func connected(s *upstream.Server) bool { return s.Status().State == upstream.Ready }

// reread schedules a read of a server if it is connected.
func (r *refresher) reread(server string) {
	if up, ok := r.servers().Get(server); ok && r.ready(up) {
		r.refresh(up)
	}
}

// Refresh schedules a read of a server's definitions. It does not block.
func (in *Intake) Refresh(s *upstream.Server) { in.readings.refresh(s) }

// Keep reads the definitions of every server periodically until ctx ends.
func (in *Intake) Keep(ctx context.Context) { in.readings.keep(ctx) }

// Doubt schedules a read of a server's definitions within five seconds. It is called after each
// call, because the server may have changed its definitions without a notification. It is also
// called when the server has sent an agent a list that differs from the known one.
func (in *Intake) Doubt(server string) { in.readings.doubt(server) }

// read reads all definitions of a server. The error says why its tools could not be read.
func (in *Intake) read(s *upstream.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	first := !in.trust.Read(s.Name())
	if s.Status().Protocol != upstream.Stdio {
		in.trust.ForgetProgram(s.Name())
	}
	said, err := s.Instructions(ctx)
	var prompts, tools []json.RawMessage
	if err == nil {
		prompts, err = s.ListPrompts(ctx)
	}
	if err != nil { // unread definitions stay unchanged; those never read are held
		slog.Warn("a server's instructions and prompts could not be read", "server", s.Name(), "error", err)
	}
	tools, toolsErr := s.ListTools(ctx)
	if toolsErr != nil {
		slog.Warn("a server's tools could not be listed", "server", s.Name(), "error", toolsErr)
		return toolsErr
	}
	var all trust.Seen
	if err == nil {
		all.Add(in.observeInstructions(s.Name(), said))
		all.Add(in.trust.Observe(s.Name(), trust.Prompt, prompts, true))
	}
	all.Add(in.trust.Observe(s.Name(), trust.Tool, tools, true))
	if all.Refused > 0 {
		slog.Warn(
			"definitions were left out: they can be read in more than one way, or there are too many",
			"server",
			s.Name(),
			"definitions",
			all.Refused,
		)
	}
	in.Offer(s.Name())
	if first || all.New > 0 || len(all.Changes) > 0 {
		in.deps.Declared(s.Name())
	}
	if first {
		in.introduce(s.Name())
	}
	return nil
}

// Offer updates the catalogue with the tools of a server that agents may see.
func (in *Intake) Offer(server string) {
	in.offering.Lock()
	defer in.offering.Unlock()
	changed, refused := in.deps.Catalog.Set(server, in.trust.Offered(server, trust.Tool))
	if refused > 0 {
		slog.Warn(
			"tools were left out: their definitions cannot be read or repeat a name",
			"server",
			server,
			"tools",
			refused,
		)
	}
	if changed {
		in.deps.ToolsChanged()
		if shared := in.shared(server); len(shared) > 0 {
			slog.Info("other servers have tools of the same names: only the server's name tells them apart",
				"server", server, "tools", shared)
		}
	}
}

// maxShared limits the names in the message.
const maxShared = 10

// shared returns the names of a server's tools that other servers' tools have as well.
func (in *Intake) shared(server string) (names []string) {
	own := map[string]bool{}
	for _, t := range in.deps.Catalog.Of(server) {
		own[t.Name] = true
	}
	for _, t := range in.deps.Catalog.All() {
		if t.Server != server && own[t.Name] && len(names) < maxShared {
			own[t.Name] = false // list the name once
			names = append(names, t.Name)
		}
	}
	return names
}

// OfferAll calls Offer for every server.
func (in *Intake) OfferAll() {
	for _, s := range in.deps.Servers().All() {
		if in.trust.Read(s.Name()) {
			in.Offer(s.Name())
		}
	}
}
