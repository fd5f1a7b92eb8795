package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"mcpproxy/internal/config"
	"mcpproxy/internal/keyring"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/upstream/oauth"
)

// GrantsStore returns the store of logins to servers, for the daemon and the commands.
func GrantsStore(c *config.Config) *oauth.Store {
	return oauth.OpenStore(filepath.Join(c.DataDir, "oauth", "grants.json"), keyring.System{})
}

// AccountSettings returns the settings of an account.
func AccountSettings(o *config.OAuth) oauth.Settings {
	place := oauth.Place(o.Store)
	if place == "" {
		place = oauth.Auto
	}
	return oauth.Settings{
		ClientID:     o.ClientID,
		ClientSecret: o.ClientSecret,
		Issuer:       o.Issuer,
		Scopes:       o.Scopes,
		RedirectPort: o.RedirectPort,
		Place:        place,
	}
}

// accounts holds the daemon's accounts at the authorization servers.
type accounts struct {
	store  *oauth.Store
	life   context.Context   // life of the daemon
	reopen func(name string) // reconnects a server after a login or a logout

	mu      sync.Mutex
	watched bool
	held    map[string]heldAccount // accounts by server
}

// heldAccount is an account and the settings it was made from.
type heldAccount struct {
	spec     upstream.Spec
	settings oauth.Settings
	account  *oauth.Account
}

// newAccounts returns the accounts of a daemon that lives as long as ctx, for the servers of m.
func newAccounts(ctx context.Context, c *config.Config, m *upstream.Manager) *accounts {
	return &accounts{store: GrantsStore(c), life: ctx, reopen: func(name string) { m.Reopen(name) }}
}

// sign gives the servers with oauth in the configuration their accounts. A server with unchanged
// settings keeps its account.
func (a *accounts) sign(c *config.Config, specs []upstream.Spec) []upstream.Spec {
	a.mu.Lock()
	defer a.mu.Unlock()
	held := map[string]heldAccount{}
	for i, s := range c.Servers {
		if s.OAuth == nil {
			continue
		}
		h := heldAccount{spec: specs[i], settings: AccountSettings(s.OAuth)}
		old, ok := a.held[s.Name]
		if ok && reflect.DeepEqual(old.spec, h.spec) && reflect.DeepEqual(old.settings, h.settings) {
			h.account = old.account
		} else {
			h.account = oauth.New(h.spec, h.settings, a.store)
		}
		held[s.Name] = h
		specs[i].Credentials = h.account
	}
	a.held = held
	if len(held) > 0 && !a.watched {
		a.watched = true
		a.watch()
	}
	return specs
}

// watch detects logins and logouts that other processes made.
func (a *accounts) watch() {
	path := a.store.Path()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = config.Watch(a.life, path, a.changed)
	}
	if err != nil {
		slog.Warn("cannot watch the file of the logins; new logins are noticed late", "error", err)
	}
}

// changed reconnects the servers whose login has changed.
func (a *accounts) changed() {
	a.mu.Lock()
	var names []string
	for name, h := range a.held {
		if h.account.Reload() {
			names = append(names, name)
		}
	}
	a.mu.Unlock()
	for _, name := range names {
		slog.Info("the login to a server changed", "server", name)
		a.reopen(name)
	}
}

// close waits for renewals of tokens that are under way, for stopGrace at most.
func (a *accounts) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := a.store.Settle(ctx); err != nil {
		slog.Warn("a token of a server was not stored: somebody may have to log in again", "error", err)
	}
}
