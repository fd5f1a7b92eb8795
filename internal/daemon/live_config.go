package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/policy/rules"
)

// readingWait limits how long reading a changed configuration may take, with the files and the
// keyring that it refers to.
const readingWait = 30 * time.Second

// loaded is a configuration that was read again, with the values derived from it.
type loaded struct {
	config   *config.Config
	detector *detect.Detector
	rules    *rules.Set
	company  *rules.Set // compiled rules of a managed machine's bundle
}

// reloader reads the configuration again, one read at a time: a new read cancels the one in
// progress. It holds no lock while it reads files, so that a read that blocks forever delays
// neither the next read nor the daemon's shutdown.
type reloader struct {
	mu     sync.Mutex
	closed bool               // no further read starts or takes effect
	giveUp context.CancelFunc // cancels the read in progress; nil before the first
}

// start calls read in a goroutine of group and then calls the function that read returns. It calls
// that function under the lock, and only if no newer read has begun.
func (r *reloader) start(ctx context.Context, group *sync.WaitGroup, read func(context.Context) (end func())) {
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

// close cancels the read in progress. After it returns, no read takes effect.
func (r *reloader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.giveUp != nil {
		r.giveUp()
	}
}

// configState records when the configuration was read, and whether the current file is valid.
type configState struct {
	mu  sync.Mutex
	at  time.Time
	err string
}

// took records that a configuration came into force.
func (s *configState) took() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.err = time.Now().UTC(), ""
}

// refused records that a changed file is invalid.
func (s *configState) refused(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = why
}

// now returns when the configuration in force was read, and why a newer file is invalid, or "".
func (s *configState) now() (at time.Time, err string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, s.err
}

// liveConfig holds the configuration in force. It reads the file again after a change. An invalid
// file leaves the old configuration in force.
type liveConfig struct {
	path     string               // path of the file, or ""
	override func(*config.Config) // applies flags and environment variables, which take precedence
	current  atomic.Pointer[config.Config]
	reloader reloader
	state    configState
}

// newLiveConfig returns a liveConfig with c in force.
func newLiveConfig(path string, c *config.Config, override func(*config.Config)) *liveConfig {
	l := &liveConfig{path: path, override: override}
	l.current.Store(c)
	l.state.took()
	return l
}

// now returns the configuration in force.
func (l *liveConfig) now() *config.Config { return l.current.Load() }

// reload reads the file again in a goroutine of group and returns at once. If the configuration is
// valid for the address that bound returns, the goroutine calls use with it. Otherwise it calls kept
// with the reason and, if the machine's bundle has changed, use with the old configuration under the
// new bundle. It calls neither after a newer read has begun, or after close.
func (l *liveConfig) reload(
	ctx context.Context,
	group *sync.WaitGroup,
	bound func() string,
	use func(*loaded),
	kept func(error),
) {
	l.reloader.start(ctx, group, func(ctx context.Context) (end func()) {
		next, err := loadAgain(ctx, l.path, l.override)
		if err == nil {
			err = checkListening(ctx, next.config, bound())
		}
		if err == nil {
			return func() { use(next) }
		}
		renewed, failed := l.renew(ctx)
		return func() {
			switch {
			case failed != nil:
				err = errors.Join(err, failed)
			case renewed != nil:
				use(renewed)
			}
			kept(err)
		}
	})
}

// take puts a configuration into force, except for settings that need a restart.
func (l *liveConfig) take(c *config.Config) {
	old := l.now()
	if c.APIKey == "" {
		c.APIKey = old.APIKey
	}
	if c.Listen != old.Listen || c.DataDir != old.DataDir || c.EnableSocket != old.EnableSocket {
		slog.Warn("listen, data_dir and enable_socket take effect when mcpproxy is restarted")
		c.Listen = old.Listen
		c.DataDir = old.DataDir
		c.EnableSocket = old.EnableSocket
	}
	if c.TLS != old.TLS {
		slog.Warn("tls takes effect when mcpproxy is restarted; a change of its files takes effect at once")
		c.TLS = old.TLS
	}
	warnOf(c)
	l.current.Store(c)
	l.state.took()
}

// close cancels the read in progress and prevents further reads.
func (l *liveConfig) close() { l.reloader.close() }

// renew returns the configuration in force, restricted by the managed machine's current bundle. It
// returns nil if the machine is not managed or the bundle has not changed.
func (l *liveConfig) renew(ctx context.Context) (*loaded, error) {
	old := l.now()
	c, err := config.Renew(ctx, old)
	if c == nil || err != nil {
		return nil, err
	}
	l.override(c)
	if by := c.Company; by != nil && by.Label == old.Company.Label && by.Closed == old.Company.Closed {
		return nil, nil
	}
	return made("", c)
}

// loadAgain reads a configuration and derives everything that can be derived before it is in force.
func loadAgain(ctx context.Context, path string, override func(*config.Config)) (*loaded, error) {
	c, err := config.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	override(c)
	if err := checkData(c); err != nil {
		return nil, err
	}
	return made(path, c)
}

// made returns a configuration with the values derived from it. Path is the path of its file.
func made(path string, c *config.Config) (next *loaded, err error) {
	next = &loaded{config: c}
	if next.detector, err = DetectorFor(path, c); err != nil {
		return nil, err
	}
	if next.detector != nil {
		if err := next.detector.Warm(); err != nil {
			return nil, err
		}
	}
	if next.rules, err = RulesOf(path, c); err != nil {
		return nil, err
	}
	next.company, err = companyRules(c)
	return next, err
}

// checkListening returns an error if a configuration would serve other machines without a key, at the configured
// address or at the address that is already bound.
func checkListening(ctx context.Context, c *config.Config, bound string) error {
	for _, address := range []string{c.Listen, bound} {
		if err := checkExposed(ctx, address, c); err != nil {
			return err
		}
	}
	return nil
}

// checkData returns an error if other users can change the data folder or one of its files about
// permissions or past calls.
func checkData(c *config.Config) error {
	for _, name := range append([]string{"."}, ownFiles...) {
		err := atomicfile.CheckWriters(filepath.Join(c.DataDir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
