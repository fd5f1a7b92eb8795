package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	hookclient "mcpproxy/internal/hook/client"
)

// killLook is how often the kill file is checked.
const killLook = 250 * time.Millisecond

// KillPath returns the path of the kill file, which denies every call while it exists.
func KillPath(c *config.Config) string { return filepath.Join(c.DataDir, hookclient.KillFile) }

// killSwitch denies every call while its file exists or the configuration says so. The file keeps
// the switch on across restarts.
type killSwitch struct {
	path string
	turn func(api.KillState, string) // called for every change, with its cause

	// share changes the switch of the other replicas. It is nil without replicas.
	share func(on bool, by string) error

	mu      sync.Mutex
	turned  chan struct{} // closed while the switch is on
	state   api.KillState
	unsaved bool // on, but the file could not be written
}

// newKillSwitch returns the switch in the state given by its file and the configuration. Turn is
// called under the switch's lock, before Set returns.
func newKillSwitch(c *config.Config, turn func(state api.KillState, how string)) *killSwitch {
	k := &killSwitch{path: KillPath(c), turn: turn, turned: make(chan struct{})}
	k.state.Config = c.Security.KillSwitch
	if k.state.On = k.state.Config || k.there(); k.state.On {
		close(k.turned)
	}
	if info, err := os.Lstat(k.path); err == nil {
		k.since(k.writer(), info.ModTime())
	} else if k.state.On {
		k.since("configuration", time.Now())
	}
	return k
}

// there reports whether the file exists. If that cannot be determined, the file counts as existing.
func (k *killSwitch) there() bool {
	_, err := os.Lstat(k.path)
	return !errors.Is(err, os.ErrNotExist)
}

// writer returns who turned the switch on, according to the file.
func (k *killSwitch) writer() string {
	f, err := os.OpenFile(k.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // non-blocking, in case it is a pipe
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	raw, _ := io.ReadAll(io.LimitReader(f, 200))
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) { // other programs may have written the file
			return '·'
		}
		return r
	}, strings.TrimSpace(string(raw)))
}

func (k *killSwitch) since(by string, at time.Time) {
	at = at.UTC()
	k.state.Since, k.state.By = &at, by
}

// State returns whether calls are denied.
func (k *killSwitch) State() api.KillState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

// Turned returns a channel that is closed when the switch is turned on.
func (k *killSwitch) Turned() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turned
}

// Set turns the switch on or off for a person.
func (k *killSwitch) Set(on bool, by string) (api.KillState, error) {
	var shared error
	if k.share != nil {
		if shared = k.share(on, by); shared != nil {
			shared = fmt.Errorf("the other replicas do not know that the kill switch is %s here: %w", onOff(on), shared)
		}
	}
	if shared != nil && !on {
		return k.State(), fmt.Errorf("the kill switch stays on: the other replicas cannot be told: %w", errors.Unwrap(shared))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	state, err := k.set(on, by, "command")
	return state, errors.Join(err, shared)
}

// follow copies a change of the switch by another replica.
func (k *killSwitch) follow(on bool, by string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := k.set(on, by, "another replica")
	return err
}

// set changes the switch of this process. The caller holds the lock.
func (k *killSwitch) set(on bool, by, how string) (api.KillState, error) {
	var err error
	if on {
		err = WriteKill(k.path, by)
	} else {
		err = os.Remove(k.path)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	k.unsaved = on && err != nil && !k.there()
	k.look(by, how)
	if err != nil {
		later := "will not know it"
		if k.there() {
			later = "will find it on"
		}
		return k.state, fmt.Errorf("the kill switch is %s, and a restart %s: %w", onOff(k.state.On), later, err)
	}
	return k.state, nil
}

// look compares the current with the required state and changes the switch. The caller holds the
// lock.
func (k *killSwitch) look(by, how string) {
	on := k.state.Config || k.unsaved || k.there()
	if on == k.state.On {
		return
	}
	if k.state.On = on; on {
		k.since(by, time.Now())
		close(k.turned)
	} else {
		k.state.Since, k.state.By = nil, ""
		k.turned = make(chan struct{})
	}
	k.turn(k.state, how)
}

// configure applies a new configuration, and calls apply with the resulting state while the lock is
// held.
func (k *killSwitch) configure(c *config.Config, apply func(on bool)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state.Config = c.Security.KillSwitch
	apply(k.state.Config || k.unsaved || k.there())
	k.look("configuration", "configuration")
}

// keep checks the file until ctx ends.
func (k *killSwitch) keep(ctx context.Context) {
	tick := time.NewTicker(killLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.mu.Lock()
			k.look(k.writer(), "file")
			k.mu.Unlock()
		}
	}
}

// WriteKill creates the kill file unless it exists.
func WriteKill(path, by string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, by)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path)) // sync the folder, which contains the file's name
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
