// Package daemon is the running proxy. It connects the other packages, applies the configuration,
// and runs the background tasks: snapshots of flow sessions, retention, checks of the log, the kill
// switch.
//
// A [Daemon] consists of parts that own their state. Each part has a file of its name, gets its
// dependencies when it is built, and can be read alone:
//
//   - liveConfig holds the configuration in force and reads the file again
//   - activityLog holds the log, the monitor that receives all records, and the log's maintenance
//   - gapWatch records the times in which calls passed unseen
//   - flowSessions holds the sessions in which data is tracked, with their snapshot
//   - homeManager knows what belongs to the user's own organisation
//   - approvals holds the questions to a person, and the permanent answers
//   - upstreams holds the servers, the logins to them, and their definitions
//   - callers holds the tokens and the processes that may use the daemon
//   - gateManager keeps the gate's settings up to date
//   - bundleManager fetches the bundle of a managed machine
//   - shipping sends the activity log to a hub, uploading to a bucket, and hubService takes the logs of other machines
//   - replicas are the gateways that share the state with this one
//   - channels are MCP, hooks and scripts
//   - listeners are the TCP address and the socket
//
// Of the other files, gate_settings.go and upstream_specs.go derive settings from the
// configuration, api_sources.go answers the API's queries, and slog_mask.go masks the daemon's own
// log messages.
//
// [Start] opens the listeners and returns. [Run] calls Start and handles signals, for a separate
// process.
package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/home"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/text"
	"mcpproxy/internal/version"
	"mcpproxy/internal/wire"
)

// Daemon is the running proxy. It builds its parts, passes them changes of the configuration, and
// closes them. The parts do the work.
type Daemon struct {
	config      *liveConfig
	events      *api.Events
	log         *activityLog
	gaps        *gapWatch
	flows       *flowSessions
	home        *homeManager
	approvals   *approvals
	servers     *upstreams
	callers     *callers
	gateManager *gateManager
	bundles     *bundleManager
	replicas    *replicas // nil without replicas
	channels    *channels
	listeners   *listeners
	shipping    *shipping
	uploading   *shipping
	hub         *hubService  // nil unless this is a hub
	routes      http.Handler // of both listeners; nil until they are open

	unlock  func() // releases the data folder
	stop    context.CancelFunc
	running sync.WaitGroup
}

// stopGrace is how long calls may continue when the daemon stops.
const stopGrace = 5 * time.Second

// Start starts everything; the listeners are open when it returns.
func Start(ctx context.Context, path string, c *config.Config, override func(*config.Config)) (*Daemon, error) {
	override(c)
	if err := checkExposed(ctx, c.Listen, c); err != nil {
		return nil, err
	}
	detector, err := DetectorFor(path, c)
	if err != nil {
		return nil, exit.With(exit.Config, err)
	}
	own, err := RulesOf(path, c)
	if err != nil {
		return nil, err
	}
	company, err := companyRules(c)
	if err != nil {
		return nil, exit.With(exit.Config, err)
	}
	d := &Daemon{events: api.NewEvents(), config: newLiveConfig(path, c, override)}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.stop = stop
	if err := d.open(ctx, life, c); err != nil {
		stop()
		return nil, err
	}
	ctx = life
	if err := d.wire(ctx, &loaded{
		config:   c,
		detector: detector,
		rules:    own,
		company:  company,
	}); err != nil {
		stop()
		d.log.close()
		d.unlock()
		return nil, exit.With(exit.Config, err)
	}
	d.home.configure(c)
	d.home.learnUser(ctx)
	if err := d.listen(c); err != nil {
		d.Close()
		return nil, err
	}
	d.keepAll(ctx)
	go warm(detector)
	detail := map[string]any{"version": version.String(), "listen": d.Address()}
	d.log.monitor.record(mcpproxy.RecordSystemStart, "", detail)
	d.gateManager.reportKillAtStart()
	d.servers.apply(c, path)
	if path != "" {
		if err := config.Watch(ctx, path, func() { d.reload(ctx) }); err != nil {
			slog.Warn("cannot watch the configuration; changes of it are not noticed", "error", err)
		}
	}
	d.callers.watch(ctx, c)
	return d, nil
}

// Config returns the configuration in force. It must not be changed.
func (d *Daemon) Config() *config.Config { return d.config.now() }

// Path returns the path of the configuration file, or "" without a file.
func (d *Daemon) Path() string { return d.config.path }

// Address returns the host and port of the TCP listener.
func (d *Daemon) Address() string { return d.listeners.address }

// Store returns the store of the activity log.
func (d *Daemon) Store() ledger.Guarded { return d.log.store }

// Catalog returns the tools that agents can find and call.
func (d *Daemon) Catalog() *catalog.Catalog { return d.servers.catalog }

// open locks the data folder, so that no second daemon uses it, and opens the parts that have files
// there. These parts refer to parts that wire makes, such as the gateway and the gate: they must not
// use them before wire has returned. Life is the context of the daemon.
func (d *Daemon) open(ctx, life context.Context, c *config.Config) (err error) {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	if err := checkData(c); err != nil {
		return err
	}
	if d.unlock, err = Lock(LockPath(c)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.unlock()
		}
	}()
	sweep(d.config.path, c)
	known := metrics.Known{
		Server: func(name string) bool { return d.servers.has(name) },
		Tool:   func(server, name string) bool { return d.servers.hasTool(server, name) },
	}
	if d.log, err = openLog(ctx, c, d.config.now, d.events, known); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.log.close()
		}
	}()
	if d.servers, err = d.openUpstreams(life, c); err != nil {
		return err
	}
	key := func() string { return d.config.now().APIKey }
	expel := func(name string) { d.channels.gateway.Expel(name) }
	if d.callers, err = openCallers(c, key, d.log.monitor, expel); err != nil {
		return err
	}
	if d.approvals, err = openApprovals(c, d.log.monitor, d.events); err != nil {
		return err
	}
	use := func(h *home.Home) { d.gateManager.gate.UseHome(h) }
	if d.home, err = openHome(c, use, d.log.monitor.record, d.events); err != nil {
		return err
	}
	d.gaps = newGapWatch(ctx, c, d.log, d.config.now)
	to := shippers{log: d.log, config: d.config.now}
	d.shipping = &shipping{log: d.log, what: "hub", open: to.toHub}
	d.uploading = &shipping{log: d.log, what: "bucket", open: to.toBucket}
	d.hub, err = openHub(ctx, c)
	return err
}

// openUpstreams opens the servers. They use the gate and the gateway only after wire.
func (d *Daemon) openUpstreams(life context.Context, c *config.Config) (*upstreams, error) {
	return openUpstreams(life, c, upstreamDeps{
		log:     d.log,
		events:  d.events,
		secrets: func(doc *text.Document) ([]mcpproxy.Signal, error) { return d.gateManager.gate.Secrets(doc) },
		mask:    func(s string) string { return d.gateManager.gate.Mask(s) },
		shown:   func(s string) string { return d.gateManager.shown(s) },
		address: func() string { return d.listeners.address },
		toolsChanged: func() {
			if d.channels != nil {
				d.channels.gateway.ToolsChanged()
			}
		},
		declared: func(server string) { d.servers.warnUnmatched(d.config.now(), server) },
		heard:    func(server string, m *wire.Message) { d.channels.gateway.Notified(server, m) },
	})
}

// sweep removes temporary files of crashed processes, including those of commands. Such files may
// contain keys.
func sweep(path string, c *config.Config) {
	paths := []string{filepath.Join(c.DataDir, "tokens.json"), filepath.Join(c.DataDir, agentsFile)}
	if path != "" {
		paths = append(paths, path)
	}
	for _, path := range paths {
		if err := atomicfile.SweepOld(path); err != nil {
			slog.Warn("could not remove a temporary file that a crash left behind", "file", path, "error", err)
		}
	}
}

// wire builds the parts without files, which handle calls.
func (d *Daemon) wire(ctx context.Context, first *loaded) (err error) {
	c, m := first.config, d.log.monitor
	d.flows = newFlowSessions(c, d.log.store, m, d.flowEnded)
	if !c.State.Shared() { // otherwise the shared store holds the sessions
		d.flows.resume(sessionIdle(c))
	}
	d.gateManager = newGateManager(d.config.path, first, gateParts{
		tracker:   d.flows.tracker,
		log:       m,
		sealer:    d.log.sealer,
		events:    d.events,
		approvals: d.approvals,
		servers:   d.servers,
		home:      d.home,
		callers:   d.callers,
	})
	key := func() string { return d.config.now().APIKey }
	d.replicas, err = newReplicas(c, d.flows.tracker, d.gateManager.kill, m, key, d.approvals, d.servers.intake)
	if err != nil {
		return err
	}
	mask := d.gateManager.gate.Mask
	logMask.Store(&mask)
	d.channels = newChannels(ctx, c, channelParts{
		gate:    d.gateManager.gate,
		flows:   d.flows,
		servers: d.servers,
		callers: d.callers,
		log:     d.log,
		config:  d.config.now,
		notice:  d.gaps.notice,
		began:   d.home.learnFolder,
		router:  d.replicas.router(),
	})
	d.bundles = &bundleManager{
		config: d.config.now,
		reload: d.reload,
		record: m.record,
		shown:  d.gateManager.shown,
	}
	d.gaps.configure(c)
	d.callers.auth.OnRefused(refusals{gate: d.gateManager.gate, log: m}.record)
	auditor{
		log:      d.log,
		flows:    d.flows,
		servers:  d.servers,
		channels: d.channels,
		mask:     mask,
		policies: d.policies(),
	}.open()
	addGauges(m, d.servers, d.channels, d.flows)
	return nil
}

// flowEnded makes scripts forget a session. Sessions of the last run can end before channels exist.
func (d *Daemon) flowEnded(session string) {
	if d.channels != nil {
		d.channels.flowEnded(session)
	}
}

// keepAll starts the background tasks. They run until ctx ends.
func (d *Daemon) keepAll(ctx context.Context) {
	for _, keep := range []func(context.Context){
		d.flows.state.keep,
		d.gateManager.kill.keep,
		d.servers.intake.Keep,
		d.log.upkeep.keepTidy,
		d.gaps.unseen.keep,
		d.gaps.away.keep,
		d.log.upkeep.keepBreaks,
		d.log.witness.keep,
		d.log.followOthers,
		d.bundles.keep,
		d.replicas.keep,
		d.shipping.keep,
		d.uploading.keep,
		d.followMachines,
	} {
		d.running.Go(func() { keep(ctx) })
	}
	d.running.Go(func() { d.log.upkeep.check(ctx, maxChecked) })
}

// warm compiles the patterns for reading calls in the background. The first call may have to wait
// for it; shutdown does not.
func warm(detector *detect.Detector) {
	scan.Warm()
	definition.Warm()
	if detector == nil {
		return
	}
	if err := detector.Warm(); err != nil {
		slog.Error("the rules could not be compiled: calls with text will be refused", "error", err)
	}
	debug.FreeOSMemory() // compiling needs twice the memory of the compiled rules
}

// listen opens the listeners and serves requests.
func (d *Daemon) listen(c *config.Config) (err error) {
	if d.listeners, err = bind(c); err != nil {
		return err
	}
	// These files must exist before the daemon answers its first request.
	if err := MarkStopped(c, false); err != nil {
		slog.Warn("could not record that the daemon is running again: hooks will not start it", "error", err)
	}
	autostartMarked(d.config.path, c)
	routes := http.NewServeMux()
	routes.Handle("/mcp", d.channels.gateway)
	routes.Handle("/mcp/", d.channels.gateway)
	routes.HandleFunc(auth.MetadataPath, d.callers.auth.ServeMetadata)
	routes.HandleFunc(auth.MetadataPath+"/", d.callers.auth.ServeMetadata)
	d.hub.add(routes)
	routes.Handle("/", d.replicas.guard(api.Handler(d.sources())))
	d.routes = routes
	guarded := gateway.Guard(d.ownNames, d.callers.auth.Refused, routes)
	return d.listeners.serve(c, guarded, &d.running)
}

// ownNames returns the host names that requests may use for this daemon: the host of listen, the
// names in the listener's certificate, and the host at which people open the page.
func (d *Daemon) ownNames() []string {
	c := d.config.now()
	names := append([]string{c.Listen}, d.listeners.names()...)
	if u, err := url.Parse(c.Auth.OIDC.Page.URL); err == nil && u.Host != "" {
		names = append(names, u.Host)
	}
	return names
}

// reload starts to read the configuration again and returns at once.
func (d *Daemon) reload(ctx context.Context) {
	d.config.reload(ctx, &d.running, d.Address, d.apply, d.keepConfig)
}

// apply passes a changed configuration to every part.
func (d *Daemon) apply(next *loaded) {
	c := next.config
	d.config.take(c)
	d.flows.configure(c)
	d.gateManager.configure(next)
	d.home.configure(c)
	d.servers.intake.Configure(trustRules(c))
	d.callers.configure(c)
	d.gaps.configure(c)
	autostartMarked(d.config.path, c)
	d.log.configure(c)
	d.channels.configure(c)
	d.servers.apply(c, d.config.path)
	d.servers.forgetGone(c)
	d.servers.intake.OfferAll()
	d.servers.warnUnmatched(c, "")
	slog.Info("the configuration was read again")
	detail := map[string]any{"file": filepath.Base(d.config.path)}
	if by := c.Company; by != nil {
		detail["bundle"] = by.Label
	}
	d.log.monitor.record(mcpproxy.RecordConfigChange, "", detail)
	d.events.Publish("config.reloaded", map[string]any{"ok": true})
}

// keepConfig logs that a changed configuration is invalid. The message is masked, because it can
// quote keys in the file.
func (d *Daemon) keepConfig(err error) {
	why := d.gateManager.shown(err.Error())
	d.config.state.refused(why)
	slog.Error("the configuration was changed and cannot be used; the old one stays in force", "error", why)
	d.events.Publish("config.reloaded", map[string]any{"ok": false, "error": why})
}

// Close stops the daemon. It refuses new calls, waits briefly for running calls, then closes the
// child processes and finally the log.
func (d *Daemon) Close() {
	d.stop()
	d.config.close()
	d.approvals.desk.Close()
	d.channels.drain()
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	d.events.Close()
	d.channels.gateway.Close()
	d.listeners.close(ctx)
	d.channels.scripts.Close()
	d.servers.manager.Close(ctx)
	d.servers.accounts.close()
	d.running.Wait()
	d.listeners.settle()
	d.channels.hooks.Close()
	d.gateManager.gate.CloseRejections()
	d.log.monitor.stopped()
	d.replicas.close()
	d.flows.close()
	d.hub.close()
	d.log.close()
	d.unlock()
}
