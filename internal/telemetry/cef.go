package telemetry

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mcpproxy"
)

// cef returns a record in the Common Event Format, version 0: a header of seven fields separated by vertical bars,
// followed by pairs of names and values.
func cef(r *mcpproxy.Record, version string) string {
	var b strings.Builder
	name := string(r.Type)
	if r.Decision != "" {
		name += " " + string(r.Decision)
	}
	id := r.Rule
	if id == "" {
		id = string(r.Type)
	}
	b.WriteString("CEF:0|mcpproxy|mcpproxy")
	for _, field := range []string{version, id, name, strconv.Itoa(cefSeverity(r))} {
		b.WriteString("|" + cefHeader.Replace(clean(field)))
	}
	b.WriteString("|")
	first := true
	for _, p := range cefPairs(r) {
		if p[1] == "" {
			continue
		}
		if !first {
			b.WriteString(" ")
		}
		first = false
		b.WriteString(p[0] + "=" + cefValue.Replace(clean(p[1])))
	}
	return b.String()
}

// cefPairs returns the names of the extension, which receivers know, with their values.
func cefPairs(r *mcpproxy.Record) [][2]string {
	pairs := [][2]string{
		{"rt", strconv.FormatInt(r.Timestamp.UnixMilli(), 10)}, {"externalId", r.ID}, {"cat", string(r.Type)},
		{"act", string(r.Decision)}, {"outcome", string(r.Status)}, {"app", r.Source}, {"suser", r.Principal},
		{"destinationServiceName", r.ServerName}, {"msg", cut(r.Metadata.Reason, maxText)},
	}
	for i, custom := range [][2]string{{"tool", cut(r.ToolName, 200)}, {"rule", r.Rule}, {"riskLevel", string(r.RiskLevel)},
		{"flowType", string(r.FlowType)}, {"flowSession", mcpproxy.SessionDigest(r.FlowSessionID)}, {"traceId", r.TraceID}} {
		if custom[1] != "" {
			n := "cs" + strconv.Itoa(i+1)
			pairs = append(pairs, [2]string{n + "Label", custom[0]}, [2]string{n, custom[1]})
		}
	}
	if r.RiskLevel != "" {
		pairs = append(pairs, [2]string{"cn1Label", "riskScore"}, [2]string{"cn1", strconv.Itoa(r.RiskScore)})
	}
	return pairs
}

var (
	cefHeader = strings.NewReplacer(`\`, `\\`, `|`, `\|`, "\n", " ", "\r", " ")
	cefValue  = strings.NewReplacer(`\`, `\\`, `=`, `\=`, "\n", `\n`, "\r", `\r`)
)

// clean removes control characters and invalid UTF-8.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return '?'
		case r == '\n' || r == '\r':
			return r
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return ' '
		}
		return r
	}, s)
}

// cefSeverity returns a severity from 0 to 10.
func cefSeverity(r *mcpproxy.Record) int {
	switch {
	case r.RiskLevel == mcpproxy.RiskCritical:
		return 10
	case r.RiskLevel == mcpproxy.RiskHigh:
		return 8
	case r.Decision.Stops(), r.Status == mcpproxy.StatusBlocked, r.Status == mcpproxy.StatusRejected:
		return 6
	case r.RiskLevel == mcpproxy.RiskMedium, r.Decision == mcpproxy.Warn, r.Status == mcpproxy.StatusError:
		return 4
	}
	return 1
}
