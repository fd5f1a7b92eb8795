package daemon

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

func TestADaemonSendsItsLogToTheBucketOfTheConfiguration(t *testing.T) {
	put := make(chan string, 10)
	store := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { put <- r.Method + r.URL.Path }))
	t.Cleanup(store.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp_config.json")
	text := fmt.Sprintf(`{"listen": "127.0.0.1:0", "data_dir": %q, "ship": {"bucket": "s3://acme/logs", "s3": {"endpoint": %q}}}`,
		dir, store.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := sqlite.Open(t.Context(), LogPlace(c).File)
	if err == nil {
		err = log.Append(context.Background(), []*mcpproxy.Record{ledgertest.Full()})
	}
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	d, err := Start(t.Context(), path, c, func(*config.Config) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	select {
	case what := <-put:
		if !strings.HasPrefix(what, "PUT/acme/logs/machine=") || !strings.HasSuffix(what, ".jsonl.gz") {
			t.Errorf("the store got %s", what)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the store gets nothing")
	}
	eventually.True(t, "the daemon says how far the bucket has the log", func() bool {
		f := d.uploading.facts()
		return f != nil && f.Hub == "s3://acme/logs" && f.Sent >= 1 && f.Error == ""
	})
	if f := d.shipping.facts(); f != nil {
		t.Errorf("the machine is enrolled nowhere, and the daemon tells of a hub: %+v", f)
	}
}
