package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/service"
)

const (
	startPatience = 30 * time.Second // for a started daemon to answer
	endPatience   = 40 * time.Second // for a stopped daemon to end
	endLook       = 50 * time.Millisecond
)

func startCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "Start the proxy in the background, if it is not running",
		Args:  noArguments,
		Long: `Starts the service if one is installed, and else a process in the background, which runs
until the machine is turned off. Returns when the proxy answers. If it runs already, nothing
is done. To see it work in this terminal, run mcpproxy serve instead.`,
		Example: "  mcpproxy start\n  mcpproxy logs --follow",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ensure(cmd.Context(), g); err != nil {
				return err
			}
			return printRunning(cmd, g)
		},
	}
}

// printRunning prints which daemon is running.
func printRunning(cmd *cobra.Command, g *globals) error {
	c, err := remote.Config(g.config)
	if err != nil {
		return err
	}
	pid, err := daemonPID(c)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "mcpproxy is running (pid %d). To see its log: mcpproxy logs\n", pid)
	return nil
}

// ensure starts the daemon unless it answers: as the service of this configuration, or in the
// background.
func ensure(ctx context.Context, g *globals) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	c, err := remote.Config(g.config)
	if err != nil {
		return err
	}
	program, file, err := programAndFile(g)
	if err != nil {
		return err
	}
	b := &service.Background{
		Program: program,
		Args:    []string{"serve", "--config", file},
		Env:     daemonEnv(os.Environ()),
		Folder:  c.DataDir,
		Answers: func(ctx context.Context) bool { return answers(ctx, c) },
	}
	if m := ownService(g, file); m != nil {
		b.Start = m.Start
	}
	defer term.Progress(os.Stderr, "waiting for mcpproxy to answer")()
	return b.Ensure(ctx)
}

// programAndFile returns the paths of this program and of the configuration file for starting a
// daemon.
func programAndFile(g *globals) (program, file string, err error) {
	if program, err = daemon.Program(); err != nil {
		return "", "", err
	}
	file, err = filepath.Abs(g.config)
	return program, file, err
}

// ownService returns the installed service that runs the daemon of a configuration file, or
// nil if no service does.
func ownService(g *globals, file string) *service.Manager {
	for _, system := range []bool{false, true} {
		m, err := (&serviceFlags{system: system}).manager(g)
		if err == nil && m.Runs(file) {
			return m
		}
	}
	return nil
}

// strangersNames are prefixes of variables that must not influence the daemon: an agent whose hook
// starts the daemon may have set them.
var strangersNames = []string{"LD_", "DYLD_", "MCPPROXY_LISTEN=", "MCPPROXY_API_KEY=", "MCPPROXY_TOKEN=", "NODE_OPTIONS=", "GODEBUG="}

// daemonEnv returns the environment of a background daemon.
func daemonEnv(env []string) []string {
	var out []string
next:
	for _, e := range env {
		for _, head := range strangersNames {
			if strings.HasPrefix(e, head) {
				continue next
			}
		}
		out = append(out, e)
	}
	return out
}

// answers reports whether the daemon of a configuration answers.
func answers(ctx context.Context, c *config.Config) bool {
	client, err := remote.New(c)
	if err != nil {
		return false
	}
	resp, err := client.Do(ctx, http.MethodGet, "/healthz", nil, nil)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// autostart starts the daemon for a bridge if the configuration allows it (autostart) and the user
// has not stopped the daemon. It runs `mcpproxy start`, which exits at once, because a daemon that
// the bridge itself started would end with the agent.
func autostart(ctx context.Context, g *globals, c *config.Config) error {
	if _, err := os.Lstat(daemon.StoppedFile(c)); !c.Autostart || err == nil || answers(ctx, c) {
		return nil
	}
	words, path, ok := hookclient.StartCommand(c.SocketPath())
	if !ok { // no daemon has run since autostart was enabled
		program, file, err := programAndFile(g)
		if err != nil {
			return err
		}
		words, path = []string{program, "start", "--config", file}, os.Getenv("PATH")
	}
	return service.Run(ctx, words, append(os.Environ(), "PATH="+path))
}

func stopCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the proxy, until you start it again",
		Args:  noArguments,
		Long: `Stops the proxy wherever it runs: as a service, in the background or in a terminal. Calls
that run are given a moment to end. Agents do not start it again (autostart) before you do;
a service starts again at the next login or start of the machine.`,
		Example: "  mcpproxy stop",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := remote.Config(g.config)
			if err != nil {
				return err
			}
			pid, err := stopDaemon(cmd.Context(), g, c)
			if err != nil {
				return err
			}
			if pid == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "mcpproxy is not running.")
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "mcpproxy (pid %d) is stopped. Start it with: mcpproxy start\n", pid)
			return nil
		},
	}
}

// stopDaemon stops the daemon, through its service if it has one. It returns the process id, or 0
// if no daemon ran.
func stopDaemon(ctx context.Context, g *globals, c *config.Config) (int, error) {
	file, err := filepath.Abs(g.config)
	if err != nil {
		return 0, err
	}
	if m := ownService(g, file); m != nil && m.Activated() {
		return stopActivated(ctx, m, c)
	}
	pid, err := daemonPID(c)
	if err != nil && !errors.Is(err, remote.ErrNotRunning) {
		return 0, err
	}
	if err := daemon.MarkStopped(c, true); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("recording that mcpproxy stays stopped: %w", err)
	}
	if m := ownService(g, file); m != nil {
		if st, err := m.Status(ctx); err == nil && (st.PID == pid || pid == 0) { // it may be about to restart
			if err := m.Stop(ctx); err != nil {
				_ = daemon.MarkStopped(c, false) // it is still running
				return pid, err
			}
		}
	}
	if pid == 0 {
		return 0, nil
	}
	return pid, endDaemon(ctx, c, pid)
}

// stopActivated stops a service whose sockets the manager opens. It does not connect to the socket,
// which would start the daemon.
func stopActivated(ctx context.Context, m *service.Manager, c *config.Config) (int, error) {
	st, err := m.Status(ctx)
	if err != nil {
		return 0, err
	}
	if err := daemon.MarkStopped(c, true); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("recording that the daemon must stay stopped: %w", err)
	}
	if err := m.Stop(ctx); err != nil {
		_ = daemon.MarkStopped(c, false) // it is still running
		return st.PID, err
	}
	return st.PID, nil
}

// endDaemon stops a daemon and waits until it has released the data folder, its last action.
func endDaemon(ctx context.Context, c *config.Config, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	if err := askToEnd(pid); err != nil {
		return fmt.Errorf("stopping mcpproxy (pid %d): %w", pid, err)
	}
	for {
		if unlock, err := daemon.Lock(daemon.LockPath(c)); err == nil {
			unlock()
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("mcpproxy (pid %d) did not stop; if it hangs, kill it with: "+endByForce, pid)
		case <-time.After(endLook):
		}
	}
}

// daemonPID returns the process id of the daemon: of the process that listens on the socket or, if
// the system does not tell, the one in the daemon's file.
func daemonPID(c *config.Config) (int, error) {
	conn, err := net.Dial("unix", c.SocketPath())
	if err != nil {
		if client, newErr := remote.New(c); newErr == nil && !c.EnableSocket && client != nil {
			return 0, errors.New("without the socket (enable_socket) this command cannot find the daemon's process; stop it where it runs")
		}
		return 0, remote.ErrNotRunning
	}
	defer conn.Close()
	if _, p, known := peer.Credentials(conn); known && p.Known() {
		return p.PID, nil
	}
	raw, err := os.ReadFile(c.SocketPath() + hookclient.PIDSuffix)
	if err != nil {
		return 0, fmt.Errorf("the daemon's process cannot be found: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || pid <= 1 {
		return 0, errors.New("the daemon's process cannot be found; stop it where it runs")
	}
	return pid, nil
}

func restartCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "restart",
		Short: "Stop the proxy and start it again, in the background",
		Args:  noArguments,
		Long: `Stops the proxy and starts it again: the service if one is installed, and else a process
in the background. Flows, approvals and sessions of agents outlive it.`,
		Example: "  mcpproxy restart",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := remote.Config(g.config)
			if err != nil {
				return err
			}
			if _, err := stopDaemon(cmd.Context(), g, c); err != nil {
				return err
			}
			if err := ensure(cmd.Context(), g); err != nil {
				return err
			}
			return printRunning(cmd, g)
		},
	}
}

func logsCommand(g *globals) *cobra.Command {
	l := &logFlags{}
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Show what the proxy itself wrote, as a service or in the background",
		Args:  noArguments,
		Long: `Shows the proxy's own messages: those of the service if one is installed, and else those
of the process in the background. A proxy that runs in a terminal writes them there. What
agents did is in the activity log: mcpproxy activity list.`,
		Example: "  mcpproxy logs\n  mcpproxy logs --follow",
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := filepath.Abs(g.config)
			if err != nil {
				return err
			}
			if m := ownService(g, file); m != nil {
				return l.show(cmd, m)
			}
			log := logFile(g)
			if _, err := os.Stat(log); err != nil {
				return fmt.Errorf(
					"there is no log at %s: mcpproxy has not run in the background; one in a terminal writes there", log)
			}
			return service.Tail(cmd.Context(), cmd.OutOrStdout(), log, l.lines, l.follow)
		},
	}
	l.add(cmd)
	return cmd
}
