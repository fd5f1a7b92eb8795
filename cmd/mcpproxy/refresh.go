package main

import (
	"context"
	"log/slog"
	"time"

	"mcpproxy/internal/upstream"
)

// listing is the state of reading one server's tools. However often a server
// says that they changed, they are read by one goroutine at a time, and not more
// often than every refreshPause.
type listing struct {
	running bool
	again   bool // asked for while running
}

const refreshPause = time.Second

// refresh reads a server's tools again, soon. It does not block.
func (d *daemon) refresh(s *upstream.Server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lists[s.Name()]
	if l == nil {
		l = &listing{}
		d.lists[s.Name()] = l
	}
	if l.running {
		l.again = true
		return
	}
	l.running = true
	go d.keepListing(s, l)
}

func (d *daemon) keepListing(s *upstream.Server, l *listing) {
	for {
		d.listTools(s)
		time.Sleep(refreshPause)
		d.mu.Lock()
		l.running, l.again = l.again, false
		again := l.running
		d.mu.Unlock()
		if !again {
			return
		}
	}
}

func (d *daemon) listTools(s *upstream.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tools, err := s.ListTools(ctx)
	if err != nil {
		slog.Warn("a server's tools could not be listed", "server", s.Name(), "error", err)
		return
	}
	changed, refused := d.catalog.Set(s.Name(), tools)
	if refused > 0 {
		slog.Warn("tools were left out: their definitions cannot be read or repeat a name", "server", s.Name(), "tools", refused)
	}
	if changed {
		d.gateway.ToolsChanged()
	}
}
