package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
)

// If the switch cannot be turned, the error says in which state the next start will find it.
func TestAFailedTurnOfTheKillSwitchSaysWhatARestartFinds(t *testing.T) {
	for name, c := range map[string]struct {
		folder, on, stays bool // the file is a folder that cannot be removed
		want              string
	}{
		"off, and its file stays": {true, false, true, "the kill switch is on, and a restart will find it on: "},
		"on, without a file":      {false, true, true, "the kill switch is on, and a restart will not know it: "},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config.Default()
			conf.DataDir = filepath.Join(t.TempDir(), "data") // the file does not exist
			if c.folder {
				if err := os.MkdirAll(filepath.Join(KillPath(conf), "full"), 0o700); err != nil {
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

// newSwitch returns a kill switch in a folder of its own, turned off.
func newSwitch(t *testing.T) *killSwitch {
	t.Helper()
	return newKillSwitch(&config.Config{DataDir: t.TempDir()}, func(api.KillState, string) {})
}

func TestEveryTurnOfTheKillSwitchIsReportedToWaiters(t *testing.T) {
	k := newSwitch(t)
	for range 2 {
		turned := k.Turned()
		select {
		case <-turned:
			t.Fatal("it is off, and said to be on")
		default:
		}
		for range 2 {
			if _, err := k.Set(true, "me"); err != nil {
				t.Fatal(err)
			}
		}
		<-turned // or the test ends here
		<-k.Turned()
		if _, err := k.Set(false, "me"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(k.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-newKillSwitch(&config.Config{DataDir: filepath.Dir(k.path)}, nil).Turned()
}

// If the kill file is a pipe, the switch is on, and opening the file must not block.
func TestAPipeAsKillFileBlocksNothing(t *testing.T) {
	k := newSwitch(t)
	if err := syscall.Mkfifo(k.path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	go func() { done <- k.writer() }()
	select {
	case by := <-done:
		if by != "" || !k.there() {
			t.Errorf("by %q", by)
		}
	case <-time.After(upTo):
		t.Error("the switch hangs")
	}
}
