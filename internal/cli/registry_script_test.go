package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// standInRegistry DIR serves a folder as a registry of MCP servers would, at $REGISTRY. It is a
// stand-in: it looks for nothing, and answers as the OpenAPI description of 2025-12-01 says with
// DIR/list.json to a search, whose next page is empty, and with DIR/OWNER/NAME.json to the latest
// version of a server.
func standInRegistry(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	dir := ts.MkAbs(args[0])
	answer := func(file string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			raw, err := os.ReadFile(path.Join(dir, strings.ReplaceAll(file, "{name}", r.PathValue("name"))))
			if err != nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(raw)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v0.1/servers", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("cursor") == "" {
			answer("list.json")(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"servers": []}`))
	})
	mux.Handle("GET /v0.1/servers/{name}/versions/{version}", answer("{name}.json"))
	s := httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv("REGISTRY", s.URL)
}
