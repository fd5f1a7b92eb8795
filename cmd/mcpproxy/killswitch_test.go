package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
)

// Whoever cannot turn the switch must know what the next start will find.
func TestAKillSwitchThatCannotBeTurnedSaysWhatARestartFinds(t *testing.T) {
	for name, c := range map[string]struct {
		folder, on, stays bool // the file is a folder that cannot be removed
		want              string
	}{
		"off, and its file stays": {true, false, true, "the kill switch is on, and a restart will find it on: "},
		"on, without a file":      {false, true, true, "the kill switch is on, and a restart will not know it: "},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config.Default()
			conf.DataDir = filepath.Join(t.TempDir(), "data") // not there
			if c.folder {
				if err := os.MkdirAll(filepath.Join(killPath(conf), "full"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			k := newKillSwitch(conf, func(api.KillState, string) {})
			state, err := k.Set(c.on, "somebody")
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || state.On != c.stays {
				t.Errorf("on: %t, %v", state.On, err)
			}
			if again := newKillSwitch(conf, func(api.KillState, string) {}); again.State().On != c.folder {
				t.Errorf("after a restart it is on: %t", again.State().On)
			}
		})
	}
}
