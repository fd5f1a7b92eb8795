package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// standInRegistry DIR serves a folder as a registry of MCP servers and sets REGISTRY to its address. It does not
// search: it answers every search with DIR/list.json, whose next page is empty, and a request for the latest version
// of a server with DIR/OWNER/NAME.json. The answers have the form of the OpenAPI description of 2025-12-01.
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
