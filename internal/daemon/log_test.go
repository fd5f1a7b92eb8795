package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"mcpproxy"
)

func TestTheLogSaysHowLargeItIsAndWhatIsKept(t *testing.T) {
	r := newPartRig(t)
	r.config.Activity.MaxRecords = 7
	r.log.monitor.record(mcpproxy.RecordConfigChange, "", nil)
	r.records(mcpproxy.RecordConfigChange, 1)
	facts := r.log.facts(r.config)
	if facts.MaxRecords != 7 || facts.Bytes == 0 || facts.Lost != 0 || facts.Failure != nil || facts.AgeHeld != "" {
		t.Errorf("the facts are %+v", facts)
	}
}

// If there is no witness outside the log's folder yet, closing the log creates one.
func TestTheEndOfTheLogIsRecordedOutsideItsFolder(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	r := newPartRig(t)
	if r.log.witness.path == "" || filepath.Dir(r.log.witness.path) == r.config.DataDir {
		t.Fatalf("the witness is kept in %q", r.log.witness.path)
	}
	before, err := os.ReadFile(r.log.witness.path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	r.log.monitor.record(mcpproxy.RecordConfigChange, "", nil)
	r.records(mcpproxy.RecordConfigChange, 1)
	r.log.monitor.Close()
	r.log.witness.save()
	after, err := os.ReadFile(r.log.witness.path)
	if err != nil || string(after) == string(before) {
		t.Errorf("after a record the witness says the same as before: %q, %v", after, err)
	}
}
