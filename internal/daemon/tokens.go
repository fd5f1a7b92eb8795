package daemon

import (
	"context"
	"log/slog"
	"path/filepath"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/config"
	"mcpproxy/internal/token"
)

// TokensPath is the file of the tokens that were given out.
func TokensPath(c *config.Config) string { return filepath.Join(c.DataDir, "tokens.json") }

// openTokens opens the file of tokens and creates the authenticator that uses it.
func (d *Daemon) openTokens(c *config.Config) (err error) {
	if d.tokens, err = token.Open(TokensPath(c), d.tokenEnded); err != nil {
		return err
	}
	d.auth = auth.New(func() string { return d.Config.Load().APIKey }, d.tokens)
	return nil
}

// watchTokens takes up what is done to the file by hand.
func (d *Daemon) watchTokens(ctx context.Context, c *config.Config) {
	err := config.Watch(ctx, TokensPath(c), func() {
		if err := d.tokens.Reload(); err != nil {
			slog.Error("the tokens were changed and cannot be used; the old ones stay in force", "error", err)
		}
	})
	if err != nil {
		slog.Warn("changes of the tokens' file will not be noticed", "error", err)
	}
}

// tokenEnded ends what the bearer of a revoked token has open.
func (d *Daemon) tokenEnded(name string) {
	d.auth.EndRequests(name)
	d.gateway.Expel(name)
}

// tokenChanged writes down that a token was made or taken back.
func (d *Daemon) tokenChanged(what, name, by string) {
	d.record(mcpproxy.RecordConfigChange, "", TokenChange(what, name, by))
}

// TokenChange is what the log says of a token that was made or taken back.
func TokenChange(what, name, by string) map[string]any {
	return map[string]any{"token": name, "change": what, "by": by}
}

// scope says why a call is outside what its principal's token is for.
func (d *Daemon) scope(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if c.Principal == auth.Owner {
		return ""
	}
	t, ok := d.tokens.Named(c.Principal)
	if !ok {
		return "The agent's token was revoked or has expired."
	}
	return t.Refuses(c, op)
}

// permitsOperation reports whether a principal may make any calls that do op.
func (d *Daemon) permitsOperation(principal string, op mcpproxy.Operation) bool {
	t, ok := d.tokens.Named(principal)
	return principal == auth.Owner || ok && t.Permits(op)
}
