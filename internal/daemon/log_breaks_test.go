package daemon

import (
	"os"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// gaps returns the number of records about missing parts of the log.
func gaps(t *testing.T, d *Daemon) int {
	t.Helper()
	n, err := d.log.store.Count(t.Context(), ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordGap}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A break that is found at the start is published to watchers, and recorded once.
func TestAReplacedFileRaisesAnAlarm(t *testing.T) {
	w := newWatched(t)
	w.log.store.Heads().Found(ledger.NewBreak(ledger.FileReplaced, "trust.json", "trust.json was replaced"))
	w.log.upkeep.reportBreaks(t.Context())
	w.hears("security.integrity_alert", `"gap"`, `"file_replaced"`, "trust.json was replaced")
	w.log.upkeep.reportBreaks(t.Context())
	if n := gaps(t, w.Daemon); n != 1 {
		t.Errorf("%d records say so", n)
	}
}

// If the log is removed while the daemon runs, the daemon notices it before it ends.
func TestARemovedLogRaisesAnAlarm(t *testing.T) {
	w := newWatched(t)
	if w.log.upkeep.moved(t.Context()) {
		t.Fatal("the log is where it was")
	}
	path := w.Config().LogPath()
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if !w.log.upkeep.moved(t.Context()) {
		t.Fatal("it was not noticed")
	}
	w.hears("security.integrity_alert", `"gap"`, `"log_replaced"`, "while mcpproxy was running")
	if breaks := w.log.store.Heads().Heads().Breaks; len(breaks) != 1 || breaks[0].Record == "" || gaps(t, w.Daemon) != 1 {
		t.Errorf("the heads say %+v", breaks)
	}
}

// While the clock may be wrong, the status says why no record is removed by age.
func TestTheStatusSaysWhyNoRecordIsRemovedByAge(t *testing.T) {
	w := newWatched(t)
	w.log.upkeep.doubted(&ledger.Doubt{Now: time.Now().AddDate(1, 0, 0), Last: time.Now()})
	held := w.facts().Log.AgeHeld
	if !strings.Contains(held, "the clock says") {
		t.Errorf("it says %q", held)
	}
	w.log.upkeep.doubted(nil)
	if held := w.facts().Log.AgeHeld; held != "" {
		t.Errorf("once the clock is right it says %q", held)
	}
}
