package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mcpproxy"
)

// RecordFormats lists the formats of [NewRecords].
var RecordFormats = []string{"json", "jsonl", "csv"}

// Records writes records of the activity log, one at a time. It buffers no records, so a log of any length can be
// written.
type Records interface {
	// ContentType is the media type of the output.
	ContentType() string
	// Begin must be called before the first record, and End after the last.
	Begin() error
	Write(r *mcpproxy.Record) error
	End() error
}

// NewRecords returns a writer for one of the RecordFormats. If flows is set, it also writes the detected data flows.
func NewRecords(format string, w io.Writer, flows bool) (Records, error) {
	switch format {
	case "json":
		return &jsonRecords{w: w, flows: flows}, nil
	case "jsonl":
		return &jsonRecords{w: w, flows: flows, lines: true}, nil
	case "csv":
		return &csvRecords{w: csv.NewWriter(w), flows: flows}, nil
	}
	return nil, fmt.Errorf("invalid format %q: must be one of %s", format, strings.Join(RecordFormats, ", "))
}

// jsonRecords writes one array, or one record on each line.
type jsonRecords struct {
	w            io.Writer
	flows, lines bool
	begun        bool
}

func (j *jsonRecords) ContentType() string {
	if j.lines {
		return "application/jsonl"
	}
	return "application/json"
}

func (j *jsonRecords) Begin() error { return j.mark("[") }
func (j *jsonRecords) End() error   { return j.mark("]\n") }

// mark writes punctuation between records, unless each record is on its own line.
func (j *jsonRecords) mark(s string) error {
	if j.lines {
		return nil
	}
	_, err := io.WriteString(j.w, s)
	return err
}

func (j *jsonRecords) Write(r *mcpproxy.Record) error {
	if j.begun {
		if err := j.mark(","); err != nil {
			return err
		}
	}
	j.begun = true
	if !j.flows {
		bare := *r
		bare.Metadata.Edges = nil
		r = &bare
	}
	return json.NewEncoder(j.w).Encode(r)
}

// csvRecords writes a table with a header.
type csvRecords struct {
	w     *csv.Writer
	flows bool
}

var csvHeader = []string{
	"id",
	"timestamp",
	"type",
	"source",
	"session_id",
	"server_name",
	"tool_name",
	"status",
	"decision",
	"rule",
	"risk_score",
	"risk_level",
	"flow_type",
	"duration_ms",
	"error_message",
	"arguments",
	"response",
	"hash",
	"flow_session_id",
	"request_id",
	"parent_id",
	"principal",
	"reason",
	"detections",
	"redacted",
}

func (c *csvRecords) ContentType() string { return "text/csv; charset=utf-8" }

func (c *csvRecords) Begin() error {
	header := csvHeader
	if c.flows {
		header = append(header[:len(header):len(header)], "flow_edges")
	}
	return c.w.Write(header)
}

func (c *csvRecords) Write(r *mcpproxy.Record) error {
	var kinds []string
	if r.Metadata.Sensitive != nil {
		for _, d := range r.Metadata.Sensitive.Detections {
			kinds = append(kinds, d.Type)
		}
	}
	row := []string{
		r.ID,
		r.Timestamp.Format(time.RFC3339Nano),
		string(r.Type),
		r.Source,
		r.SessionID,
		r.ServerName,
		r.ToolName,
		string(
			r.Status,
		),
		string(r.Decision),
		r.Rule,
		strconv.Itoa(r.RiskScore),
		string(r.RiskLevel),
		string(r.FlowType),
		strconv.FormatFloat(r.DurationMS, 'f', 3, 64),
		r.ErrorMessage,
		string(r.Arguments),
		string(r.Response),
		r.Hash,
		r.FlowSessionID,
		r.RequestID,
		r.ParentID,
		r.Principal,
		r.Metadata.Reason,
		strings.Join(kinds, " "),
		strconv.FormatBool(r.Redacted),
	}
	if c.flows {
		edges, err := json.Marshal(r.Metadata.Edges)
		if err != nil {
			return err
		}
		row = append(row, string(edges))
	}
	for i := range row {
		row[i] = inert(row[i])
	}
	return c.w.Write(row)
}

func (c *csvRecords) End() error {
	c.w.Flush()
	return c.w.Error()
}

// inert changes a cell that a spreadsheet could read as a formula. Some programs skip spaces, quotes and invisible
// characters at the beginning of a cell, and some accept full-width signs.
func inert(cell string) string {
	if strings.ContainsRune("\t\r\n", first(cell)) {
		return "'" + cell
	}
	sign := first(strings.TrimLeftFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || r == '"' || r == '\''
	}))
	if strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫−", sign) {
		return "'" + cell
	}
	return cell
}

// first returns the first character of s. If s is empty, it returns a character that is in no list.
func first(s string) rune {
	for _, r := range s {
		return r
	}
	return -2
}
