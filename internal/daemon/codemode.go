package daemon

import (
	"log/slog"
	"path/filepath"
	"time"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/config"
	"mcpproxy/internal/upstream"
)

// runScripts makes agents' scripts run where code mode is on. It is called before
// requests are served.
func (d *Daemon) runScripts(c *config.Config) {
	program, err := upstream.Self()
	if err != nil {
		slog.Error("scripts cannot be run", "error", err)
	}
	d.scripts = codemode.New(codemode.Sources{
		Gate:    d.gate,
		Catalog: d.Catalog,
		Engine:  codemode.NewProcesses(program),
		Send:    d.gateway.Send,
		Ready:   d.gateway.ReadyFor,
		Holds:   d.intake.Holds,
		Servers: d.configured,
		Stored:  d.storedScripts,
	}, ScriptLimits(c))
	d.gateway.UseScripts(d.scripts)
}

// flowEnded forgets what the scripts of a session have stashed. The sessions of the last run
// can end before there are scripts.
func (d *Daemon) flowEnded(session string) {
	if d.scripts != nil {
		d.scripts.Forget(session)
	}
}

// configured are the names of the servers that agents can use.
func (d *Daemon) configured() []string {
	var out []string
	for _, s := range d.Config.Load().Servers {
		if s.IsEnabled() {
			out = append(out, s.Name)
		}
	}
	return out
}

// storedScripts is the folder of the owner's scripts.
func (d *Daemon) storedScripts() string { return filepath.Join(d.Config.Load().DataDir, "scripts") }

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
