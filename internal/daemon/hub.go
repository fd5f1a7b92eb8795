package daemon

import (
	"context"
	"errors"
	"net/http"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/hub"
	"mcpproxy/internal/ledger/postgres"
)

// hubService receives the activity logs of other machines. A nil *hubService is valid and receives none.
type hubService struct {
	store *postgres.Receiver
}

// openHub opens the parts of the daemon that only a hub has; nil if c is not the configuration of a hub.
func openHub(ctx context.Context, c *config.Config) (*hubService, error) {
	if !c.Hub {
		return nil, nil
	}
	if c.LogDatabase() == "" {
		return nil, exit.With(exit.Config, errors.New("a hub stores the records of all machines in PostgreSQL: "+
			"set activity.store to postgres://user:password@host/database"))
	}
	store, err := postgres.OpenReceiver(ctx, c.LogDatabase())
	if err != nil {
		return nil, err
	}
	return &hubService{store}, nil
}

// add adds the routes that machines use. They need no API key: each machine signs its requests.
func (h *hubService) add(routes *http.ServeMux) {
	if h == nil {
		return
	}
	handler := hub.New(h.store)
	for _, path := range hub.Paths() {
		routes.Handle(path, handler)
	}
}

// fleet returns the interface to the machines of a hub; nil if the daemon is not a hub.
func (h *hubService) fleet() api.Fleet {
	if h == nil {
		return nil
	}
	return h.store
}

// followMachines sends an event to the page and other readers when any process of the hub has stored records of
// machines. It runs until ctx ends. It does nothing if the daemon is not a hub.
func (d *Daemon) followMachines(ctx context.Context) {
	if store, ok := d.log.store.(*postgres.Store); ok && d.hub != nil {
		store.FollowMachines(ctx, func() { d.log.monitor.events.Publish("activity.received", map[string]any{}) })
	}
}

func (h *hubService) close() {
	if h != nil {
		h.store.Close()
	}
}
