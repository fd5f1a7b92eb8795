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

// hubService takes the activity logs of other machines. A nil *hubService takes none.
type hubService struct {
	store *postgres.Receiver
}

// openHub opens what a hub has beside the other parts of the daemon; nil if c is not that of a hub.
func openHub(ctx context.Context, c *config.Config) (*hubService, error) {
	if !c.Hub {
		return nil, nil
	}
	if c.LogDatabase() == "" {
		return nil, exit.With(exit.Config, errors.New("a hub keeps the records of all machines in PostgreSQL: "+
			"set activity.store to postgres://user:password@host/database"))
	}
	store, err := postgres.OpenReceiver(ctx, c.LogDatabase())
	if err != nil {
		return nil, err
	}
	return &hubService{store}, nil
}

// add adds the routes of machines. They need no key: each request is signed by its machine.
func (h *hubService) add(routes *http.ServeMux) {
	if h == nil {
		return
	}
	handler := hub.New(h.store)
	for _, path := range hub.Paths() {
		routes.Handle(path, handler)
	}
}

// fleet returns what looks at the machines of a hub; nil if this is not one.
func (h *hubService) fleet() api.Fleet {
	if h == nil {
		return nil
	}
	return h.store
}

// followMachines tells the page and other readers of events when a process of the hub has stored records of machines,
// until ctx ends. It does nothing if this is no hub.
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
