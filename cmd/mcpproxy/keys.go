package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/door"
	"mcpproxy/internal/token"
)

// tokensPath is the file of the tokens that were given out.
func tokensPath(c *config.Config) string { return filepath.Join(c.DataDir, "tokens.json") }

// openTokens opens the file of tokens, and the door that asks for them.
func (d *daemon) openTokens(c *config.Config) (err error) {
	if d.tokens, err = token.Open(tokensPath(c), d.tokenEnded); err != nil {
		return err
	}
	d.door = door.New(func() string { return d.config.Load().APIKey }, d.tokens)
	return nil
}

// watchTokens takes up what is done to the file by hand.
func (d *daemon) watchTokens(ctx context.Context, c *config.Config) {
	err := config.Watch(ctx, tokensPath(c), func() {
		if err := d.tokens.Reload(); err != nil {
			slog.Error("the tokens were changed and cannot be used; the old ones stay in force", "error", err)
		}
	})
	if err != nil {
		slog.Warn("changes of the tokens' file will not be noticed", "error", err)
	}
}

// tokenEnded ends what the bearer of a revoked token has open.
func (d *daemon) tokenEnded(name string) {
	d.door.Expel(name)
	d.gateway.Expel(name)
}

// tokenChanged writes down that a token was made or taken back.
func (d *daemon) tokenChanged(what, name, by string) {
	d.record(mcpproxy.RecordConfigChange, "", tokenChange(what, name, by))
}

// tokenChange is what the log says of a token that was made or taken back.
func tokenChange(what, name, by string) map[string]any {
	return map[string]any{"token": name, "change": what, "by": by}
}

// scope says why a call is outside what its principal's token is for.
func (d *daemon) scope(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if c.Principal == door.Owner {
		return ""
	}
	t, ok := d.tokens.Named(c.Principal)
	if !ok {
		return "The agent's token was revoked or has expired."
	}
	return t.Refuses(c, op)
}

// permitsOperation reports whether a principal may make any calls that do op.
func (d *daemon) permitsOperation(principal string, op mcpproxy.Operation) bool {
	t, ok := d.tokens.Named(principal)
	return principal == door.Owner || ok && t.Permits(op)
}
