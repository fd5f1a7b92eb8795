package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// wanted holds what a subscriptions/listen request asks for.
type wanted struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
}

func (w wanted) any() bool { return w.Tools || w.Prompts || w.Resources || len(w.URIs) > 0 }

// subscription is one open subscriptions/listen stream.
type subscription struct {
	server    string // "" for the proxy's own tool list
	principal string
	want      wanted
	send      func(*wire.Message)

	mu    sync.Mutex
	acked bool
	early []*wire.Message // queued until the acknowledgement, which must come first, is sent
}

// notify sends a notification to the client.
func (s *subscription) notify(m *wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.acked {
		s.send(m)
	} else if len(s.early) < maxBacklog {
		s.early = append(s.early, m)
	}
}

// acknowledge sends the acknowledgement and then the queued notifications.
func (s *subscription) acknowledge(m *wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(m)
	for _, n := range s.early {
		s.send(n)
	}
	s.acked, s.early = true, nil
}

func (s *subscription) wants(m *wire.Message) bool {
	switch m.Method {
	case "notifications/tools/list_changed":
		return s.want.Tools
	case "notifications/prompts/list_changed":
		return s.want.Prompts
	case "notifications/resources/list_changed":
		return s.want.Resources
	case "notifications/resources/updated":
		return slices.Contains(s.want.URIs, wire.String(m.Params, "uri"))
	}
	return false
}

// listen holds a subscriptions/listen stream open for a client of the stateless era. The
// notifications come from a server of the stateful era, or from this proxy if link is nil.
func (g *Gateway) listen(ctx context.Context, c *caller, m *wire.Message, link *upstream.Link) (*wire.Message, error) {
	var want wanted
	if raw := wire.Member(m.Params, "notifications"); raw == nil || json.Unmarshal(raw, &want) != nil {
		return invalid(m.ID, "notifications must say what to listen for"), nil
	}
	tag := func(params []byte) []byte { return wire.Set(params, m.ID, "_meta", wire.MetaSubscription) }
	sub := &subscription{principal: c.principal, send: func(n *wire.Message) { c.notify(n.WithParams(tag(n.Params))) }}
	capabilities := ownCapabilities
	if link != nil {
		defer link.Hold()()
		sub.server = link.Server()
		sub.send = func(n *wire.Message) { g.forwardNotification(ctx, sub.server, c, n.WithParams(tag(n.Params))) }
		capabilities = wire.Member(link.Hello, "capabilities")
	}
	sub.want = granted(want, capabilities)
	g.mu.Lock()
	g.listeners[sub] = true
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.listeners, sub)
		g.mu.Unlock()
	}()
	if len(sub.want.URIs) > 0 {
		if err := link.Hears(ctx); err != nil {
			return nil, err
		}
	}
	for _, uri := range sub.want.URIs {
		req := wire.NewRequest([]byte("0"), "resources/subscribe", wire.Set(nil, wire.Quote(uri), "uri"))
		if _, err := link.Call(ctx, req, upstream.CallOptions{}); err != nil {
			return nil, err
		}
	}
	sub.acknowledge(wire.NewNotification("notifications/subscriptions/acknowledged",
		wire.Set(nil, wire.MustJSON(sub.want), "notifications")))
	if sub.want.any() { // otherwise no notification can come
		select {
		case <-ctx.Done():
		case <-g.stop:
		}
	}
	return wire.NewResult(m.ID, tag([]byte(`{"resultType":"complete"}`))), nil
}

// granted returns the part of want that a server with these capabilities supports.
func granted(want wanted, capabilities []byte) wanted {
	can := func(path ...string) bool { return string(wire.Member(capabilities, path...)) == "true" }
	g := wanted{
		Tools:     want.Tools && can("tools", "listChanged"),
		Prompts:   want.Prompts && can("prompts", "listChanged"),
		Resources: want.Resources && can("resources", "listChanged"),
	}
	if can("resources", "subscribe") {
		g.URIs = want.URIs
	}
	return g
}

// Notified handles a notification that belongs to no call, from the link without an owner.
func (g *Gateway) Notified(server string, m *wire.Message) {
	g.publishNotification(server, m, func(*subscription) bool { return true })
}

// publishNotification passes a server's notification to the subscriptions that asked for it and may receive it.
func (g *Gateway) publishNotification(server string, m *wire.Message, may func(*subscription) bool) {
	g.mu.Lock()
	var to []*subscription
	for s := range g.listeners {
		if s.server == server && s.wants(m) && may(s) {
			to = append(to, s)
		}
	}
	g.mu.Unlock()
	for _, s := range to {
		s.notify(m)
	}
}

// ToolsChanged notifies the clients of this proxy's own endpoints that the tool list has changed.
func (g *Gateway) ToolsChanged() {
	m := wire.NewNotification("notifications/tools/list_changed", nil)
	g.Notified("", m)
	g.mu.Lock()
	var sessions []*session
	for _, s := range g.sessions {
		if _, ok := s.target.(*serverEndpoint); !ok {
			sessions = append(sessions, s)
		}
	}
	g.mu.Unlock()
	for _, s := range sessions {
		s.deliver(m)
	}
}
