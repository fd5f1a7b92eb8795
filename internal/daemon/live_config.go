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

// readingWait bounds how long a changed configuration is read, with the files and the
// keyring that it refers to.
const readingWait = 30 * time.Second

// loaded is a configuration that was read again, with what was made from it.
type loaded struct {
	config   *config.Config
	detector *detect.Detector
	rules    *rules.Set
	company  *rules.Set // of the bundle of a managed machine
}

// reloader reads the configuration again, once at a time: a reading that is under way is given
// up when another begins. No lock is held while files are read, so that one that never comes
// to its end delays neither the next reading nor the daemon's end.
type reloader struct {
	mu     sync.Mutex
	closed bool               // no reading begins or counts any more
	giveUp context.CancelFunc // ends the reading that is under way; nil before the first
}

// start calls read in a goroutine of group, and then what it returns. That is called under
// the lock, and only if no other reading has begun.
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

// close gives the reading up that is under way. When it returns, none ends any more.
func (r *reloader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.giveUp != nil {
		r.giveUp()
	}
}

// configState is when the configuration was read, and whether the file holds.
type configState struct {
	mu  sync.Mutex
	at  time.Time
	err string
}

// took notes that a configuration came into force.
func (s *configState) took() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.err = time.Now().UTC(), ""
}

// refused notes that a changed file cannot be used.
func (s *configState) refused(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = why
}

// now returns when the configuration in force was read, and why a file that changed since
// cannot be used; "" if it can.
func (s *configState) now() (at time.Time, err string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, s.err
}

// liveConfig is the configuration in force. It reads the file again when the file changes; one
// that cannot be used leaves the old configuration in force.
type liveConfig struct {
	path     string               // of the file; "" when there is none
	override func(*config.Config) // what flags and environment say over the file
	current  atomic.Pointer[config.Config]
	reloader reloader
	state    configState
}

// newLiveConfig returns a configuration that is in force from now on.
func newLiveConfig(path string, c *config.Config, override func(*config.Config)) *liveConfig {
	l := &liveConfig{path: path, override: override}
	l.current.Store(c)
	l.state.took()
	return l
}

// now returns the configuration in force.
func (l *liveConfig) now() *config.Config { return l.current.Load() }

// reload reads the file again in a goroutine of group, and returns at once. Then it calls use
// with a configuration that may serve at the address bound, or kept with the reason why the
// old one stays. Neither is called if another reading has begun, or after close.
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

// take puts a configuration into force, except for what only a start can change.
func (l *liveConfig) take(c *config.Config) {
	old := l.now()
	if c.APIKey == "" {
		c.APIKey = old.APIKey
	}
	if c.Listen != old.Listen || c.DataDir != old.DataDir || c.EnableSocket != old.EnableSocket {
		slog.Warn("listen, data_dir and enable_socket take effect when mcpproxy is started anew")
		c.Listen = old.Listen
		c.DataDir = old.DataDir
		c.EnableSocket = old.EnableSocket
	}
	if c.TLS != old.TLS {
		slog.Warn("tls takes effect when mcpproxy is started anew; a change of its files takes effect at once")
		c.TLS = old.TLS
	}
	warnOf(c)
	l.current.Store(c)
	l.state.took()
}

// close gives up the reading that is under way, and reads no more.
func (l *liveConfig) close() { l.reloader.close() }

// renew returns the configuration in force as the bundle of a managed machine allows it now; nil if the
// machine is not a managed one, or nothing of the bundle has changed.
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
	return made(path, c)
}

// made returns a configuration with what is made from it. Path is that of its file.
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
