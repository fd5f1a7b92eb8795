package daemon

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/gate"
	hookclient "mcpproxy/internal/hook/client"
)

// besideSocket is the path of a file that hooks look for beside the daemon's socket.
func besideSocket(c *config.Config, name string) string {
	return filepath.Join(filepath.Dir(c.SocketPath()), name)
}

// markFailClosed tells hooks that find no daemon what to do (security.hooks.fail_open):
// they read no configuration, but look for a file.
func markFailClosed(c *config.Config) error {
	path := besideSocket(c, hookclient.ClosedFile)
	if c.Security.Hooks.FailOpen || !c.Security.Hooks.Enabled {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(
		path,
		0o600,
		[]byte("security.hooks.fail_open is false: hooks that get no answer deny the call\n"),
	)
}

// failClosedMarked is [markFailClosed] for the daemon, which goes on without it.
func failClosedMarked(c *config.Config) {
	if err := markFailClosed(c); err != nil {
		slog.Error("hooks cannot be told what to do when this daemon does not answer", "error", err)
	}
}

// unseenLook is how often it is looked whether hooks had no answer.
const unseenLook = 2 * time.Second

// unseenSettle is how long a hook that has the list open may take to write its line.
const unseenSettle = 100 * time.Millisecond

// unseenCalls records the calls that hooks let pass because they got no answer: while no
// daemon ran, or this one was stopped or too slow. It knows when that was last.
type unseenCalls struct {
	list   string // the file that hooks write
	log    *monitor
	config func() *config.Config
	last   atomic.Pointer[mcpproxy.Gap]
}

func newUnseenCalls(c *config.Config, log *monitor, current func() *config.Config) *unseenCalls {
	return &unseenCalls{
		list:   besideSocket(c, hookclient.UnseenFile),
		log:    log,
		config: current,
	}
}

// keep records such calls until ctx ends, and sees to it that hooks still find out what to
// do without a daemon.
func (u *unseenCalls) keep(ctx context.Context) {
	u.take()
	tick := time.NewTicker(unseenLook)
	defer tick.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			u.take()
			told = u.remark(told)
		}
	}
}

// remark puts the marker of hooks that fail closed back in its place. Told is whether the
// owner has heard that this fails.
func (u *unseenCalls) remark(told bool) bool {
	err := markFailClosed(u.config())
	if err != nil && !told {
		slog.Error("hooks cannot be told what to do when this daemon does not answer", "error", err)
	}
	return err != nil
}

// take records what hooks have listed so far.
func (u *unseenCalls) take() {
	path := u.list + ".taken" // so that nothing is added to what has been read
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		if os.Rename(u.list, path) != nil {
			return
		}
		time.Sleep(unseenSettle)
	}
	gap, ok := readUnseen(path)
	if !ok {
		return
	}
	if gap.Lost == 0 {
		_ = os.Remove(path)
		return
	}
	record := gap.Record(gate.NewID())
	record.RiskLevel = mcpproxy.RiskHigh
	if err := u.log.Append(context.Background(), record); err != nil {
		return // the file is read again when the log can be written
	}
	if err := os.Remove(path); err != nil {
		slog.Error(
			"the list of unseen calls could not be removed: it will be recorded twice",
			"file",
			path,
			"error",
			err,
		)
	}
	u.last.Store(&gap)
	slog.Warn(gap.String())
	u.log.tell(intake.EventIntegrity, record)
}

// readUnseen reads the list that hooks have written. The calls of a list that has
// reached its bound are more than it says.
func readUnseen(path string) (gap mcpproxy.Gap, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return gap, false
	}
	f, err := os.Open(path)
	if err != nil {
		slog.Error("the list of unseen calls cannot be read", "file", path, "error", err)
		return gap, false
	}
	defer f.Close()
	gap = mcpproxy.Gap{Reason: mcpproxy.GapNoDaemon, From: info.ModTime(), To: info.ModTime()}
	for lines := bufio.NewScanner(f); lines.Scan(); gap.Lost++ {
		first, _, _ := strings.Cut(lines.Text(), " ")
		if ms, err := strconv.ParseInt(first, 10, 64); err == nil && ms > 0 {
			if at := time.UnixMilli(ms); at.Before(gap.From) {
				gap.From = at
			}
		}
	}
	return gap, true
}

// recent is the last time in which hooks got no answer, if it is recent.
func (u *unseenCalls) recent() *mcpproxy.Gap { return recentGap(&u.last) }
