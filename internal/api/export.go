package api

import (
	"fmt"
	"log/slog"
	"net/http"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/report"
)

// export streams the matching records, oldest first unless order says otherwise.
func (s *server) export(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	q, err := ledger.ParseFilter(v)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	q.Limit, q.OldestFirst = 0, v.Get("order") != "desc"
	flows := v.Get("include_flows")
	if flows != "" && flows != "true" && flows != "false" {
		fail(w, http.StatusBadRequest, fmt.Sprintf("invalid include_flows %q: must be one of true, false", flows))
		return
	}
	format := v.Get("format")
	if format == "" {
		format = "json"
	}
	out, err := report.NewRecords(format, w, flows == "true")
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", out.ContentType())
	if err = out.Begin(); err == nil {
		err = s.Store.Scan(
			r.Context(),
			q,
			func(rec *mcpproxy.Record) error { return out.Write(readable(r.Context(), rec)) },
		)
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		// The status is already sent; the client notices that the stream ends early.
		slog.Warn("an export ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
}
