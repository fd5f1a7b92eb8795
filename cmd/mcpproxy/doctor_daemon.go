package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/hook/install"
)

// checkState looks at what the running daemon says about itself.
func (f *checkup) checkState(ctx context.Context, client *client) {
	var st api.Overview
	if err := client.get(ctx, "/api/v1/status", nil, &st); err != nil {
		f.add(check{Section: "Daemon", Name: "status", Detail: err.Error(), Advice: "look at what the daemon writes to its standard error"})
		return
	}
	f.running = &st
	f.add(port(ctx, st.Listen))
	if st.ConfigError != "" {
		f.add(check{Section: "Daemon", Name: "configuration", Detail: "the changed file cannot be used, an older one is in force: " + st.ConfigError,
			Advice: "run `mcpproxy config validate`"})
	}
	f.advise(st.Kill.On, check{Section: "Daemon", Name: "kill switch", Detail: "it is on: every call is denied", Advice: "turn it off with `mcpproxy kill off` when you know why it is on"})
	f.advise(st.Waiting > 0, check{Section: "Daemon", Name: "approvals", Detail: fmt.Sprintf("%d calls wait for a person", st.Waiting), Advice: "look at them with `mcpproxy approvals list`"})
	f.advise(st.Trust.Held > 0, check{Section: "Servers", Name: "definitions", Detail: fmt.Sprintf("%d are held: agents neither see nor use them", st.Trust.Held),
		Advice: "look at them with `mcpproxy trust list`, approve with `mcpproxy trust approve` or `mcpproxy trust baseline`"})
	f.advise(st.Tokens.Agents > 0 && !st.MCPAuth, check{Section: "Tokens", Name: "agents", Detail: "agents need no key: one that leaves its token off may do everything",
		Advice: "set require_mcp_auth to true"})
	f.advise(st.Tokens.Expired > 0, check{Section: "Tokens", Name: "expired", Detail: fmt.Sprintf("%d have expired", st.Tokens.Expired), Advice: "see `mcpproxy token list`, and revoke or replace them"})
}

// port asks for the health of the listener, as an agent would reach it.
func port(ctx context.Context, listen string) check {
	result := check{Section: "Daemon", Name: "port", Detail: "http://" + listen}
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

// checkHooks looks at the hooks that are installed.
func checkHooks(_ context.Context, g *globals, _ *config.Config, f *checkup) {
	env, _, err := hookEnv(g)
	var all []install.Status
	if err == nil {
		all, err = hookStatuses(env, &hookFlags{}, f.Coverage.Agents, true)
	}
	if err != nil {
		f.advise(true, check{Section: "Hooks", Name: "installed", Detail: err.Error()})
		return
	}
	for _, s := range all {
		result := check{Section: "Hooks", Name: s.Agent, OK: true, Detail: strings.TrimSpace("installed in " + s.Path)}
		switch {
		case s.Installed != "no" && !s.Reachable:
			result.OK, result.Detail, result.Advice = false, s.Path+" names a program that cannot be run", "run `mcpproxy hook install --agent "+s.Agent+"` again"
		case s.Problem != "":
			result.Grade, result.Detail, result.Advice = gradeBetter, s.Problem, "see `mcpproxy hook status`"
		case s.Installed == "no":
			continue // recommended below, if nothing is seen
		case s.Trusted == "no":
			result.Grade, result.Detail, result.Advice = gradeBetter, "the agent does not trust it, and so does not run it", "approve it in the agent"
		}
		f.add(result)
	}
}
