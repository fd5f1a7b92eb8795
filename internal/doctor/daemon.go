package doctor

import (
	"context"
	"errors"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/remote"
)

// checkDaemon queries the running daemon for its servers and its state.
func checkDaemon(ctx context.Context, at Installation, c *config.Config, f *Checkup) {
	var d api.Diagnostics
	client, err := remote.New(c) // even if the file is invalid: the daemon may run with an older one
	if err == nil {
		err = client.Get(ctx, "/api/v1/diagnostics", nil, &d)
	}
	if err != nil {
		advice := ""
		if !errors.Is(err, remote.ErrNotRunning) {
			advice = "read what the daemon writes to its standard error"
		}
		f.add(Check{
			Section: "Daemon",
			Name:    "reachable",
			Detail:  err.Error(),
			Advice:  advice,
		})
		return
	}
	f.Coverage = d.Coverage
	f.add(Check{
		Section: "Daemon",
		Name:    "reachable",
		OK:      true,
		Detail:  client.Where,
	})
	if !d.Log.Readable {
		f.add(Check{
			Section: "Activity log",
			Name:    "readable",
			Detail:  d.Log.Error,
			Advice:  "run `mcpproxy activity verify`",
		})
	}
	f.checkState(ctx, c, client)
	for _, s := range d.Servers {
		f.checkServer(s)
		f.checkStanding(s)
	}
}

// checkState checks the state that the running daemon reports.
func (f *Checkup) checkState(ctx context.Context, c *config.Config, client *remote.Client) {
	var st api.Overview
	if err := client.Get(ctx, "/api/v1/status", nil, &st); err != nil {
		f.add(Check{
			Section: "Daemon",
			Name:    "status",
			Detail:  err.Error(),
			Advice:  "read what the daemon writes to its standard error",
		})
		return
	}
	f.running = &st
	f.add(port(ctx, c, st.Listen))
	f.checkRecording(&st)
	f.checkRunning(&st)
	f.checkHeld(&st)
	f.checkNames(&st)
}
