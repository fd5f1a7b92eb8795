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

// listing is the state of reading one server's tools. However often a server
// says that they changed, they are read by one goroutine at a time, and not more
// often than every refreshPause.
type listing struct {
	running bool
	again   bool     // asked for while running
	now     *reading // the last one that has begun
	next    *reading // the one that begins next
}

// reading is one time that a server's tools are read.
type reading struct {
	done chan struct{}
	err  error // why they could not be; valid when it is done
}

func newReading() *reading { return &reading{done: make(chan struct{})} }

const refreshPause = time.Second

// refresher has what servers declare read again: when they say that it has changed, when it is
// doubted, and from time to time. A server is read by one goroutine at a time.
type refresher struct {
	servers func() *upstream.Manager
	ready   func(*upstream.Server) bool  // reports whether a server can be read
	read    func(*upstream.Server) error // the error says why the server's tools could not be read

	mu      sync.Mutex
	lists   map[string]*listing  // by server
	doubted map[string]time.Time // when a server is or was read because its definitions were doubted
}

// refresh reads a server's tools again, soon, and returns which times that will be: the
// one that has begun, if it has not ended, and the next. It does not block.
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
		if s, ok := r.servers().Get(server); ok { // not one that a reload has replaced
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

// relistEvery is the time after which what a server declares is read again,
// whether it says that anything has changed or not.
const relistEvery = time.Minute

// keep reads what every server declares, again and again, until ctx ends.
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

// doubtPause is the time in which a server is not doubted twice. A doubt within it counts when
// it is over, so that what a server changes after its last call is seen as well.
const doubtPause = 5 * time.Second

// doubt has a server that is connected read again: now, or when doubtPause is over.
func (r *refresher) doubt(server string) {
	if _, ok := r.servers().Get(server); !ok {
		return
	}
	r.mu.Lock()
	wait := time.Until(r.doubted[server].Add(doubtPause))
	if wait > doubtPause { // it will be read
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

// connected reports whether a server is.
func connected(s *upstream.Server) bool { return s.Status().State == upstream.Ready }

// reread reads a server again, soon, if it is connected.
func (r *refresher) reread(server string) {
	if up, ok := r.servers().Get(server); ok && r.ready(up) {
		r.refresh(up)
	}
}

// Refresh has what a server declares read again, soon. It does not block.
func (in *Intake) Refresh(s *upstream.Server) { in.readings.refresh(s) }

// Keep reads what every server declares, again and again, until ctx ends.
func (in *Intake) Keep(ctx context.Context) { in.readings.keep(ctx) }

// Doubt has the definitions of a server read again within five seconds: it was called and may have
// changed them without a word, or an agent was shown another list than the one that is known.
func (in *Intake) Doubt(server string) { in.readings.doubt(server) }

// read reads everything that a server declares. The error says why its tools could
// not be read.
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
	if err != nil { // what is not read stays as it was, and held if it was never read
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
			"definitions were left out: they cannot be read in one way only, or are too many",
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

// Offer puts into the catalogue what agents may see of a server's tools.
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

// maxShared bounds the names that are told.
const maxShared = 10

// shared are the names of a server's tools that tools of other servers have as well.
func (in *Intake) shared(server string) (names []string) {
	own := map[string]bool{}
	for _, t := range in.deps.Catalog.Of(server) {
		own[t.Name] = true
	}
	for _, t := range in.deps.Catalog.All() {
		if t.Server != server && own[t.Name] && len(names) < maxShared {
			own[t.Name] = false // once, however many others have it
			names = append(names, t.Name)
		}
	}
	return names
}

// OfferAll does so for every server.
func (in *Intake) OfferAll() {
	for _, s := range in.deps.Servers().All() {
		if in.trust.Read(s.Name()) {
			in.Offer(s.Name())
		}
	}
}
