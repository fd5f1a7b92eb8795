package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/upstream"
)

// checkDaemon asks the running daemon for its servers and for what it sees.
func checkDaemon(ctx context.Context, at Installation, c *config.Config, f *Checkup) {
	defer f.recommend()
	var d api.Diagnostics
	client, err := remote.New(c) // of a file that does not hold too: the daemon may run with an older one
	if err == nil {
		err = client.Get(ctx, "/api/v1/diagnostics", nil, &d)
	}
	if err != nil {
		advice := ""
		if !errors.Is(err, remote.ErrNotRunning) {
			advice = "look at what the daemon writes to its standard error"
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
	f.checkState(ctx, client)
	for _, s := range d.Servers {
		result := Check{
			Section: "Servers",
			Name:    s.Name,
			OK:      s.State != upstream.Failed && s.Error == "",
			Detail:  strings.TrimSuffix(string(s.State)+": "+s.Error, ": "),
		}
		if !result.OK {
			result.Advice = "see `mcpproxy upstream logs " + s.Name + "`"
		}
		if s.Login != "" {
			result.Advice = "run `" + s.Login + "`"
		}
		f.add(result)
		f.checkStanding(s)
	}
}

// checkState looks at what the running daemon says about itself.
func (f *Checkup) checkState(ctx context.Context, client *remote.Client) {
	var st api.Overview
	if err := client.Get(ctx, "/api/v1/status", nil, &st); err != nil {
		f.add(Check{
			Section: "Daemon",
			Name:    "status",
			Detail:  err.Error(),
			Advice:  "look at what the daemon writes to its standard error",
		})
		return
	}
	f.running = &st
	f.add(port(ctx, st.Listen))
	f.checkRecording(&st)
	f.checkRunning(&st)
	f.checkHeld(&st)
}

// checkRecording looks for calls that the running daemon did not see or could not record.
func (f *Checkup) checkRecording(st *api.Overview) {
	if lost := st.Log.Failure; lost != nil {
		f.add(Check{
			Section: "Activity log",
			Name:    "writing",
			Detail: fmt.Sprintf(
				"the daemon cannot write it: %s; records lost since %s: %d; %s",
				lost.Error,
				lost.Since.Local().Format(time.DateTime),
				lost.Lost,
				lost.Consequence(),
			),
			Advice: "free space on the disk of the data folder, and look at its rights and at what the daemon writes to its standard error; the daemon tries again by itself",
			Key:    policy.RuleLog,
		})
	}
	if st.Unseen != nil {
		f.add(Check{
			Section: "Hooks",
			Name:    "unseen",
			Detail:  st.Unseen.String(),
			Advice:  "keep the daemon running, or set security.hooks.fail_open to false, so that such calls are denied",
			Key:     "security.hooks.fail_open",
		})
	}
	f.checkOutage(st.Outage)
	f.advise(st.Log.Failure == nil && st.Log.Lost > 0, Check{
		Section: "Activity log",
		Name:    "lost",
		Detail:  fmt.Sprintf("records that could not be written since the daemon was started: %d", st.Log.Lost),
		Advice:  "see when with `mcpproxy activity list --type gap`",
	})
}

// checkOutage tells of a time in which the daemon did not run. That somebody stopped it is no
// fault by itself.
func (f *Checkup) checkOutage(away *mcpproxy.Gap) {
	if away == nil {
		return
	}
	check := Check{
		Section: "Daemon",
		Name:    "outage",
		Detail:  away.String(),
		Advice:  "if that was not you, look at what agents did then; set security.hooks.fail_open to false, so that calls are denied without a daemon",
		Key:     "security.hooks.fail_open",
	}
	if away.Reason == mcpproxy.GapStopped {
		f.advise(true, check)
		return
	}
	f.add(check)
}

// checkRunning looks at the state of the running daemon: its configuration, its clock, the kill switch and its flow
// sessions.
func (f *Checkup) checkRunning(st *api.Overview) {
	if st.ConfigError != "" {
		f.add(Check{
			Section: "Daemon",
			Name:    "configuration",
			Detail:  "the changed file cannot be used, an older one is in force: " + st.ConfigError,
			Advice:  "run `mcpproxy config validate`",
		})
	}
	f.advise(st.Log.AgeHeld != "", Check{
		Section: "Daemon",
		Name:    "clock",
		Detail:  "no records are removed by age: " + st.Log.AgeHeld,
		Advice:  "set the clock if it is wrong; if it is right, there is nothing to do",
	})
	f.advise(st.Kill.On, Check{
		Section: "Daemon",
		Name:    "kill switch",
		Detail:  "it is on: every call is denied",
		Advice:  "turn it off with `mcpproxy kill off` when you know why it is on",
	})
	f.advise(st.Lost > 0, Check{
		Section: "Daemon",
		Name:    "flow sessions",
		Detail: fmt.Sprintf(
			"what %d of them had read is not known any more: their calls to external destinations ask until they time out",
			st.Lost,
		),
		Advice: "`mcpproxy activity list --type gap` says why",
	})
}

// checkHeld looks at what waits for a person: calls, definitions and tokens.
func (f *Checkup) checkHeld(st *api.Overview) {
	f.advise(st.Waiting > 0, Check{
		Section: "Daemon",
		Name:    "approvals",
		Detail:  fmt.Sprintf("%d calls wait for a person", st.Waiting),
		Advice:  "look at them with `mcpproxy approvals list`",
	})
	f.advise(st.Trust.Held > 0, Check{
		Section: "Servers",
		Name:    "definitions",
		Detail:  fmt.Sprintf("%d are held: agents neither see nor use them", st.Trust.Held),
		Advice:  "look at them with `mcpproxy trust list`, approve with `mcpproxy trust approve` or `mcpproxy trust baseline`",
	})
	f.advise(st.Tokens.Agents > 0 && !st.MCPAuth, Check{
		Section: "Tokens",
		Name:    "agents",
		Detail:  "agents need no key: one that leaves its token off may call all tools",
		Advice:  "set require_mcp_auth to true",
	})
	f.advise(st.Tokens.Expired > 0, Check{
		Section: "Tokens",
		Name:    "expired",
		Detail:  fmt.Sprintf("%d have expired", st.Tokens.Expired),
		Advice:  "see `mcpproxy token list`, and revoke or replace them",
	})
}

// port asks for the health of the listener, as an agent would reach it.
func port(ctx context.Context, listen string) Check {
	result := Check{Section: "Daemon", Name: "port", Detail: "http://" + listen}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listen+"/healthz", nil)
	if err == nil {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if result.OK = resp.StatusCode == http.StatusOK; !result.OK {
				err = fmt.Errorf("it answers %s", resp.Status)
			}
		}
	}
	if err != nil {
		result.Detail, result.Advice = err.Error(), "something else answers there, or nothing does: look at listen in the configuration"
	}
	return result
}
