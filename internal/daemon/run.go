package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"mcpproxy"
	"mcpproxy/internal/child"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/service"
	"mcpproxy/internal/version"
)

// minThreads is the minimum of GOMAXPROCS: while results are indexed, a thread must be free to
// accept the next call. The operating system switches between threads faster than Go's scheduler
// does.
const minThreads = 4

// Run runs the daemon until ctx ends and writes its addresses to w. Flags applies the command line
// to the configuration. Ask, which may be nil, runs concurrently and asks a person about new
// servers.
func Run(
	ctx context.Context,
	w io.Writer,
	path string,
	flags func(*config.Config),
	ask func(context.Context, *intake.Intake),
) error {
	made, err := config.EnsureFile(path)
	if err != nil {
		return err
	}
	if made { // print this before anything can fail
		fmt.Fprintf(
			w,
			"A commented configuration was written to %s: add your servers there, or take over those that your agents have with mcpproxy import.\n",
			path,
		)
	}
	c, err := config.Load(ctx, path)
	if err != nil {
		return err
	}
	if err := config.EnsureKey(path, c); err != nil {
		return err
	}
	warnOf(c)
	boundHeap()
	boundMemory()
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < minThreads {
		runtime.GOMAXPROCS(minThreads)
	}
	if err := child.Adopt(); err != nil {
		slog.Warn("helper processes of servers may outlive mcpproxy: the kernel does not reparent orphans to it", "error", err)
	}
	defer child.EndOrphans()
	reload := make(chan os.Signal, 1) // buffers a signal that arrives during the start
	killSwitch := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	signal.Notify(killSwitch, endSignal)
	defer signal.Stop(killSwitch)
	d, err := Start(ctx, path, c, func(c *config.Config) {
		flags(c)
		if key := os.Getenv("MCPPROXY_API_KEY"); key != "" {
			c.APIKey = key
		}
	})
	if err != nil {
		return err
	}
	defer d.Close()
	go giveBack(ctx, d.log.store.Shrink)
	printReady(w, d, c, path)
	reportTo(ctx, d)
	if ask != nil {
		go ask(ctx, d.servers.intake)
	}
	d.handleSignals(ctx, reload, killSwitch)
	_ = service.Notify(service.Stopping) // without this message the manager still waits for the end
	fmt.Fprintln(w, "mcpproxy stops…")
	return nil
}

// handleSignals handles signals until ctx ends.
func (d *Daemon) handleSignals(ctx context.Context, reload, killSwitch <-chan os.Signal) {
	for {
		select {
		case <-reload:
			d.reload(ctx)
		case <-killSwitch:
			if _, err := d.gateManager.kill.Set(true, "signal SIGUSR1"); err != nil {
				slog.Error("SIGUSR1 has turned the kill switch on, with an error", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// printReady prints the daemon's addresses.
func printReady(w io.Writer, d *Daemon, c *config.Config, path string) {
	scheme := c.Scheme()
	fmt.Fprintf(
		w,
		"mcpproxy %s is ready.\n  agents     %s://%s/mcp  (connect them with: mcpproxy connect AGENT; all tools: /mcp/all, one server: /mcp/s/<name>, stdio: mcpproxy stdio)\n",
		version.String(),
		scheme,
		d.Address(),
	)
	fmt.Fprintf(w, "  REST API   %s://%s/api/v1/status  (key: api_key in %s)\n", scheme, d.Address(), path)
	fmt.Fprintf(w, "  page       %s://%s/ui/  (log in with: mcpproxy open)\n", scheme, d.Address())
	if c.EnableSocket {
		fmt.Fprintf(w, "  socket     %s  (this user only, no key)\n", c.SocketPath())
	}
	destructive := "let through"
	switch c.Security.ToolPolicy.Destructive {
	case mcpproxy.Deny:
		destructive = "denied"
	case mcpproxy.Ask:
		destructive = "asked about unless the user's words ask for them"
	}
	fmt.Fprintf(
		w,
		"Destructive calls are %s (security.tool_policy.destructive); allow one tool with security.flow_policy.tool_overrides.\n",
		destructive,
	)
	switch {
	case c.RequireMCPAuth:
	case c.InsecureListen:
		slog.Warn(
			"the MCP endpoints need no key, and other machines may reach them (--insecure-listen)",
			"listen",
			d.Address(),
		)
	default:
		slog.Warn(
			"the MCP endpoints need no key: every program of this machine may call all tools (require_mcp_auth is false)",
			"listen",
			d.Address(),
		)
	}
}
