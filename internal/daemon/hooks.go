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

// hookSettings returns the settings of hooks.
func hookSettings(c *config.Config) hookeval.Settings {
	h := c.Security.Hooks
	return hookeval.Settings{
		Enabled:       h.Enabled,
		FailOpen:      h.FailOpen,
		ExplicitAllow: h.ExplicitAllow,
		AskFallback:   h.AskFallback,
	}
}

// HookBackups returns the folder that records which agents' settings contain hooks.
func HookBackups(c *config.Config) string { return filepath.Join(c.DataDir, "hook-backups") }

// ConnectBackups returns the folder that records which server lists contain this proxy.
func ConnectBackups(c *config.Config) string { return filepath.Join(c.DataDir, "connect-backups") }

// maxResumed limits the evaluations of the last run that are read.
const maxResumed = 1000

// resumeHooks restores which agents' hooks were active before a restart.
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

// hooked returns the agents with a hook in one of the files that `hook install` has changed.
func (d *Daemon) hooked() []string {
	env := install.Env{Home: homeDir(), Getenv: os.Getenv}
	return install.Hooked(env, settings.Files(HookBackups(d.config.now())))
}
