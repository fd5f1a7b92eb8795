package daemon

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
func (d *Daemon) facts() api.Facts {
	c := d.Config.Load()
	f := api.Facts{
		ConfigFile: d.Path,
		Idle:       c.Idle(),
		MCPAuth:    c.RequireMCPAuth,
		Log: api.LogFacts{
			RetentionDays: c.Activity.RetentionDays,
			MaxRecords:    c.Activity.MaxRecords,
			MaxSizeMB:     c.Activity.MaxSizeMB,
		},
	}
	f.Unseen, f.Outage = d.unseen.recent(), d.away.recent()
	if doubt := d.upkeep.doubtful.Load(); doubt != nil {
		f.Log.AgeHeld = doubt.String()
	}
	d.lastRead.mu.Lock()
	f.ConfigRead, f.ConfigError = d.lastRead.at, d.lastRead.err
	d.lastRead.mu.Unlock()
	f.Log.Lost, f.Log.Failure = d.log.ledger.Lost(), d.log.failureFacts(c)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(c.LogPath() + suffix); err == nil {
			f.Log.Bytes += info.Size()
		}
	}
	return f
}
