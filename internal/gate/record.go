package gate

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/text"
)

// recorded says whether a kind of call is logged even when nothing is wrong.
func recorded(k mcpproxy.Kind) bool {
	return k != mcpproxy.KindMethod && k != mcpproxy.KindAnswer
}

// record is what both kinds of record share. Whatever of the call is known to
// be secret is masked wherever it stands.
func (g *Gate) record(p *Pass, v mcpproxy.Verdict) *mcpproxy.Record {
	c, class := p.Call, p.class
	masker := detect.NewMasker(p.hidden)
	mask := masker.Text
	r := &mcpproxy.Record{
		ID: c.ID, Type: mcpproxy.RecordToolCall, Source: string(c.Channel), Timestamp: c.Received.UTC(),
		SessionID: c.Session, FlowSessionID: c.FlowSession, RequestID: mask(c.RequestID), ParentID: c.ParentID,
		Principal: c.Principal, ServerName: c.Server, ToolName: mask(c.Tool),
		Status: mcpproxy.StatusSuccess, Decision: v.Decision, Rule: v.Rule,
		RiskScore: v.RiskScore, RiskLevel: v.RiskLevel, CoverageMode: coverage(c),
		TraceID: c.Trace.ID, SpanID: c.Trace.Span,
		Metadata: mcpproxy.Metadata{Kind: c.Kind, Reason: mask(v.Reason), Operation: p.operation,
			Classification: &class, Signals: v.Signals, Edges: v.Edges,
			Contradictions: v.Contradictions, Approval: v.Approval, Flagged: p.flagged, Ruled: p.ruled,
			ParentSpan: c.Trace.Parent, InspectionMS: float64(p.spent) / float64(time.Millisecond)},
	}
	if p.trace.Legs != (mcpproxy.Legs{}) {
		legs := p.trace.Legs
		r.Metadata.Legs = &legs
	}
	switch {
	case p.args.err != nil:
		r.Arguments = unread(len(c.Arguments))
	case p.args.doc != nil:
		r.Arguments = masker.JSON(p.args.doc, p.args.hidden())
	}
	r.Metadata.Destinations = p.destinations(r.Arguments)
	if c.Intent != (mcpproxy.Intent{}) {
		intent := c.Intent
		for _, s := range []*string{&intent.Reason, &intent.Justification, &intent.DataSensitivity, &intent.DestinationType} {
			*s = mask(*s)
		}
		r.Metadata.Intent = &intent
	}
	for _, e := range v.Edges {
		if r.FlowType == "" || e.Type == mcpproxy.InternalToExternal {
			r.FlowType = e.Type
		}
	}
	return r
}

// destinations are where the call goes, as far as its masked arguments show it: an
// address may hold a secret, whole or cut off.
func (p *Pass) destinations(masked []byte) []mcpproxy.Destination {
	if len(p.hidden) == 0 {
		return p.trace.Destinations
	}
	shown := func(s string) bool {
		quoted := text.Quote(s)
		return s != "" && bytes.Contains(masked, quoted[1:len(quoted)-1])
	}
	out := slices.Clone(p.trace.Destinations)
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

// coverage is how much is seen of the agent that makes a call.
func coverage(c *mcpproxy.Call) mcpproxy.Coverage {
	if c.Channel == mcpproxy.ChannelHook || strings.HasPrefix(c.FlowSession, flow.HookPrefix) {
		return mcpproxy.CoverageFull
	}
	return mcpproxy.CoverageProxyOnly
}

// recordStop writes a stopped call down before the caller or anybody else hears of
// it. When the log cannot be written the call stays stopped.
func (g *Gate) recordStop(ctx context.Context, p *Pass) {
	r := g.record(p, p.Verdict)
	r.Type, r.Status, r.ErrorMessage = mcpproxy.RecordPolicyDecision, mcpproxy.StatusBlocked, r.Metadata.Reason
	if p.refused {
		r.Status = mcpproxy.StatusRejected
	}
	r.Metadata.Sensitive = sensitive(p.args)
	// The caller may be gone; the record is made all the same.
	if err := g.log.Append(context.WithoutCancel(ctx), r); err != nil {
		slog.Error("a stopped call could not be recorded", "id", r.ID, "error", err)
	}
	g.alert(p, r)
	g.completed(r, p.Verdict)
}

func (g *Gate) recordCall(ctx context.Context, p *Pass, v mcpproxy.Verdict, result *mcpproxy.Result, got reading) {
	if !recorded(p.Call.Kind) && v.Decision == mcpproxy.Allow {
		return
	}
	p.hidden = append(p.hidden, got.hidden()...) // a result may repeat the call, and a call an earlier result
	r := g.record(p, v)
	r.DurationMS = float64(result.Duration) / float64(time.Millisecond)
	r.Metadata.Sensitive, r.Metadata.ErrorRedacted = sensitive(p.args, got), p.redacted
	switch {
	case v.Decision.Stops():
		r.Status, r.ErrorMessage = mcpproxy.StatusRejected, r.Metadata.Reason
	case result.Err != nil:
		r.Status, r.ErrorMessage = mcpproxy.StatusError, redact.Secrets(detect.MaskText(result.Err.Error(), p.hidden))
	case result.IsError:
		r.Status = mcpproxy.StatusError
	}
	if got.err == nil && result.Err == nil {
		response := detect.NewMasker(p.hidden).JSON(got.doc, got.hidden())
		if result.IsError {
			response = withoutSecrets(response)
		}
		r.Response, r.Truncated = shorten(response, p.settings.MaxResponseSize)
	}
	if v.Decision.Stops() {
		if err := g.log.Append(context.WithoutCancel(ctx), r); err != nil {
			slog.Error("a withheld result could not be recorded", "id", r.ID, "error", err)
		}
	} else {
		g.log.Add(r)
	}
	g.completed(r, v)
}

// shorten keeps at most limit bytes of a JSON value; what is cut becomes a string.
func shorten(raw []byte, limit int) ([]byte, bool) {
	if limit <= 0 || len(raw) <= limit {
		return raw, false
	}
	cut := raw[:limit]
	for range utf8.UTFMax - 1 { // the bytes of a character that is cut through
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

// maxDetections bounds the detections listed in one record.
const maxDetections = 100

// sensitive adds up what the detectors saw.
func sensitive(readings ...reading) *mcpproxy.SensitiveData {
	out := &mcpproxy.SensitiveData{}
	for _, r := range readings {
		out.ScanDurationMS += float64(r.elapsed) / float64(time.Millisecond)
		for i := range r.found {
			if len(out.Detections) == maxDetections {
				out.Truncated = true
				break
			}
			s := r.found[i].Signal()
			out.Detections = append(out.Detections, mcpproxy.Detection{Type: s.Kind, Category: s.Category,
				Severity: s.Severity, Location: s.Path, IsLikelyExample: s.Example})
		}
	}
	out.Detected = len(out.Detections) > 0
	return out
}

// Explain is the text an agent receives instead of a stopped call's result.
func Explain(v mcpproxy.Verdict) string {
	var b strings.Builder
	b.WriteString(v.Reason)
	fmt.Fprintf(&b, "\nBlocked by %s (activity %s).", v.Rule, v.ID)
	if v.Rule == policy.RuleUnreadable {
		return b.String()
	}
	fmt.Fprintf(&b, "\nTo see why, and how it could be allowed, the user can run: mcpproxy explain %s", v.ID)
	return b.String()
}
