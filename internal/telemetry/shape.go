package telemetry

import (
	"strconv"
	"time"
)

// The types below are the JSON form of OTLP's messages: names are in lower camel case, 64-bit numbers are strings, and
// ids are in hex.

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	String *string  `json:"stringValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Array  *array   `json:"arrayValue,omitempty"`
}

type array struct {
	Values []value `json:"values"`
}

type logRecord struct {
	Time       string      `json:"timeUnixNano"`
	Observed   string      `json:"observedTimeUnixNano"`
	Severity   int         `json:"severityNumber"`
	Level      string      `json:"severityText"`
	EventName  string      `json:"eventName"`
	Body       value       `json:"body"`
	Attributes []attribute `json:"attributes"`
	TraceID    string      `json:"traceId,omitempty"`
	SpanID     string      `json:"spanId,omitempty"`
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     status      `json:"status"`
	Links      []spanLink  `json:"links,omitempty"`
}

// spanLink links a span to a span of another trace.
type spanLink struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// The numbers that OTLP gives to kinds of spans and to failure.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	statusError  = 2
)

// The numbers that OTLP gives to severities.
const (
	severityInfo  = 9
	severityWarn  = 13
	severityError = 17
)

func text(s string) value { return value{String: &s} }

func str(key, s string) attribute { return attribute{key, text(s)} }

func num(key string, n int64) attribute {
	s := strconv.FormatInt(n, 10)
	return attribute{key, value{Int: &s}}
}

func float(key string, f float64) attribute { return attribute{key, value{Double: &f}} }

func list(key string, items []string) attribute {
	a := &array{Values: make([]value, len(items))}
	for i, s := range items {
		a.Values[i] = text(s)
	}
	return attribute{key, value{Array: a}}
}

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// attributes is a list to which only values that are not empty are added.
type attributes []attribute

func (a *attributes) str(key, s string) {
	if s != "" {
		*a = append(*a, str(key, cut(s, maxText)))
	}
}

func (a *attributes) list(key string, items []string) {
	if len(items) > 0 {
		*a = append(*a, list(key, items))
	}
}
