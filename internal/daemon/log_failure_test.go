package daemon

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/alert"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
)

// metric returns the value of a metric without labels, or of all its series together.
func (w *watched) metric(name string) (sum float64) {
	w.t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(w.shown(), -1) {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			w.t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// alarms returns the integrity alerts that the webhook has received.
func (w *watched) alarms() (all []alert.Alert) {
	w.t.Helper()
	for _, m := range w.webhook.all() {
		var a alert.Alert
		if err := json.Unmarshal(m.body, &a); err != nil {
			w.t.Fatal(err)
		}
		if a.Event == intake.EventIntegrity {
			all = append(all, a)
		}
	}
	return all
}

// failsAndRecovers makes calls while the log is broken, and checks what each receiver is told.
func (w *watched) failsAndRecovers(breaks, mends func()) {
	t := w.t
	t.Helper()
	breaks()
	w.log.monitor.Add(SystemRecord(mcpproxy.RecordConfigChange, "", nil)) // whichever record comes first is lost
	eventually.True(t, "the failure", func() bool { return w.log.monitor.ledger.Failure() != nil })
	written, lost := w.metric("mcpproxy_records_total"), w.metric("mcpproxy_log_failures_total")
	const calls = 5
	for range calls {
		w.call("write", "chat:post_message", `{"channel": "#x", "text": "hello"}`)
	}
	eventually.True(t, "the losses", func() bool { return w.metric("mcpproxy_log_failures_total") >= lost+calls })
	if now := w.metric("mcpproxy_records_total"); now != written {
		t.Errorf("%v records are counted as written while none could be", now-written)
	}
	w.hears(intake.EventIntegrity, "The activity log cannot be written", "calls go on without a record")
	eventually.True(t, "the alert", func() bool { return len(w.alarms()) > 0 })
	alarm := w.alarms()[0]
	if !strings.Contains(alarm.Text, "The activity log cannot be written") {
		t.Errorf("the alert is %+v", alarm)
	}

	mends()
	eventually.True(t, "the recovery", func() bool { return w.log.monitor.ledger.Failure() == nil })
	r, err := w.log.store.Get(t.Context(), alarm.ActivityID)
	if err != nil {
		t.Fatalf("the alert names %s: %v", alarm.ActivityID, err)
	}
	gap, ok := mcpproxy.GapOf(r)
	if !ok || gap.Lost < calls+1 || float64(gap.Lost) > w.metric("mcpproxy_log_failures_total") {
		t.Errorf("the gap is %+v, %v", gap, ok)
	}
	if n := len(w.alarms()); n != 1 {
		t.Errorf("%d alerts about one failure", n)
	}
	if w.metric("mcpproxy_records_total") <= written {
		t.Error("the gap is not counted as written")
	}
	rep, err := w.log.store.Verify(t.Context())
	if err != nil || !rep.OK || rep.Gaps != 1 {
		t.Errorf("verify says %+v, %v", rep, err)
	}
}

// tampers runs a statement on the log without the daemon's knowledge.
func (w *watched) tampers(statement string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.Config().LogPath()+"?_pragma=busy_timeout(10000)")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	eventually.True(w.t, "a row to change", func() bool { // the daemon may not have written its first record yet
		done, err := db.Exec(statement)
		if err != nil {
			w.t.Fatal(err)
		}
		changed, err := done.RowsAffected()
		return err == nil && changed > 0
	})
}

func TestALogThatCannotBeWrittenIsReportedOnce(t *testing.T) {
	w := newWatched(t)
	w.failsAndRecovers(func() {
		w.tampers(`UPDATE head SET signature = CAST(hex(signature) AS BLOB)`)
	}, func() {
		w.tampers(`UPDATE head SET signature = unhex(CAST(signature AS TEXT))`)
	})
}

// The same test with a disk that is really full.
func TestAFullDiskIsReported(t *testing.T) {
	dir := smallDisk(t, "3m")
	w := newWatchedIn(t, dir)
	ballast := filepath.Join(dir, "ballast")
	w.failsAndRecovers(func() {
		fill(t, ballast)
		// The database's journal may have room for a few more records. These records are as small as possible, so that
		// no gap record fits either once they do not.
		for i := 0; i < 1000 && w.log.monitor.ledger.Failure() == nil; i++ {
			_ = w.log.monitor.Append(t.Context(), SystemRecord(mcpproxy.RecordConfigChange, "", nil))
		}
	}, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := w.log.store.Count(t.Context(), ledger.Filter{}); err != nil {
		t.Error(err)
	}
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := bytes.Repeat([]byte{1}, 64<<10); len(chunk) > 0; chunk = chunk[:len(chunk)/2] {
		for err = nil; err == nil; {
			_, err = f.Write(chunk)
		}
	}
}

// smallDisk mounts a file system of the given size for the test, which requires root.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip(
			"only root can mount a small disk; TestALogThatCannotBeWrittenIsReportedOnce and the ledger's tests of a full database need none",
		)
	}
	dir := t.TempDir()
	if err := mountSmall(dir, size); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unmount(dir); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

// A log with a damaged file is reported, too, and the daemon still answers requests for its status.
func TestADamagedLogIsReported(t *testing.T) {
	dir := t.TempDir()
	w := newWatchedIn(t, dir)
	for range 50 {
		w.call("write", "chat:post_message", `{"channel": "#x", "text": "hello"}`)
	}
	w.stop()
	damage(t, filepath.Join(dir, "activity.db"), "kinds")
	again, err := Start(t.Context(), w.path, w.Config(), func(*config.Config) {})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	eventually.True(t, "the failure", func() bool { return again.log.monitor.ledger.Failure() != nil })
	for path, want := range map[string]int{"/api/v1/status": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+again.Address()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", "k")
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want || !bytes.Contains(body, []byte("malformed")) {
			t.Errorf("%s answers %s: %.300s", path, resp.Status, body)
		}
	}
}

// damage overwrites the first page of a table, which every record needs.
func damage(t *testing.T, path, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var root, size int64
	err = db.QueryRow("SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = ?", table).
		Scan(&root, &size)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, int(size)), (root-1)*size)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
