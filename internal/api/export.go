package api

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// export streams the records that match, oldest first, one at a time.
func (s *server) export(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	for name := range v {
		if name != "format" && name != "include_flows" && !slices.Contains(ledger.FilterNames, name) {
			fail(w, http.StatusBadRequest, strconv.Quote(name)+" is no filter")
			return
		}
	}
	v.Del("limit")
	q, err := ledger.ParseFilter(v)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	q.Limit, q.OldestFirst = 0, true
	flows, err := strconv.ParseBool(orFalse(v.Get("include_flows")))
	if err != nil {
		fail(w, http.StatusBadRequest, "include_flows: neither true nor false")
		return
	}
	var out recordWriter
	switch format := v.Get("format"); format {
	case "", "json":
		out = &jsonWriter{w: w}
	case "jsonl":
		out = &jsonlWriter{w}
	case "csv":
		out = &csvWriter{w: csv.NewWriter(w)}
	default:
		fail(w, http.StatusBadRequest, "format: "+strconv.Quote(format)+" is none of json, jsonl, csv")
		return
	}
	w.Header().Set("Content-Type", out.contentType())
	if err := out.begin(); err == nil {
		err = s.Store.Scan(r.Context(), q, func(rec *mcpproxy.Record) error {
			if !flows {
				rec.Metadata.Edges = nil
			}
			return out.write(rec)
		})
		if err == nil {
			err = out.end()
		}
		if err != nil {
			// The status is sent; a cut stream is how the reader learns of it.
			slog.Warn("an export ended early", "error", err)
			panic(http.ErrAbortHandler)
		}
	}
}

func orFalse(s string) string {
	if s == "" {
		return "false"
	}
	return s
}

// recordWriter writes records in one format.
type recordWriter interface {
	contentType() string
	begin() error
	write(*mcpproxy.Record) error
	end() error
}

type jsonWriter struct {
	w io.Writer
	n int
}

func (j *jsonWriter) contentType() string { return "application/json" }
func (j *jsonWriter) begin() error        { _, err := io.WriteString(j.w, "["); return err }
func (j *jsonWriter) end() error          { _, err := io.WriteString(j.w, "]\n"); return err }
func (j *jsonWriter) write(r *mcpproxy.Record) error {
	if j.n++; j.n > 1 {
		if _, err := io.WriteString(j.w, ","); err != nil {
			return err
		}
	}
	return json.NewEncoder(j.w).Encode(r)
}

type jsonlWriter struct{ w io.Writer }

func (j *jsonlWriter) contentType() string            { return "application/jsonl" }
func (j *jsonlWriter) begin() error                   { return nil }
func (j *jsonlWriter) end() error                     { return nil }
func (j *jsonlWriter) write(r *mcpproxy.Record) error { return json.NewEncoder(j.w).Encode(r) }

type csvWriter struct{ w *csv.Writer }

func (c *csvWriter) contentType() string { return "text/csv; charset=utf-8" }

func (c *csvWriter) begin() error {
	return c.w.Write([]string{"id", "timestamp", "type", "source", "session_id", "server_name", "tool_name", "status", "decision",
		"rule", "risk_score", "risk_level", "flow_type", "duration_ms", "error_message", "arguments", "response", "hash"})
}

func (c *csvWriter) write(r *mcpproxy.Record) error {
	row := []string{r.ID, r.Timestamp.Format(time.RFC3339Nano), string(r.Type), r.Source, r.SessionID, r.ServerName, r.ToolName,
		string(r.Status), string(r.Decision), r.Rule, strconv.Itoa(r.RiskScore), string(r.RiskLevel), string(r.FlowType),
		strconv.FormatFloat(r.DurationMS, 'f', 3, 64), r.ErrorMessage, string(r.Arguments), string(r.Response), r.Hash}
	for i := range row {
		row[i] = inert(row[i])
	}
	return c.w.Write(row)
}

func (c *csvWriter) end() error {
	c.w.Flush()
	return c.w.Error()
}

// inert keeps a spreadsheet from taking a cell for a formula.
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
