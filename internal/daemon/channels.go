package daemon

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gateway"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/upstream"
)

// channels are the sources of calls: MCP, the hooks of agents, and scripts.
type channels struct {
	gateway *gateway.Gateway
	hooks   *hookeval.Evaluator
	scripts *codemode.Host
	parts   channelParts
}

// channelParts are the parts of the daemon that the channels use.
type channelParts struct {
	gate    *gate.Gate
	flows   *flowSessions
	servers *upstreams
	callers *callers
	log     *activityLog
	config  func() *config.Config

	notice func() string                         // message to the user at the start of a session
	began  func(ctx context.Context, dir string) // called when a session begins in a folder
	router gateway.Router                        // chooses the replica for a request; nil without replicas
}

// newChannels returns channels that are ready for requests.
func newChannels(ctx context.Context, c *config.Config, parts channelParts) *channels {
	ch := &channels{parts: parts}
	ch.hooks = hookeval.New(hookeval.Sources{
		Gate:     parts.gate,
		Tracker:  parts.flows.tracker,
		Sessions: parts.flows.sessions,
		Links:    parts.flows.links,
		Tool:     parts.servers.intake.Declared,
		Peers:    parts.callers.peers,
		Servers:  ch.serverNames,
		Notice:   parts.notice,
		Began:    parts.began,
	}, hookSettings(c))
	resumeHooks(ctx, parts.log.store, ch.hooks)
	options := ch.gatewayOptions(c)
	links := parts.flows.links
	if parts.router != nil {
		links = nil // replicas do not support hooks
	}
	ch.gateway = gateway.New(parts.gate, parts.servers.manager, parts.servers.catalog, links, options)
	if parts.router != nil {
		ch.gateway.UseRouter(parts.router)
	}
	ch.gateway.UseDefinitionFilter(parts.servers.intake)
	ch.gateway.UseAuth(parts.callers.auth)
	ch.gateway.UsePeers(parts.callers.peers)
	ch.scripts = ch.newScripts(c)
	ch.gateway.UseScripts(ch.scripts)
	return ch
}

// newScripts returns the runner of agents' scripts for code mode.
func (ch *channels) newScripts(c *config.Config) *codemode.Host {
	program, err := upstream.Self()
	if err != nil {
		slog.Error("scripts cannot be run", "error", err)
	}
	return codemode.New(codemode.Sources{
		Gate:    ch.parts.gate,
		Catalog: ch.parts.servers.catalog,
		Engine:  codemode.NewProcesses(program),
		Send:    ch.gateway.Send,
		Patient: upstream.WithPatience,
		Ready:   ch.gateway.ReadyFor,
		Holds:   ch.parts.servers.intake.Holds,
		Servers: ch.configured,
		Stored:  ch.storedScripts,
	}, ScriptLimits(c))
}

// configure applies a changed configuration. The log must be configured first, because the gateway
// sends its spans to the configured exporter.
func (ch *channels) configure(c *config.Config) {
	ch.hooks.Configure(hookSettings(c))
	ch.gateway.Configure(ch.gatewayOptions(c))
	ch.scripts.Configure(ScriptLimits(c))
}

// flowEnded discards the data that the scripts of a session have stored.
func (ch *channels) flowEnded(session string) { ch.scripts.Forget(session) }

// gatewayOptions returns the gateway's settings.
func (ch *channels) gatewayOptions(c *config.Config) gateway.Options {
	return gateway.Options{
		Listen:      c.Listen,
		APIKey:      c.APIKey,
		RequireAuth: c.RequireMCPAuth,
		Trace:       ch.parts.log.monitor.exports.Spans(),
	}
}

// serverNames returns the configured servers, and this proxy under its usual name.
func (ch *channels) serverNames() []string {
	names := []string{"mcpproxy"}
	for _, s := range ch.parts.config().Servers {
		names = append(names, s.Name)
	}
	return names
}

// configured returns the names of the servers that agents can use.
func (ch *channels) configured() []string {
	var out []string
	for _, s := range ch.parts.config().Servers {
		if s.IsEnabled() {
			out = append(out, s.Name)
		}
	}
	return out
}

// storedScripts returns the folder of the owner's scripts.
func (ch *channels) storedScripts() string {
	return filepath.Join(ch.parts.config().DataDir, "scripts")
}

// drain waits for running calls, at most stopGrace.
func (ch *channels) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	ch.gateway.Drain(ctx)
}

// ScriptLimits returns the limits of scripts.
func ScriptLimits(c *config.Config) codemode.Limits {
	e, l := c.CodeExecution, codemode.DefaultLimits()
	l.Enabled = e.Enabled
	l.Timeout = time.Duration(e.TimeoutSecs) * time.Second
	l.HeapMB = e.HeapMB
	l.Concurrent = e.MaxConcurrent
	l.Calls = e.MaxToolCalls
	l.Parallel = e.MaxParallel
	l.Code = e.MaxCode
	l.Args = e.MaxArgs
	l.Output = e.MaxOutput
	l.Frame = e.MaxFrameMB << 20
	l.StashTTL = time.Duration(e.StashTTLSecs) * time.Second
	l.Groups, l.Confined = Walls(c), e.Confinement
	return l
}
