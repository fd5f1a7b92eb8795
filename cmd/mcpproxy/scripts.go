package main

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
func (d *daemon) runScripts(c *config.Config) {
	program, err := upstream.Self()
	if err != nil {
		slog.Error("scripts cannot be run", "error", err)
	}
	d.scripts = codemode.New(codemode.Sources{Gate: d.gate, Catalog: d.catalog, Engine: codemode.NewProcesses(program),
		Send: d.gateway.Send, Ready: d.gateway.ReadyFor, Holds: screen{d}.Holds, Servers: d.configured, Stored: d.storedScripts}, scriptLimits(c))
	d.gateway.UseScripts(d.scripts)
}

// configured are the names of the servers that agents can use.
func (d *daemon) configured() []string {
	var out []string
	for _, s := range d.config.Load().Servers {
		if s.IsEnabled() {
			out = append(out, s.Name)
		}
	}
	return out
}

// storedScripts is the folder of the owner's scripts.
func (d *daemon) storedScripts() string { return filepath.Join(d.config.Load().DataDir, "scripts") }

// scriptLimits is what configuration means to scripts.
func scriptLimits(c *config.Config) codemode.Limits {
	e, l := c.CodeExecution, codemode.DefaultLimits()
	l.Enabled, l.Timeout, l.HeapMB = e.Enabled, time.Duration(e.TimeoutSecs)*time.Second, e.HeapMB
	l.Concurrent, l.Calls, l.Parallel = e.MaxConcurrent, e.MaxToolCalls, e.MaxParallel
	l.Code, l.Args, l.Output, l.Frame = e.MaxCode, e.MaxArgs, e.MaxOutput, e.MaxFrameMB<<20
	l.StashTTL = time.Duration(e.StashTTLSecs) * time.Second
	l.Groups = walls(c)
	return l
}
