package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/settings"
)

// hookSettings is what configuration means to the hooks.
func hookSettings(c *config.Config) hookeval.Settings {
	h := c.Security.Hooks
	return hookeval.Settings{
		Enabled:       h.Enabled,
		FailOpen:      h.FailOpen,
		ExplicitAllow: h.ExplicitAllow,
		AskFallback:   h.AskFallback,
	}
}

// HookBackups is the folder that knows which settings of agents have hooks.
func HookBackups(c *config.Config) string { return filepath.Join(c.DataDir, "hook-backups") }

// ConnectBackups is the folder that knows which lists of servers this proxy is in.
func ConnectBackups(c *config.Config) string { return filepath.Join(c.DataDir, "connect-backups") }

// maxResumed bounds the evaluations of the last run that are looked at.
const maxResumed = 1000

// resumeHooks takes up whose hooks were active before a restart.
func resumeHooks(ctx context.Context, store ledger.Store, hooks *hookeval.Evaluator) {
	q := ledger.Filter{
		Types: []mcpproxy.RecordType{mcpproxy.RecordHookEvaluation},
		Start: time.Now().Add(-hookeval.Window),
		Limit: maxResumed,
		Own:   true,
	}
	err := store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		if agent, ok := r.Metadata.Detail["agent"].(string); ok {
			hooks.Seen(agent, r.SessionID, r.Timestamp)
		}
		return nil
	})
	if err != nil {
		slog.Warn("the hooks of the last run could not be read", "error", err)
	}
}

// hooked are the agents that have a hook in one of the files in which `hook install` has entered one.
func (d *Daemon) hooked() []string {
	env := install.Env{Home: homeDir(), Getenv: os.Getenv}
	return install.Hooked(env, settings.Files(HookBackups(d.config.now())))
}
