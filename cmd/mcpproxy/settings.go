package main

import (
	"log/slog"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/config"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/upstream"
)

// gateSettings is what configuration means to the gate.
func gateSettings(c *config.Config) gate.Settings {
	s := c.Security
	return gate.Settings{
		Classifier: classify.Classifier{DefaultUnknown: s.Classification.DefaultUnknown,
			ServerOverrides: s.Classification.ServerOverrides, ToolOverrides: s.Classification.ToolOverrides},
		Tables: policy.Tables{
			InternalToExternal: s.FlowPolicy.InternalToExternal, SensitiveDataExternal: s.FlowPolicy.SensitiveDataExternal,
			SuspiciousEndpoints: s.FlowPolicy.SuspiciousEndpoints, ToolOverrides: s.FlowPolicy.ToolOverrides,
			Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Read: s.ToolPolicy.Read,
				mcpproxy.Write: s.ToolPolicy.Write, mcpproxy.Destructive: s.ToolPolicy.Destructive}},
		MaxResponseSize: c.Activity.MaxResponseSize, Kill: s.KillSwitch, DetectOff: !s.PIIDetection.Enabled,
	}
}

// flowLimits is what configuration means to the flow tracker.
func flowLimits(c *config.Config) flow.Limits {
	f := c.Security.FlowTracking
	return flow.Limits{Enabled: f.Enabled, MaxOrigins: f.MaxOriginsPerSession, MinLength: f.HashMinLength, MaxBytes: f.MaxResponseHashBytes}
}

// specs are the servers to connect to.
func specs(c *config.Config) []upstream.Spec {
	out := make([]upstream.Spec, 0, len(c.Servers))
	for _, s := range c.Servers {
		out = append(out, upstream.Spec{Name: s.Name, Enabled: s.IsEnabled(), Protocol: upstream.Protocol(s.Protocol),
			Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.WorkingDir, URL: s.URL, Headers: s.Headers,
			Timeout: time.Duration(s.TimeoutSecs) * time.Second})
	}
	return out
}

// warnIdle says which settings look like protection and are none yet.
func warnIdle(c *config.Config) {
	for _, key := range c.Idle() {
		slog.Warn("this setting has no effect in this version", "key", key)
	}
}
