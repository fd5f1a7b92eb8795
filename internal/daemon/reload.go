package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/policy/rules"
)

// readingWait bounds how long a changed configuration is read, with the files and the
// keyring that it refers to.
const readingWait = 30 * time.Second

// loaded is a configuration that was read again, with what was made from it.
type loaded struct {
	config   *config.Config
	detector *detect.Detector
	rules    *rules.Set
}

// reading reads the configuration again, once at a time: a reading that is under way is given
// up when another begins. No lock is held while files are read, so that one that never comes
// to its end delays neither the next reading nor the daemon's end.
type reading struct {
	mu     sync.Mutex
	closed bool               // no reading begins or counts any more
	giveUp context.CancelFunc // ends the reading that is under way; nil before the first
}

// start calls read in a goroutine of group, and then what it returns. That is called under
// the lock, and only if no other reading has begun.
func (r *reading) start(ctx context.Context, group *sync.WaitGroup, read func(context.Context) (end func())) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.giveUp != nil {
		r.giveUp()
	}
	ctx, cancel := context.WithTimeout(ctx, readingWait)
	r.giveUp = cancel
	group.Go(func() {
		defer cancel()
		end := read(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.closed && !errors.Is(ctx.Err(), context.Canceled) {
			end()
		}
	})
}

// close gives the reading up that is under way. When it returns, none ends any more.
func (r *reading) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.giveUp != nil {
		r.giveUp()
	}
}

// reload has the configuration read again, and returns at once. A configuration that cannot
// be used leaves the old one in force.
func (d *Daemon) reload(ctx context.Context) {
	d.reloading.start(ctx, &d.running, func(ctx context.Context) (end func()) {
		next, err := loadAgain(ctx, d.Path, d.override)
		if err == nil {
			err = checkListening(ctx, next.config, d.Address)
		}
		if err != nil {
			return func() { d.keepConfig(err) }
		}
		return func() { d.apply(next) }
	})
}

// loadAgain reads a configuration and makes of it what can be made before it is in force.
func loadAgain(ctx context.Context, path string, override func(*config.Config)) (*loaded, error) {
	c, err := config.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	override(c)
	if err := checkData(c); err != nil {
		return nil, err
	}
	next := &loaded{config: c}
	if next.detector, err = DetectorFor(c); err != nil {
		return nil, err
	}
	if next.detector != nil {
		if err := next.detector.Warm(); err != nil {
			return nil, err
		}
	}
	next.rules, err = RulesOf(path, c)
	return next, err
}

// checkListening returns an error if a configuration would serve other machines without a
// key, at the address that it names or at the one that is bound.
func checkListening(ctx context.Context, c *config.Config, bound string) error {
	for _, address := range []string{c.Listen, bound} {
		if err := checkExposed(ctx, address, c); err != nil {
			return err
		}
	}
	return nil
}

// checkData returns an error if other users can change the data folder, or one of the
// files in it that say what agents may do or what they did.
func checkData(c *config.Config) error {
	for _, name := range append([]string{"."}, ownFiles...) {
		err := atomicfile.CheckWriters(filepath.Join(c.DataDir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// apply puts a configuration into force.
func (d *Daemon) apply(next *loaded) {
	c := next.config
	old := d.Config.Load()
	if c.APIKey == "" {
		c.APIKey = old.APIKey
	}
	if c.Listen != old.Listen || c.DataDir != old.DataDir || c.EnableSocket != old.EnableSocket {
		slog.Warn("listen, data_dir and enable_socket take effect when mcpproxy is started anew")
		c.Listen = old.Listen
		c.DataDir = old.DataDir
		c.EnableSocket = old.EnableSocket
	}
	warnOf(c)
	d.rules.Store(next.rules)
	d.Config.Store(c)
	d.lastRead.took()
	d.flows.configure(c)
	d.configureGate(c, next.detector)
	d.home.configure(c)
	d.intake.Configure(trustRules(c))
	d.hooks.Configure(hookSettings(c))
	d.peers.AllowNested(c.Security.Hooks.NestedAgents == mcpproxy.Allow)
	failClosedMarked(c)
	d.log.configure(c)
	d.upkeep.configure(c)
	d.gateway.Configure(d.gatewayOptions(c))
	d.scripts.Configure(ScriptLimits(c))
	d.servers.Apply(d.accounts.sign(c, Specs(c, d.Path)))
	d.forgetServers(c)
	d.intake.OfferAll()
	slog.Info("the configuration was read again")
	d.record(mcpproxy.RecordConfigChange, "", map[string]any{"file": filepath.Base(d.Path)})
	d.events.Publish("config.reloaded", map[string]any{"ok": true})
}

// keepConfig says that a changed configuration cannot be used. What it says of it can
// quote the file, which holds keys.
func (d *Daemon) keepConfig(err error) {
	why := d.shown(err.Error())
	d.lastRead.refused(why)
	slog.Error("the configuration was changed and cannot be used; the old one stays in force", "error", why)
	d.events.Publish("config.reloaded", map[string]any{"ok": false, "error": why})
}
