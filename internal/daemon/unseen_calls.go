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

// besideSocket returns the path of a file next to the daemon's socket, where hooks look for it.
func besideSocket(c *config.Config, name string) string {
	return filepath.Join(filepath.Dir(c.SocketPath()), name)
}

// markFailClosed tells hooks what to do if they find no daemon (security.hooks.fail_open). Hooks do
// not read the configuration but check for a file.
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

// failClosedMarked calls [markFailClosed] and logs an error instead of returning it.
func failClosedMarked(c *config.Config) {
	if err := markFailClosed(c); err != nil {
		slog.Error("cannot write the file that tells hooks what to do if this daemon does not answer", "error", err)
	}
}

// unseenLook is how often the daemon checks for calls without an answer.
const unseenLook = 2 * time.Second

// unseenSettle is how long a hook with the open list may take to write its line.
const unseenSettle = 100 * time.Millisecond

// unseenCalls records the calls that hooks let pass because they got no answer: while no daemon
// ran, or this one was stopped or too slow. It also remembers the last period with such calls.
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

// keep records such calls until ctx ends, and restores the file that tells hooks what to do without
// a daemon.
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
			told = u.restoreMarker(told)
		}
	}
}

// restoreMarker restores the marker file of hooks that fail closed. Told says whether a failure was
// already reported.
func (u *unseenCalls) restoreMarker(told bool) bool {
	err := markFailClosed(u.config())
	if err != nil && !told {
		slog.Error("cannot write the file that tells hooks what to do if this daemon does not answer", "error", err)
	}
	return err != nil
}

// take records the calls that hooks have listed so far.
func (u *unseenCalls) take() {
	path := u.list + ".taken" // renamed so that no line is added after reading
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
		return // read again when the log can be written
	}
	if err := os.Remove(path); err != nil {
		slog.Error(
			"cannot remove the list of unseen calls; they will be recorded twice",
			"file",
			path,
			"error",
			err,
		)
	}
	u.last.Store(&gap)
	slog.Warn(gap.String())
	u.log.publishRecord(intake.EventIntegrity, record)
}

// readUnseen reads the hooks' list. If the list has reached its maximum size, there were more calls
// than it contains.
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

// recent returns the last period in which hooks got no answer, if it is recent.
func (u *unseenCalls) recent() *mcpproxy.Gap { return recentGap(&u.last) }
