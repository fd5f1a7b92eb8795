package api

import (
	"log/slog"
	"net/http"
	"strconv"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/report"
)

// export streams the records that match, one at a time, oldest first unless order
// says otherwise.
func (s *server) export(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	q, err := ledger.ParseFilter(v)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	q.Limit, q.OldestFirst = 0, v.Get("order") != "desc"
	flows, err := strconv.ParseBool(orFalse(v.Get("include_flows")))
	if err != nil {
		fail(w, http.StatusBadRequest, "include_flows: neither true nor false")
		return
	}
	format := v.Get("format")
	if format == "" {
		format = "json"
	}
	out, err := report.NewRecords(format, w, flows)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", out.ContentType())
	if err = out.Begin(); err == nil {
		err = s.Store.Scan(r.Context(), q, func(rec *mcpproxy.Record) error { return out.Write(readable(r.Context(), rec)) })
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		// The status is sent; a cut stream is how the reader learns of it.
		slog.Warn("an export ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
}

func orFalse(s string) string {
	if s == "" {
		return "false"
	}
	return s
}
