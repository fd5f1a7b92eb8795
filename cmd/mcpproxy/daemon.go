package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/door"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gateway"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/policy/rules"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/token"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// daemon is the running proxy: every room, wired.
type daemon struct {
	path     string               // configuration file
	override func(*config.Config) // what flags and environment say over the file
	config   atomic.Pointer[config.Config]
	unlock   func()
	store    *sqlite.Store
	log      *monitor // of the log, and who else hears of records
	sessions *memory.Store[*flow.Session]
	tracker  *flow.Tracker
	links    *flow.Correlator
	state    *flowState
	events   *api.Events
	gate     *gate.Gate
	desk     *approval.Desk
	kill     *killSwitch
	rules    atomic.Pointer[rules.Set] // the user's own, compiled
	catalog  *catalog.Catalog
	servers  *upstream.Manager
	trust    *trust.Store
	scans    definitions
	gateway  *gateway.Gateway
	hooks    *hookeval.Evaluator
	tokens   *token.Store
	accounts *accounts // at authorization servers
	door     *door.Door
	read     configState
	scripts  *codemode.Host
	http     *http.Server
	address  string // of the TCP listener
	stopped  context.CancelFunc
	running  sync.WaitGroup

	reloading sync.Mutex
	closing   bool // nothing is to be started any more

	untidy    chan struct{} // the log's bounds have changed
	newcomers chan string   // servers whose definitions wait for approval, as they are met
	offering  sync.Mutex    // the catalogue follows the approvals of one server at a time

	mu    sync.Mutex
	known map[string]upstream.State // last recorded state of each server
	lists map[string]*listing       // by server
	doubt map[string]time.Time      // when a server's definitions were last doubted
}

// stopGrace is how long calls may go on when the daemon stops.
const stopGrace = 5 * time.Second

// startDaemon starts everything; the listeners are open when it returns.
func startDaemon(ctx context.Context, path string, c *config.Config, override func(*config.Config)) (*daemon, error) {
	override(c)
	detector, err := detectorFor(c)
	if err != nil {
		return nil, &exitError{exitConfig, err}
	}
	own, err := rulesOf(path, c)
	if err != nil {
		return nil, err
	}
	d := &daemon{path: path, override: override, events: api.NewEvents(), catalog: catalog.New(),
		known: map[string]upstream.State{}, lists: map[string]*listing{}, doubt: map[string]time.Time{}, newcomers: make(chan string, 64), untidy: make(chan struct{}, 1)}
	d.rules.Store(own)
	if err := d.openFiles(ctx, c); err != nil {
		return nil, err
	}
	ctx, d.stopped = context.WithCancel(context.WithoutCancel(ctx))
	d.config.Store(c)
	d.configureLog(c)
	d.read.took()
	d.wire(ctx, c, detector)
	if err := d.listen(c); err != nil {
		d.close()
		return nil, err
	}
	d.keepAll(ctx)
	go warm(detector)
	d.record(mcpproxy.RecordSystemStart, "", map[string]any{"version": buildVersion(), "listen": d.address})
	d.killFound()
	d.servers.Apply(d.accounts.sign(c, specs(c, filepath.Dir(d.path))))
	if path != "" {
		if err := config.Watch(ctx, path, d.reload); err != nil {
			slog.Warn("changes of the configuration will not be noticed", "error", err)
		}
	}
	d.watchTokens(ctx, c)
	return d, nil
}

// openFiles opens what is in the data folder, of which one daemon at a time has the
// lock.
func (d *daemon) openFiles(ctx context.Context, c *config.Config) (err error) {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	if d.unlock, err = lock(filepath.Join(c.DataDir, "mcpproxy.lock")); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.unlock()
		}
	}()
	if d.trust, err = d.openTrust(c); err != nil {
		return err
	}
	if err = d.openTokens(c); err != nil {
		return err
	}
	if d.store, err = sqlite.Open(ctx, c.LogPath()); err != nil {
		return err
	}
	d.log = newMonitor(d, c, ledger.NewLog(d.store))
	return nil
}

// wire puts the rooms together.
func (d *daemon) wire(ctx context.Context, c *config.Config, detector *detect.Detector) {
	idle := time.Duration(c.Security.FlowTracking.SessionTimeoutMinutes) * time.Minute
	d.sessions = memory.New(idle, func(string) *flow.Session { return flow.NewSession() }, d.sessionEnded)
	d.tracker = flow.New(d.sessions, flowLimits(c))
	d.links = flow.NewCorrelator(d.tracker, correlationLife(c))
	d.state = newFlowState(c.DataDir, d.tracker)
	d.resume(idle)
	d.desk, d.kill = approval.New(askingRules(c), d.asked), newKillSwitch(c, d.killTurned)
	d.gate = gate.New(d.tracker, d.log, d.publish, d.firstSettings(c, detector))
	d.hooks = hookeval.New(hookeval.Sources{Gate: d.gate, Tracker: d.tracker, Sessions: d.sessions, Links: d.links,
		Tool: d.declared, Servers: d.serverNames}, hookSettings(c))
	d.resumeHooks(ctx)
	mask := d.gate.Mask
	logMask.Store(&mask)
	d.openAccounts(ctx, c)
	d.servers = upstream.NewManager(d.serverChanged, d.serverSaid)
	d.gateway = gateway.New(d.gate, d.servers, d.catalog, d.links, d.gatewayOptions(c))
	d.gateway.UseScreen(screen{d})
	d.gateway.UseDoor(d.door)
	d.openAudit()
	d.runScripts(c)
}

// keepAll starts what the daemon does beside serving, until ctx ends.
func (d *daemon) keepAll(ctx context.Context) {
	for _, keep := range []func(context.Context){d.state.keep, d.kill.keep, d.keepReading, d.keepTidy, d.keepHooks} {
		d.running.Go(func() { keep(ctx) })
	}
	d.running.Go(func() { d.checkLog(ctx, maxChecked) })
}

// warm compiles what calls are read with, off the request path: a first call waits
// for it at most, and an end does not.
func warm(detector *detect.Detector) {
	scan.Warm()
	definition.Warm()
	if detector == nil {
		return
	}
	if err := detector.Warm(); err != nil {
		slog.Error("the rules could not be compiled: calls with text will be refused", "error", err)
	}
}

// listen opens the listeners and serves them.
func (d *daemon) listen(c *config.Config) error {
	tcp, err := listenTCP(c.Listen)
	if err != nil {
		return err
	}
	d.address = tcp.Addr().String()
	routes := http.NewServeMux()
	routes.Handle("/mcp", d.gateway)
	routes.Handle("/mcp/", d.gateway)
	routes.Handle("/", api.Handler(d.sources()))
	guarded := gateway.Guard(func() string { return d.config.Load().Listen }, routes)
	d.http = &http.Server{Handler: guarded, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug)}
	d.running.Go(func() { serveUntilClosed(d.http, tcp) })
	if !c.EnableSocket {
		return nil
	}
	sock, err := listenSocket(c.SocketPath())
	if err != nil {
		return err
	}
	trusted := &http.Server{Handler: gateway.Trust(guarded), ReadHeaderTimeout: 10 * time.Second, ErrorLog: d.http.ErrorLog}
	d.http.RegisterOnShutdown(func() { trusted.Close() })
	d.running.Go(func() { serveUntilClosed(trusted, sock) })
	return nil
}

// reload reads the configuration again. A file that does not hold leaves
// everything as it is.
func (d *daemon) reload() {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	if d.closing {
		return
	}
	c, err := config.Load(d.path)
	if err != nil {
		d.keepConfig(err)
		return
	}
	d.override(c)
	old := d.config.Load()
	if c.APIKey == "" {
		c.APIKey = old.APIKey
	}
	if c.Listen != old.Listen || c.DataDir != old.DataDir || c.EnableSocket != old.EnableSocket {
		slog.Warn("listen, data_dir and enable_socket take effect when mcpproxy is started anew")
		c.Listen, c.DataDir, c.EnableSocket = old.Listen, old.DataDir, old.EnableSocket
	}
	detector, err := detectorFor(c)
	if err == nil && detector != nil {
		err = detector.Warm()
	}
	var own *rules.Set
	if err == nil {
		own, err = rulesOf(d.path, c)
	}
	if err != nil {
		d.keepConfig(err)
		return
	}
	warnIdle(c)
	d.rules.Store(own)
	d.config.Store(c)
	d.read.took()
	d.tracker.SetLimits(flowLimits(c))
	d.links.SetLife(correlationLife(c))
	d.configureGate(c, detector)
	d.scans.memory.Forget() // other patterns may find other secrets
	d.trust.Configure(trustRules(c))
	d.hooks.Configure(hookSettings(c))
	d.log.configure(c)
	d.configureLog(c)
	d.gateway.Configure(d.gatewayOptions(c))
	d.scripts.Configure(scriptLimits(c))
	d.servers.Apply(d.accounts.sign(c, specs(c, filepath.Dir(d.path))))
	d.forgetServers(c)
	d.offerAll()
	slog.Info("the configuration was read again")
	d.record(mcpproxy.RecordConfigChange, "", map[string]any{"file": filepath.Base(d.path)})
	d.events.Publish("config.reloaded", map[string]any{"ok": true})
}

// keepConfig says that a changed configuration cannot be used. What it says of it can
// quote the file, which holds keys.
func (d *daemon) keepConfig(err error) {
	why := d.shown(err.Error())
	d.read.refused(why)
	slog.Error("the configuration was changed and cannot be used; the old one stays in force", "error", why)
	d.events.Publish("config.reloaded", map[string]any{"ok": false, "error": why})
}

// shown is a text that repeats a server or the configuration, without the secrets in it.
func (d *daemon) shown(s string) string { return redact.Secrets(d.gate.Mask(s)) }

// forgetServers takes the tools of removed and disabled servers off the list.
func (d *daemon) forgetServers(c *config.Config) {
	here := map[string]bool{}
	for _, s := range c.Servers {
		here[s.Name] = s.IsEnabled()
	}
	changed := false
	for _, t := range d.catalog.All() {
		if !here[t.Server] {
			d.catalog.Drop(t.Server)
			changed = true
		}
	}
	for _, i := range d.trust.Items("") {
		if !here[i.Server] {
			d.trust.Gone(i.Server)
		}
	}
	if changed {
		d.gateway.ToolsChanged()
	}
}

// serverChanged hears of a server's new state.
func (d *daemon) serverChanged(s *upstream.Server) {
	st := api.Masked(s.Status(), d.shown)
	d.events.Publish("servers.changed", st)
	d.mu.Lock()
	news := st.State != upstream.Connecting && d.known[st.Name] != st.State
	if news {
		d.known[st.Name] = st.State
	}
	d.mu.Unlock()
	if news {
		level := slog.LevelInfo
		if st.State == upstream.Failed {
			level = slog.LevelWarn
		}
		slog.Log(context.Background(), level, "server "+string(st.State), "server", st.Name, "error", st.Error)
		d.record(mcpproxy.RecordServerChange, st.Name, map[string]any{"state": st.State, "error": st.Error})
	}
	if st.State == upstream.Ready {
		d.refresh(s)
	}
}

// serverSaid hears what a server says for no call in particular.
func (d *daemon) serverSaid(s *upstream.Server, m *wire.Message) {
	if gateway.Declares(m) {
		d.refresh(s)
	}
	d.gateway.Heard(s.Name(), m)
}

// publish hands the gate's events on.
func (d *daemon) publish(e gate.Event) { d.log.tell(e.Name, e.Record) }

func (d *daemon) record(t mcpproxy.RecordType, server string, detail map[string]any) {
	d.log.Add(systemRecord(t, server, detail))
}

func systemRecord(t mcpproxy.RecordType, server string, detail map[string]any) *mcpproxy.Record {
	return &mcpproxy.Record{ID: gate.NewID(), Type: t, Source: "system", Timestamp: time.Now().UTC(), ServerName: server,
		Status: mcpproxy.StatusSuccess, CoverageMode: mcpproxy.CoverageProxyOnly, Metadata: mcpproxy.Metadata{Detail: detail}}
}

// drain lets the calls end that run.
func (d *daemon) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	d.gateway.Drain(ctx)
}

// close stops the daemon: no new calls, a moment for those that run, then the
// children, then the log.
func (d *daemon) close() {
	d.stopped()
	d.reloading.Lock()
	d.closing = true
	d.reloading.Unlock()
	d.desk.Close()
	d.drain()
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	d.events.Close()
	d.gateway.Close()
	if d.http != nil {
		if err := d.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			d.http.Close()
		}
	}
	d.scripts.Close()
	d.servers.Close(ctx)
	d.running.Wait()
	d.hooks.Close()
	d.leaveSessions()
	d.record(mcpproxy.RecordSystemStop, "", nil)
	d.log.Close()
	if err := d.store.Close(); err != nil {
		slog.Error("closing the activity log", "error", err)
	}
	d.unlock()
}
