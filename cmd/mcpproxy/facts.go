package main

import (
	"os"
	"sync"
	"time"

	"mcpproxy/internal/api"
)

// configState is when the configuration was read, and whether the file holds.
type configState struct {
	mu  sync.Mutex
	at  time.Time
	err string
}

// took notes that a configuration came into force.
func (s *configState) took() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.err = time.Now().UTC(), ""
}

// refused notes that a changed file cannot be used.
func (s *configState) refused(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = why
}

// facts are what the daemon says about itself.
func (d *daemon) facts() api.Facts {
	c := d.config.Load()
	f := api.Facts{ConfigFile: d.path, Idle: c.Idle(), MCPAuth: c.RequireMCPAuth,
		Log: api.LogFacts{RetentionDays: c.Activity.RetentionDays, MaxRecords: c.Activity.MaxRecords, MaxSizeMB: c.Activity.MaxSizeMB}}
	d.read.mu.Lock()
	f.ConfigRead, f.ConfigError = d.read.at, d.read.err
	d.read.mu.Unlock()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(c.LogPath() + suffix); err == nil {
			f.Log.Bytes += info.Size()
		}
	}
	return f
}
