package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"mcpproxy/internal/config"
)

func serveCommand(g *globals) *cobra.Command {
	var listen, level string
	cmd := &cobra.Command{
		Use: "serve", Short: "Start the proxy", Args: noArguments,
		Long: `Starts the proxy and stays until Ctrl-C. Without a configuration file it writes a
commented one first. Changes of the file take effect at once; one that does not
hold is reported and the old one stays in force. SIGHUP reads the file again,
SIGUSR1 turns the kill switch on.`,
		Example: `  mcpproxy serve
  mcpproxy serve --listen 127.0.0.1:9090
  MCPPROXY_CONFIG=./mcp_config.json mcpproxy serve`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := logTo(cmd.ErrOrStderr(), level); err != nil {
				return err
			}
			if listen != "" {
				if err := config.CheckListen(listen); err != nil {
					return &exitError{exitConfig, err}
				}
			}
			return serve(cmd.Context(), cmd.ErrOrStderr(), g.config, listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", os.Getenv("MCPPROXY_LISTEN"), "address to listen on, instead of the configured one")
	cmd.Flags().StringVar(&level, "log-level", "info", "debug, info, warn or error")
	return cmd
}

func logTo(w io.Writer, level string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("--log-level: %q is none of debug, info, warn, error", level)
	}
	slog.SetDefault(slog.New(maskedLog{slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})}))
	return nil
}

// minThreads is how many goroutines run at once, also where there are fewer
// processors: while results are indexed, a thread must be free to hear of the next
// call. The system shares the processors among threads sooner than Go does.
const minThreads = 4

// serve runs the daemon until ctx ends.
func serve(ctx context.Context, w io.Writer, path, listen string) error {
	made, err := config.EnsureFile(path)
	if err != nil {
		return err
	}
	if made { // said before anything else can go wrong
		fmt.Fprintf(w, "A commented configuration was written to %s: add your servers there, or take over those that your agents have with mcpproxy import.\n", path)
	}
	c, err := config.Load(path)
	if err != nil {
		return err
	}
	if err := config.EnsureKey(path, c); err != nil {
		return err
	}
	warnIdle(c)
	boundHeap()
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < minThreads {
		runtime.GOMAXPROCS(minThreads)
	}
	hangup, enough := make(chan os.Signal, 1), make(chan os.Signal, 1) // what comes while it starts is neither its end nor lost
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	signal.Notify(enough, syscall.SIGUSR1)
	defer signal.Stop(enough)
	d, err := startDaemon(ctx, path, c, func(c *config.Config) {
		if listen != "" {
			c.Listen = listen
		}
		if key := os.Getenv("MCPPROXY_API_KEY"); key != "" {
			c.APIKey = key
		}
	})
	if err != nil {
		return err
	}
	defer d.close()
	welcome(w, d, c, path)
	if onTerminal() {
		go askAboutNewcomers(ctx, w, os.Stdin, d)
	}
	d.heed(ctx, hangup, enough)
	fmt.Fprintln(w, "mcpproxy stops…")
	return nil
}

// heed does what signals say until ctx ends.
func (d *daemon) heed(ctx context.Context, hangup, enough <-chan os.Signal) {
	for {
		select {
		case <-hangup:
			d.reload()
		case <-enough:
			if _, err := d.kill.Set(true, "signal SIGUSR1"); err != nil {
				slog.Error("the kill switch", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// welcome says where everything is.
func welcome(w io.Writer, d *daemon, c *config.Config, path string) {
	fmt.Fprintf(w, "mcpproxy %s is ready.\n  agents     http://%s/mcp  (enter it with: mcpproxy connect AGENT; all tools: /mcp/all, one server: /mcp/s/<name>, stdio: mcpproxy stdio)\n", buildVersion(), d.address)
	fmt.Fprintf(w, "  REST API   http://%s/api/v1/status  (key: api_key in %s)\n", d.address, path)
	fmt.Fprintf(w, "  page       http://%s/ui/  (log in with: mcpproxy open)\n", d.address)
	if c.EnableSocket {
		fmt.Fprintf(w, "  socket     %s  (this user only, no key)\n", c.SocketPath())
	}
	fmt.Fprintf(w, "Calls that destroy are %s (security.tool_policy.destructive); allow one tool with security.flow_policy.tool_overrides.\n",
		map[bool]string{true: "denied", false: "not denied"}[c.Security.ToolPolicy.Destructive == "deny"])
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && !c.RequireMCPAuth && !loopback(host) {
		slog.Warn("the MCP endpoints are open to the network without a key: set require_mcp_auth", "listen", c.Listen)
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
