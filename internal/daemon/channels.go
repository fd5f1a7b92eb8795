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

// channels are the ways by which calls come to the gate: MCP, the hooks of agents, and scripts.
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

	notice func() string                         // what a new session tells its user
	began  func(ctx context.Context, dir string) // a session began in a folder
	router gateway.Router                        // finds the replica for a request; nil for a gateway of its own
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
		links = nil // replicas take no calls of hooks
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

// newScripts returns what runs agents' scripts where code mode is on.
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

// configure follows a changed configuration. The log must follow it first: the gateway sends
// its spans to the exporter that the configuration asks for.
func (ch *channels) configure(c *config.Config) {
	ch.hooks.Configure(hookSettings(c))
	ch.gateway.Configure(ch.gatewayOptions(c))
	ch.scripts.Configure(ScriptLimits(c))
}

// flowEnded forgets what the scripts of a session have stashed.
func (ch *channels) flowEnded(session string) { ch.scripts.Forget(session) }

// gatewayOptions is what configuration means to the gateway.
func (ch *channels) gatewayOptions(c *config.Config) gateway.Options {
	return gateway.Options{
		Listen:      c.Listen,
		APIKey:      c.APIKey,
		RequireAuth: c.RequireMCPAuth,
		Trace:       ch.parts.log.monitor.exports.Spans(),
	}
}

// serverNames are the configured servers, and this proxy under its usual name.
func (ch *channels) serverNames() []string {
	names := []string{"mcpproxy"}
	for _, s := range ch.parts.config().Servers {
		names = append(names, s.Name)
	}
	return names
}

// configured are the names of the servers that agents can use.
func (ch *channels) configured() []string {
	var out []string
	for _, s := range ch.parts.config().Servers {
		if s.IsEnabled() {
			out = append(out, s.Name)
		}
	}
	return out
}

// storedScripts is the folder of the owner's scripts.
func (ch *channels) storedScripts() string {
	return filepath.Join(ch.parts.config().DataDir, "scripts")
}

// drain lets the calls end that run, for stopGrace at most.
func (ch *channels) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	ch.gateway.Drain(ctx)
}

// ScriptLimits is what configuration means to scripts.
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
