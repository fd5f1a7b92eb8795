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

// killLook is how often the sentinel file is looked for.
const killLook = 250 * time.Millisecond

// KillPath is the file that, while it is there, denies every call.
func KillPath(c *config.Config) string { return filepath.Join(c.DataDir, hookclient.KillFile) }

// killSwitch denies every call while its file is there, or the configuration says
// so. The file is what survives a restart.
type killSwitch struct {
	path string
	turn func(api.KillState, string) // hears of every turn, and how it came

	// share turns the switch of the other replicas. It is nil for a gateway of its own.
	share func(on bool, by string) error

	mu      sync.Mutex
	turned  chan struct{} // closed while the switch is on
	state   api.KillState
	unsaved bool // on, and there is no file that says so
}

// newKillSwitch returns the switch as its file and the configuration say. Turn is
// called under the switch's lock: when Set returns, the switch has been turned.
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

// there reports whether the file is there. What cannot be looked at counts as there.
func (k *killSwitch) there() bool {
	_, err := os.Lstat(k.path)
	return !errors.Is(err, os.ErrNotExist)
}

// writer is what the file says about who turned the switch on.
func (k *killSwitch) writer() string {
	f, err := os.OpenFile(k.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must hold nobody up
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	raw, _ := io.ReadAll(io.LimitReader(f, 200))
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) { // others may have written the file
			return '·'
		}
		return r
	}, strings.TrimSpace(string(raw)))
}

func (k *killSwitch) since(by string, at time.Time) {
	at = at.UTC()
	k.state.Since, k.state.By = &at, by
}

// State is whether calls are denied.
func (k *killSwitch) State() api.KillState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

// Turned is closed when the switch is turned on.
func (k *killSwitch) Turned() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turned
}

// Set turns the switch at somebody's wish.
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

// follow turns the switch as another replica has turned it.
func (k *killSwitch) follow(on bool, by string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := k.set(on, by, "another replica")
	return err
}

// set turns the switch of this process. The caller holds the lock.
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

// look compares what holds with what should, and turns the switch. The caller
// holds the lock.
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

// configure takes over what a new configuration says, and calls apply with what
// holds then, before anybody else can turn the switch.
func (k *killSwitch) configure(c *config.Config, apply func(on bool)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state.Config = c.Security.KillSwitch
	apply(k.state.Config || k.unsaved || k.there())
	k.look("configuration", "configuration")
}

// keep follows the file until ctx ends.
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

// WriteKill writes the sentinel, unless it is there.
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
	dir, err := os.Open(filepath.Dir(path)) // where the file's name stands
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
