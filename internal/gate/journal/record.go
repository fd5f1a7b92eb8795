package journal

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/text"
)

// Record returns a record with the fields that all records of calls share. All known secrets in it are masked.
func (e *Entry) Record() *mcpproxy.Record {
	c, v := e.Seen.Call(), &e.Verdict
	args := e.Seen.Arguments()
	facts := e.Seen.Facts().Facts
	facts.Signals = v.Signals
	hidden := e.hidden()
	masker := detect.NewMasker(hidden)
	mask := masker.Text
	spent := e.Spent
	if e.Brought != nil {
		spent += e.Brought.Elapsed
	}
	r := &mcpproxy.Record{
		ID:            c.ID,
		Type:          mcpproxy.RecordToolCall,
		Source:        string(c.Channel),
		Timestamp:     c.Received.UTC(),
		SessionID:     c.Session,
		FlowSessionID: c.FlowSession,
		RequestID:     mask(c.RequestID),
		ParentID:      c.ParentID,
		Principal:     c.Principal,
		ServerName:    c.Server,
		ToolName:      mask(c.Tool),
		Status:        mcpproxy.StatusSuccess,
		Decision:      v.Decision,
		Rule:          v.Rule,
		RiskScore:     v.RiskScore,
		RiskLevel:     v.RiskLevel,
		CoverageMode:  inspect.Coverage(c),
		TraceID:       c.Trace.ID,
		SpanID:        c.Trace.Span,
		Metadata: mcpproxy.Metadata{
			Facts:        facts,
			Kind:         c.Kind,
			Reason:       mask(v.Reason),
			Approval:     v.Approval,
			Flagged:      e.Flagged,
			Ruled:        e.Ruled,
			Boundary:     e.Boundary,
			Remembered:   v.Remembered,
			Agent:        c.Agent.Recorded(),
			ParentSpan:   c.Trace.Parent,
			ServerTrace:  c.Trace.Outgoing,
			InspectionMS: float64(spent) / float64(time.Millisecond),
		},
	}
	switch {
	case args.Err != nil:
		r.Arguments = unread(len(c.Arguments))
	case args.Doc != nil:
		r.Arguments = e.body(args, nil)
	}
	r.Metadata.Destinations = destinations(facts.Destinations, hidden, r.Arguments)
	r.Metadata.Reason = e.Seen.Mask(r.Metadata.Reason)
	r.Metadata.Endpoint = e.Seen.Mask(mask(e.Endpoint))
	if c.Intent != (mcpproxy.Intent{}) {
		intent := c.Intent
		intent.Reason = mask(intent.Reason)
		intent.Justification = mask(intent.Justification)
		intent.DataSensitivity = mask(intent.DataSensitivity)
		intent.DestinationType = mask(intent.DestinationType)
		r.Metadata.Intent = &intent
	}
	for _, e := range v.Edges {
		if r.FlowType == "" || e.Type == mcpproxy.InternalToExternal {
			r.FlowType = e.Type
		}
	}
	return r
}

// destinations returns the destinations of the call. It masks each value that the masked arguments do not contain,
// because an address may contain a secret or a part of one.
func destinations(all []mcpproxy.Destination, hidden []detect.Finding, masked []byte) []mcpproxy.Destination {
	if len(hidden) == 0 {
		return withoutCredentials(all)
	}
	shown := func(s string) bool {
		quoted := text.Quote(s)
		return s != "" && bytes.Contains(masked, quoted[1:len(quoted)-1])
	}
	out := slices.Clone(all)
	for i, d := range out {
		if shown(d.Value) {
			continue
		}
		out[i].Value = "[masked]"
		if u, err := url.Parse(d.Value); err == nil && shown(u.Host) {
			out[i].Value = u.Scheme + "://" + u.Host + "/…"
		}
	}
	return out
}

// withoutCredentials removes credentials from the addresses of destinations, such as ?token=value.
func withoutCredentials(all []mcpproxy.Destination) []mcpproxy.Destination {
	var out []mcpproxy.Destination
	for i, d := range all {
		after := redact.Secrets(d.Value)
		if after == d.Value {
			continue
		}
		if out == nil {
			out = slices.Clone(all)
		}
		out[i].Value = after
	}
	if out == nil {
		return all
	}
	return out
}

// response returns the call's result in the form for a record, and whether it was truncated.
func (e *Entry) response(seal *sealing) (kept []byte, truncated bool) {
	kept, truncated = shorten(e.rewritten(e.Brought.Reading, seal), e.MaxResponse)
	return withoutSecrets(kept, e.Brought.Reading), truncated
}

// body returns the JSON value of a reading in the form for a record.
func (e *Entry) body(r inspect.Reading, seal *sealing) []byte {
	return withoutSecrets(e.rewritten(r, seal), r)
}

// rewritten returns the JSON value of a reading with its secrets masked, and its personal data sealed unless seal is
// nil.
func (e *Entry) rewritten(r inspect.Reading, seal *sealing) []byte {
	masker := detect.NewMasker(e.hidden())
	if seal == nil {
		return masker.JSON(r.Doc, r.Hidden())
	}
	edits := append(masker.Masked(r.Doc, r.Hidden()), seal.edits(r.Doc, r.Identifying())...)
	return r.Doc.Rewrite(edits)
}

// errorMessage returns the text of an error that came instead of a result, without secrets.
func errorMessage(err error, hidden []detect.Finding) string {
	return redact.Secrets(detect.MaskText(err.Error(), hidden))
}

// shorten keeps at most limit bytes of a JSON value. A truncated value becomes a string.
func shorten(raw []byte, limit int) ([]byte, bool) {
	if limit <= 0 || len(raw) <= limit {
		return raw, false
	}
	cut := raw[:limit]
	for range utf8.UTFMax - 1 { // bytes of the character that is cut
		if r, n := utf8.DecodeLastRune(cut); r != utf8.RuneError || n != 1 {
			break
		}
		cut = cut[:len(cut)-1]
	}
	return text.Quote(string(cut)), true
}

func unread(n int) []byte {
	return text.Quote(fmt.Sprintf("[%d bytes that could not be inspected]", n))
}

// maxDetections is the maximum number of detections in one record.
const maxDetections = 100

// sensitive summarises the findings of the detectors.
func sensitive(readings ...inspect.Reading) *mcpproxy.SensitiveData {
	out := &mcpproxy.SensitiveData{}
	for _, r := range readings {
		out.ScanDurationMS += float64(r.Elapsed) / float64(time.Millisecond)
		for i := range r.Found {
			if len(out.Detections) == maxDetections {
				out.Truncated = true
				break
			}
			s := r.Found[i].Signal()
			out.Detections = append(out.Detections, mcpproxy.Detection{
				Type:            s.Kind,
				Category:        s.Category,
				Severity:        s.Severity,
				Location:        s.Path,
				IsLikelyExample: s.Example,
				Confidence:      s.Confidence,
				Sample:          s.Evidence,
			})
		}
	}
	out.Detected = len(out.Detections) > 0
	return out
}
