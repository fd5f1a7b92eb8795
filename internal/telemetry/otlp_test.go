package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/telemetry"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	dir, err := os.MkdirTemp("", "roots")
	if err != nil {
		panic(err)
	}
	os.Setenv("SSL_CERT_FILE", filepath.Join(dir, "ca.pem"))
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.RemoveAll(dir); os.Exit(code) }))
}

// The types below are the messages of OTLP 1 in JSON, as far as mcpproxy sends them. Unknown members are refused, as
// collectors do.
type (
	value struct {
		StringValue *string                   `json:"stringValue"`
		IntValue    *json.Number              `json:"intValue,string"`
		DoubleValue *float64                  `json:"doubleValue"`
		BoolValue   *bool                     `json:"boolValue"`
		ArrayValue  *struct{ Values []value } `json:"arrayValue"`
	}
	keyValue struct {
		Key   string
		Value value
	}
	resource struct{ Attributes []keyValue }
	scope    struct{ Name, Version string }
	logs     struct {
		ResourceLogs []struct {
			Resource  resource
			ScopeLogs []struct {
				Scope      scope
				LogRecords []logRecord
			}
		}
	}
	logRecord struct {
		TimeUnixNano, ObservedTimeUnixNano json.Number `json:",string"`
		SeverityNumber                     int
		SeverityText, EventName            string
		Body                               value
		Attributes                         []keyValue
		TraceID                            string `json:"traceId"`
		SpanID                             string `json:"spanId"`
	}
	traces struct {
		ResourceSpans []struct {
			Resource   resource
			ScopeSpans []struct {
				Scope scope
				Spans []span
			}
		}
	}
	span struct {
		TraceID           string `json:"traceId"`
		SpanID            string `json:"spanId"`
		ParentSpanID      string `json:"parentSpanId"`
		Name              string
		Kind              int
		StartTimeUnixNano string
		EndTimeUnixNano   string
		Attributes        []keyValue
		Status            struct {
			Code    int
			Message string
		}
	}
)

func (v value) String() string {
	switch {
	case v.StringValue != nil:
		return *v.StringValue
	case v.IntValue != nil:
		return v.IntValue.String()
	case v.DoubleValue != nil:
		return strconv.FormatFloat(*v.DoubleValue, 'g', -1, 64)
	case v.ArrayValue != nil:
		var all []string
		for _, item := range v.ArrayValue.Values {
			all = append(all, item.String())
		}
		return strings.Join(all, ",")
	}
	return "<nothing>"
}

func words(kv []keyValue) map[string]string {
	out := map[string]string{}
	for _, a := range kv {
		out[a.Key] = a.Value.String()
	}
	return out
}

// collector records what is exported. It answers the n-th request, counted from 0, with the status that answer
// returns; 0 means 200.
type collector struct {
	*httptest.Server
	t      *testing.T
	answer func(n int) int
	tries  atomic.Int32

	mu       sync.Mutex
	logs     []logRecord
	spans    []span
	resource map[string]string
	raw      []string
	header   http.Header
	partial  string
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t, answer: func(int) int { return 0 }}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%s with %s: %v", r.Method, r.Header.Get("Content-Type"), err)
	}
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			c.t.Error(err)
			return
		}
		body, _ = io.ReadAll(z)
	}
	if status := c.answer(int(c.tries.Add(1)) - 1); status != 0 {
		w.WriteHeader(status)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw, c.header = append(c.raw, string(body)), r.Header
	c.take(r.URL.Path, body)
	_, _ = io.WriteString(w, c.partial)
}

func (c *collector) take(path string, body []byte) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	switch path {
	case "/v1/logs":
		var in logs
		if err := dec.Decode(&in); err != nil {
			c.t.Errorf("%v in %s", err, body)
			return
		}
		c.resource = words(in.ResourceLogs[0].Resource.Attributes)
		c.logs = append(c.logs, in.ResourceLogs[0].ScopeLogs[0].LogRecords...)
	case "/v1/traces":
		var in traces
		if err := dec.Decode(&in); err != nil {
			c.t.Errorf("%v in %s", err, body)
			return
		}
		c.spans = append(c.spans, in.ResourceSpans[0].ScopeSpans[0].Spans...)
	default:
		c.t.Errorf("there is no %s", path)
	}
}

func (c *collector) got() (logs []logRecord, spans []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(logs, c.logs...), append(spans, c.spans...)
}

// soon is how long a test waits for an export.
const soon = 20 * time.Second

func newExporter(t *testing.T, s telemetry.Settings) *telemetry.Exporter {
	e := telemetry.New(s)
	t.Cleanup(func() { closeExporter(e) })
	return e
}

func closeExporter(e *telemetry.Exporter) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	e.Close(ctx)
}

const traceID, spanID, parentID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "1111111111111111"

var at = time.Unix(1_800_000_000, 0).UTC()

// sent returns the record of a call that a server has answered.
func sent(n int) *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:         fmt.Sprintf("01J%023d", n),
		Type:       mcpproxy.RecordToolCall,
		Source:     "mcp",
		Timestamp:  at,
		SessionID:  "sess",
		RequestID:  `"7"`,
		ServerName: "chat",
		ToolName:   "post_message",
		Status:     mcpproxy.StatusSuccess,
		Decision:   mcpproxy.Warn,
		Rule:       "r.x",
		RiskLevel:  mcpproxy.RiskHigh,
		RiskScore:  60,
		FlowType:   mcpproxy.InternalToExternal,
		DurationMS: 40,
		TraceID:    traceID,
		SpanID:     spanID,
		Metadata: mcpproxy.Metadata{
			Facts: mcpproxy.Facts{
				Operation: mcpproxy.Write,
				Edges: []mcpproxy.Edge{
					{From: mcpproxy.Origin{Server: "vault"}},
					{From: mcpproxy.Origin{Server: "vault"}},
				},
			},
			Kind:         mcpproxy.KindTool,
			Reason:       "Because.",
			InspectionMS: 2,
			ParentSpan:   parentID,
		},
	}
}

func TestACallBecomesALogRecordAndTwoSpans(t *testing.T) {
	c := newCollector(t)
	e := newExporter(
		t,
		telemetry.Settings{
			OTLP:    telemetry.OTLP{Endpoint: c.URL + "/", Headers: map[string]string{"X-Key": "k"}},
			Service: "proxy",
			Version: "1",
		},
	)
	e.Hear(sent(1))
	closeExporter(e)
	logs, spans := c.got()
	if len(logs) != 1 || len(spans) != 2 {
		t.Fatalf("%d logs, %d spans", len(logs), len(spans))
	}
	if c.header.Get("X-Key") != "k" || c.resource["service.name"] != "proxy" || c.resource["service.version"] != "1" ||
		c.resource["process.pid"] == "" {
		t.Errorf("resource %v, headers %v", c.resource, c.header)
	}
	l := logs[0]
	a := words(l.Attributes)
	for key, want := range map[string]string{
		"mcp.method.name":       "tools/call",
		"gen_ai.operation.name": "execute_tool",
		"gen_ai.tool.name":      "post_message",
		"mcp.session.id":        mcpproxy.SessionDigest("sess"),
		"jsonrpc.request.id":    "7",
		"mcpproxy.server":       "chat",
		"mcpproxy.decision":     "warn",
		"mcpproxy.rule":         "r.x",
		"mcpproxy.risk.score":   "60",
		"mcpproxy.risk.level":   "high",
		"mcpproxy.flow.origins": "vault",
		"mcpproxy.activity.id":  sent(1).ID,
		"mcpproxy.reason":       "Because.",
	} {
		if a[key] != want {
			t.Errorf("%s is %q, want %q", key, a[key], want)
		}
	}
	if l.TraceID != traceID || l.SpanID != spanID || l.TimeUnixNano.String() != fmt.Sprint(at.UnixNano()) ||
		l.SeverityText != "WARN" ||
		l.SeverityNumber != 13 ||
		l.EventName != "mcpproxy.tool_call" ||
		l.Body.String() != "tool_call warn chat:post_message Because." {
		t.Errorf("got %+v", l)
	}
	own, client := spans[0], spans[1]
	if own.Name != "tools/call post_message" || own.Kind != 2 || own.SpanID != spanID || own.ParentSpanID != parentID ||
		own.TraceID != traceID ||
		own.Status.Code != 0 {
		t.Errorf("the call's span is %+v", own)
	}
	if want := fmt.Sprint(at.Add(42 * time.Millisecond).UnixNano()); own.EndTimeUnixNano != want {
		t.Errorf("it ends at %s, want %s", own.EndTimeUnixNano, want)
	}
	up := (mcpproxy.Trace{ID: traceID, Span: spanID}).Upstream()
	if client.Kind != 3 || client.SpanID != up.Span || client.ParentSpanID != spanID {
		t.Errorf("the server's request is %+v", client)
	}
	for _, id := range []string{own.SpanID, client.SpanID} {
		if b, err := hex.DecodeString(id); err != nil || len(b) != 8 {
			t.Errorf("%q is no id of a span", id)
		}
	}
}

func TestHowACallEndedShowsInItsSpan(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*mcpproxy.Record)
		failure string
		name    string
		kind    int
		spans   int
	}{
		"a stop": {func(r *mcpproxy.Record) {
			r.Type = mcpproxy.RecordPolicyDecision
			r.Status = mcpproxy.StatusBlocked
			r.DurationMS = 0
		}, "denied", "tools/call post_message", 2, 1},
		"a tool that failed": {func(r *mcpproxy.Record) { r.Status = mcpproxy.StatusError }, "tool_error", "tools/call post_message", 2, 2},
		"no answer":          {func(r *mcpproxy.Record) { r.Status, r.ErrorMessage = mcpproxy.StatusError, "timeout" }, "_OTHER", "tools/call post_message", 2, 2},
		"a hook": {func(r *mcpproxy.Record) {
			r.Type = mcpproxy.RecordHookEvaluation
			r.Source = "hook"
			r.ServerName = ""
		}, "", "execute_tool post_message", 1, 1},
		"a resource":          {func(r *mcpproxy.Record) { r.Metadata.Kind = mcpproxy.KindResource }, "", "resources/read", 2, 2},
		"a prompt":            {func(r *mcpproxy.Record) { r.Metadata.Kind = mcpproxy.KindPrompt }, "", "prompts/get post_message", 2, 2},
		"a session's summary": {func(r *mcpproxy.Record) { r.Type = mcpproxy.RecordFlowSummary }, "", "", 0, 0},
		"a call without ids":  {func(r *mcpproxy.Record) { r.TraceID = "" }, "", "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			col := newCollector(t)
			e := newExporter(t, telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: col.URL}})
			r := sent(1)
			c.change(r)
			e.Hear(r)
			closeExporter(e)
			logs, spans := col.got()
			if len(logs) != 1 || len(spans) != c.spans {
				t.Fatalf("%d logs, %d spans", len(logs), len(spans))
			}
			if c.spans == 0 {
				return
			}
			s := spans[0]
			if got := words(s.Attributes)["error.type"]; got != c.failure ||
				(c.failure != "") != (s.Status.Code == 2) ||
				s.Name != c.name ||
				s.Kind != c.kind {
				t.Errorf("error.type %q, %+v", got, s)
			}
		})
	}
}

func TestACollectorThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		status        []int
		sent, dropped uint64
		tries         int32
	}{
		"for a moment":    {[]int{503, 429}, 1, 0, 3},
		"for good":        {[]int{400}, 0, 1, 1},
		"with a redirect": {[]int{307}, 0, 1, 1},
		"with its key":    {[]int{401}, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			col := newCollector(t)
			col.answer = func(n int) int {
				if n < len(c.status) {
					return c.status[n]
				}
				return 0
			}
			e := newExporter(t, telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: col.URL}})
			r := sent(1)
			r.TraceID = "" // one target only
			e.Hear(r)
			eventually.TrueWithin(t, soon, "the batch is sent or dropped", func() bool {
				s := e.Stats()[0]
				return s.Sent+s.Dropped == 1
			})
			s := e.Stats()[0]
			if s.Sent != c.sent || s.Dropped != c.dropped || col.tries.Load() != c.tries ||
				(s.LastError == "") != (c.sent == 1) {
				t.Errorf("%d tries, %+v", col.tries.Load(), s)
			}
		})
	}
}

func TestWhatACollectorRefusesIsCounted(t *testing.T) {
	col := newCollector(t)
	col.partial = `{"partialSuccess": {"rejectedLogRecords": "3", "errorMessage": "too old"}}`
	e := newExporter(t, telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: col.URL}})
	for n := range 5 {
		r := sent(n)
		r.TraceID = ""
		e.Hear(r)
	}
	eventually.TrueWithin(t, soon, "all five are sent or dropped", func() bool {
		s := e.Stats()[0]
		return s.Sent+s.Dropped == 5
	})
	if s := e.Stats()[0]; s.Sent != 2 || s.Dropped != 3 {
		t.Errorf("%+v", s)
	}
}

// A collector that hangs blocks nothing else, and the memory does not grow.
func TestHearingNeverBlocks(t *testing.T) {
	free := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-free:
		case <-r.Context().Done():
		}
	}))
	defer hang.Close()
	defer close(free)
	e := telemetry.New(telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: hang.URL}})
	for n := range 10_000 {
		e.Hear(sent(n))
	}
	if s := e.Stats()[0]; s.Dropped < 10_000-4096-256 || s.Waiting > 4096 {
		t.Errorf("%+v", s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	e.Close(ctx) // must return
}

func TestManyRecordsArriveInOrderAndOnce(t *testing.T) {
	col := newCollector(t)
	e := newExporter(t, telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: col.URL}})
	for n := range 1000 {
		e.Hear(sent(n))
	}
	closeExporter(e)
	logs, _ := col.got()
	if len(logs) != 1000 {
		t.Fatalf("%d logs", len(logs))
	}
	for n, l := range logs {
		if words(l.Attributes)["mcpproxy.activity.id"] != sent(n).ID {
			t.Fatalf("number %d is %s", n, words(l.Attributes)["mcpproxy.activity.id"])
		}
	}
}

func TestAnotherConfigurationTakesOver(t *testing.T) {
	one, two := newCollector(t), newCollector(t)
	e := newExporter(t, telemetry.Settings{})
	e.Hear(sent(0))
	if e.Spans() || len(e.Stats()) != 0 {
		t.Error("something is exported to nowhere")
	}
	e.Configure(telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: one.URL}})
	e.Hear(sent(1))
	e.Configure(telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: one.URL}}) // the same: nothing happens
	e.Configure(telemetry.Settings{OTLP: telemetry.OTLP{Endpoint: two.URL}})
	e.Hear(sent(2))
	closeExporter(e)
	for name, c := range map[*collector]int{one: 1, two: 2} {
		if logs, _ := name.got(); len(logs) != 1 || words(logs[0].Attributes)["mcpproxy.activity.id"] != sent(c).ID {
			t.Errorf("collector %d got %d logs", c, len(logs))
		}
	}
}
