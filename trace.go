package mcpproxy

import "encoding/hex"

// Trace is the position of a call in a distributed trace (W3C Trace Context). Ids are lower-case
// hex.
type Trace struct {
	ID       string // 32 digits; "" when the call belongs to no trace
	Span     string // 16 digits; the span in which this proxy handles the call
	Parent   string // the parent span of Span; "" if there is none
	Remote   bool   // ID and Parent come from the caller
	Flags    byte   // bit 1: sampled
	Outgoing string // 32 digits; sent to servers instead of an ID that the caller chose
}

// ParseTraceparent reads the value of a traceparent header into ID, Parent and Flags. It reports
// whether the value is valid.
func ParseTraceparent(s string) (Trace, bool) {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || len(s) > 55 && (s[:2] == "00" || s[55] != '-') {
		return Trace{}, false
	}
	version := s[:2]
	id := s[3:35]
	parent := s[36:52]
	flags := s[53:55]
	if !isHex(version) || version == "ff" || !isHex(id) || !isHex(parent) || !isHex(flags) || isZero(id) ||
		isZero(parent) {
		return Trace{}, false
	}
	bits, _ := hex.DecodeString(flags)
	return Trace{
		ID:     id,
		Parent: parent,
		Remote: true,
		Flags:  bits[0] & 1,
	}, true
}

// Traceparent returns the value of a header that makes t's span the parent of the called server's span. It returns ""
// if the call belongs to no trace.
func (t Trace) Traceparent() string {
	if t.ID == "" || t.Span == "" {
		return ""
	}
	return "00-" + t.ID + "-" + t.Span + "-" + hex.EncodeToString([]byte{t.Flags & 1})
}

// Upstream returns the trace for the request to the server. Its span is computed from the call's span, so it need not
// be stored. It contains nothing that the caller chose, because a caller could use its 24 bytes to send secrets out.
// If the caller chose ID, the request begins the trace Outgoing and has no parent.
func (t Trace) Upstream() Trace {
	raw, err := hex.DecodeString(t.Span)
	if err != nil || len(raw) != 8 || t.Remote && t.Outgoing == "" {
		return Trace{}
	}
	for i := range raw {
		raw[i] = ^raw[i]
	}
	if t.Outgoing != "" {
		return Trace{ID: t.Outgoing, Span: hex.EncodeToString(raw), Flags: 1}
	}
	return Trace{
		ID:     t.ID,
		Span:   hex.EncodeToString(raw),
		Parent: t.Span,
		Flags:  t.Flags,
	}
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isZero(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}
