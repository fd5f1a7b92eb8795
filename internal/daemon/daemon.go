// Package daemon is the running proxy. It wires the rooms together, follows the
// configuration, and keeps what must happen beside serving: snapshots of flow sessions,
// retention, checks of the log, the kill switch.
//
// Files are named after the room that they serve: gate_settings.go and upstream_specs.go make
// settings of the configuration, api_sources.go answers what the API asks. Those that begin
// with log look after the activity log, those with flow after the sessions of flows.
// slog_mask.go masks what the daemon itself logs.
//
// [Start] opens the listeners and returns; [Run] is Start with signals, for a process of its own.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/approval/store"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/gateway"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/policy/rules"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/token"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/version"
)

// Daemon is the running proxy: every room, wired.
type Daemon struct {
	Path      string               // configuration file
	override  func(*config.Config) // what flags and environment say over the file
	Config    atomic.Pointer[config.Config]
	reloading reading
	lastRead  configState

	unlock func() // of the data folder
	Store  *sqlite.Store
	log    *monitor // of the log, and who else hears of records
	events *api.Events
	upkeep *logKeeper
	unseen *unseenCalls
	away   *outages
	// witness is kept outside of the data folder.
	witness *logWitness

	gate  *gate.Gate
	flows *flowSessions
	desk  *approval.Desk
	// approved are the answers for always.
	approved *store.Store
	kill     *killSwitch
	rules    atomic.Pointer[rules.Set] // the user's own, compiled

	servers  *upstream.Manager
	states   serverStates
	accounts *accounts // at authorization servers
	Catalog  *catalog.Catalog
	intake   *intake.Intake
	trust    *trust.Store // of the intake
	home     *homeKeeper

	gateway *gateway.Gateway
	hooks   *hookeval.Evaluator
	scripts *codemode.Host
	tokens  *token.Store
	auth    *auth.Authenticator
	peers   *peer.Registry
	agents  *agentWatch

	http    *http.Server
	Address string // of the TCP listener
	stopped context.CancelFunc
	running sync.WaitGroup
}

// stopGrace is how long calls may go on when the daemon stops.
const stopGrace = 5 * time.Second

// Start starts everything; the listeners are open when it returns.
func Start(ctx context.Context, path string, c *config.Config, override func(*config.Config)) (*Daemon, error) {
	override(c)
	if err := checkExposed(ctx, c.Listen, c); err != nil {
		return nil, err
	}
	detector, err := DetectorFor(c)
	if err != nil {
		return nil, exit.With(exit.Config, err)
	}
	own, err := RulesOf(path, c)
	if err != nil {
		return nil, err
	}
	d := &Daemon{
		Path:     path,
		override: override,
		events:   api.NewEvents(),
		Catalog:  catalog.New(),
	}
	d.agents = &agentWatch{hooks: HookBackups(c), connections: ConnectBackups(c)}
	d.rules.Store(own)
	if err := d.openFiles(ctx, c); err != nil {
		return nil, err
	}
	ctx, d.stopped = context.WithCancel(context.WithoutCancel(ctx))
	d.Config.Store(c)
	d.upkeep.configure(c)
	d.lastRead.took()
	d.wire(ctx, c, detector)
	d.home.configure(c)
	d.home.learnUser(ctx)
	if err := d.listen(c); err != nil {
		d.Close()
		return nil, err
	}
	d.keepAll(ctx)
	go warm(detector)
	d.record(mcpproxy.RecordSystemStart, "", map[string]any{"version": version.String(), "listen": d.Address})
	d.killFound()
	d.servers.Apply(d.accounts.sign(c, Specs(c, d.Path)))
	if path != "" {
		if err := config.Watch(ctx, path, func() { d.reload(ctx) }); err != nil {
			slog.Warn("changes of the configuration will not be noticed", "error", err)
		}
	}
	d.watchTokens(ctx, c)
	return d, nil
}

// openFiles opens what is in the data folder, of which one daemon at a time has the
// lock.
func (d *Daemon) openFiles(ctx context.Context, c *config.Config) (err error) {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	if err := checkData(c); err != nil {
		return err
	}
	if d.unlock, err = Lock(filepath.Join(c.DataDir, "mcpproxy.lock")); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.unlock()
		}
	}()
	d.sweep(c)
	if d.Store, err = sqlite.Open(ctx, c.LogPath()); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Store.Close())
		}
	}()
	d.witness = newLogWitness(ctx, c, d.Store)
	if err = d.openIntake(c); err != nil { // the log's heads know what its file held
		return err
	}
	if err = d.openTokens(c); err != nil {
		return err
	}
	if err = d.openApproved(c); err != nil {
		return err
	}
	if d.home, err = openHome(c, d.applyHome, d.record, d.events); err != nil {
		return err
	}
	d.openLog(ctx, c)
	return nil
}

// sweep removes what crashes left of files that commands write, too. They may hold keys.
func (d *Daemon) sweep(c *config.Config) {
	paths := []string{filepath.Join(c.DataDir, "tokens.json"), filepath.Join(c.DataDir, agentsFile)}
	if d.Path != "" {
		paths = append(paths, d.Path)
	}
	for _, path := range paths {
		if err := atomicfile.SweepOld(path); err != nil {
			slog.Warn("what a crash left of a file could not be removed", "file", path, "error", err)
		}
	}
}

// openLog has the activity log watched and kept. How the last run ended is looked up before
// this one writes anything.
func (d *Daemon) openLog(ctx context.Context, c *config.Config) {
	d.log = newMonitor(c, ledger.NewLog(d.Store), d.events, metrics.Known{Server: d.hasServer, Tool: d.hasTool})
	d.gauges(d.log)
	d.log.ledger.Watch(logWatch{d.log, func() bool { return d.Config.Load().Activity.DeniesOnFailure() }})
	d.upkeep = newLogKeeper(d.Store, d.log, d.Config.Load)
	d.unseen = newUnseenCalls(c, d.log, d.Config.Load)
	d.away = newOutages(c, d.log)
	d.away.findLast(ctx, d.Store)
}

// wire puts the rooms together.
func (d *Daemon) wire(ctx context.Context, c *config.Config, detector *detect.Detector) {
	d.flows = newFlowSessions(c, d.Store, d.log, d.flowEnded)
	d.flows.resume(sessionIdle(c))
	d.desk, d.kill = approval.New(askingRules(c), d.asked), newKillSwitch(c, d.killTurned)
	d.desk.Keep(d.approved)
	d.desk.Watch(func() bool { return d.events.Pages() > 0 })
	d.gate = gate.New(d.flows.tracker, d.log, d.publish, d.firstSettings(c, detector))
	d.openPeers(c)
	d.hooks = hookeval.New(hookeval.Sources{
		Gate:     d.gate,
		Tracker:  d.flows.tracker,
		Sessions: d.flows.sessions,
		Links:    d.flows.links,
		Tool:     d.intake.Declared,
		Peers:    d.peers,
		Servers:  d.serverNames,
		Notice:   d.notice,
		Began:    d.home.learnFolder,
	}, hookSettings(c))
	d.resumeHooks(ctx)
	d.recallGaps(ctx)
	failClosedMarked(c)
	mask := d.gate.Mask
	logMask.Store(&mask)
	d.openAccounts(ctx, c)
	d.servers = upstream.NewManager(d.serverChanged, d.serverSaid)
	d.gateway = gateway.New(d.gate, d.servers, d.Catalog, d.flows.links, d.gatewayOptions(c))
	d.gateway.UseDefinitionFilter(d.intake)
	d.auth.OnRefused(d.requestRefused)
	d.gateway.UseAuth(d.auth)
	d.gateway.UsePeers(d.peers)
	d.openAudit()
	d.runScripts(c)
}

// keepAll starts what the daemon does beside serving, until ctx ends.
func (d *Daemon) keepAll(ctx context.Context) {
	for _, keep := range []func(context.Context){
		d.flows.state.keep,
		d.kill.keep,
		d.intake.Keep,
		d.upkeep.keepTidy,
		d.unseen.keep,
		d.away.keep,
		d.upkeep.keepBreaks,
		d.witness.keep,
	} {
		d.running.Go(func() { keep(ctx) })
	}
	d.running.Go(func() { d.upkeep.check(ctx, maxChecked) })
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
	debug.FreeOSMemory() // compiling leaves twice as much as the rules take
}

// listen opens the listeners and serves them.
func (d *Daemon) listen(c *config.Config) error {
	tcp, err := listenTCP(c.Listen)
	if err != nil {
		return err
	}
	d.Address = tcp.Addr().String()
	if err := checkExposed(context.Background(), d.Address, c); err != nil { // a name may lead elsewhere by now
		tcp.Close()
		return err
	}
	routes := http.NewServeMux()
	routes.Handle("/mcp", d.gateway)
	routes.Handle("/mcp/", d.gateway)
	routes.Handle("/", api.Handler(d.sources()))
	guarded := gateway.Guard(func() string { return d.Config.Load().Listen }, d.auth.Refused, routes)
	bounded := boundConnections(tcp)
	d.http = &http.Server{
		Handler:           gateway.Bodies(gateway.TCPBodies, guarded),
		ConnContext:       peer.Context,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		ConnState:         bounded.changed,
	}
	if !c.EnableSocket {
		d.running.Go(func() { serveUntilClosed(d.http, bounded) })
		return nil
	}
	sock, err := listenSocket(c.SocketPath())
	if err != nil {
		tcp.Close()
		return err
	}
	local := boundSocket(sock)
	trusted := &http.Server{
		Handler:           gateway.Trust(gateway.Bodies(gateway.SocketBodies, guarded)),
		ConnContext:       peer.Context,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          d.http.ErrorLog,
		ConnState:         local.changed,
	}
	d.http.RegisterOnShutdown(func() { trusted.Close() })
	d.running.Go(func() { serveUntilClosed(trusted, local) })
	// Who finds the daemon by TCP finds its socket, too.
	d.running.Go(func() { serveUntilClosed(d.http, bounded) })
	return nil
}

// shown is a text that repeats a server or the configuration, without the secrets in it.
func (d *Daemon) shown(s string) string { return redact.Secrets(d.gate.Mask(s)) }

// publish hands the gate's events on.
func (d *Daemon) publish(e journal.Event) { d.log.tell(e.Name, e.Record) }

func (d *Daemon) record(t mcpproxy.RecordType, server string, detail map[string]any) {
	d.log.Add(SystemRecord(t, server, detail))
}

// SystemRecord returns a record of something that mcpproxy itself did.
func SystemRecord(t mcpproxy.RecordType, server string, detail map[string]any) *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:           gate.NewID(),
		Type:         t,
		Source:       "system",
		Timestamp:    time.Now().UTC(),
		ServerName:   server,
		Status:       mcpproxy.StatusSuccess,
		CoverageMode: mcpproxy.CoverageProxyOnly,
		Metadata:     mcpproxy.Metadata{Detail: detail},
	}
}

// drain lets the calls end that run.
func (d *Daemon) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	d.gateway.Drain(ctx)
}

// Close stops the daemon: no new calls, a moment for those that run, then the
// children, then the log.
func (d *Daemon) Close() {
	d.stopped()
	d.reloading.close()
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
	d.gate.CloseRejections()
	d.log.stopped()
	d.flows.close()
	d.log.Close()
	d.witness.save()
	if err := d.Store.Close(); err != nil {
		slog.Error("closing the activity log", "error", err)
	}
	d.unlock()
}
