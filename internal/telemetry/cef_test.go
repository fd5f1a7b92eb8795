package telemetry

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcpproxy"
)

// parseCEF parses a message strictly: header fields between vertical bars, then pairs.
func parseCEF(s string) (header []string, pairs map[string]string, err error) {
	field := ""
	rest := ""
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '|'):
			i++
			field += s[i : i+1]
		case c == '\\':
			return nil, nil, fmt.Errorf("a lone backslash at %d", i)
		case c == '|':
			header = append(header, field)
			field = ""
		default:
			field += s[i : i+1]
		}
		if len(header) == 7 {
			rest = s[i+1:]
			break
		}
	}
	if len(header) != 7 {
		return nil, nil, fmt.Errorf("%d header fields", len(header))
	}
	pairs, err = parsePairs(rest)
	return header, pairs, err
}

var pairName = regexp.MustCompile(`(?:^| )([A-Za-z0-9]+)=`)

// parsePairs splits the extension at its names. A value may contain spaces, but "=" only if it is escaped.
func parsePairs(s string) (map[string]string, error) {
	pairs := map[string]string{}
	at := pairName.FindAllStringSubmatchIndex(s, -1)
	for i, m := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		raw, value := s[m[1]:end], ""
		for j := 0; j < len(raw); j++ {
			if raw[j] == '=' {
				return nil, fmt.Errorf("a bare = in %q", raw)
			}
			if raw[j] != '\\' {
				value += raw[j : j+1]
				continue
			}
			j++
			if j == len(raw) {
				return nil, fmt.Errorf("a lone backslash in %q", raw)
			}
			switch raw[j] {
			case 'n':
				value += "\n"
			case 'r':
				value += "\r"
			case '\\', '=':
				value += raw[j : j+1]
			default:
				return nil, fmt.Errorf("\\%c in %q", raw[j], raw)
			}
		}
		if _, twice := pairs[s[m[2]:m[3]]]; twice {
			return nil, fmt.Errorf("%s appears twice", s[m[2]:m[3]])
		}
		pairs[s[m[2]:m[3]]] = value
	}
	return pairs, nil
}

// The values of a record are parsed unchanged, whatever names and reasons contain, and no value creates a field.
func FuzzCEF(f *testing.F) {
	f.Add("chat", "post", "Because.", "r.x")
	f.Add(`a|b\c=d`, "e\nf\r", `g act=allow outcome=success`, `|10|act=allow`)
	f.Add(`\`, "=", ` =`, "\xff\u2028")
	f.Fuzz(func(t *testing.T, server, tool, reason, rule string) {
		r := &mcpproxy.Record{
			ID:         "01J",
			Type:       mcpproxy.RecordToolCall,
			Source:     "mcp",
			Timestamp:  time.Unix(1, 0),
			ServerName: server,
			ToolName:   tool,
			Rule:       rule,
			Decision:   mcpproxy.Deny,
			Status:     mcpproxy.StatusBlocked,
			Metadata:   mcpproxy.Metadata{Reason: reason},
		}
		m := cef(r, "1")
		if strings.ContainsAny(m, "\n\r\x00\u2028") || !utf8.ValidString(m) {
			t.Fatalf("not one line of text: %q", m)
		}
		header, pairs, err := parseCEF(m)
		if err != nil {
			t.Fatalf("%v in %q", err, m)
		}
		id := strings.NewReplacer("\n", " ", "\r", " ").Replace(clean(rule))
		if rule != "" && header[4] != id || header[6] != "6" {
			t.Errorf("header %q", header)
		}
		for name, want := range map[string]string{
			"destinationServiceName": server,
			"msg":                    cut(reason, maxText),
			"act":                    "deny",
			"outcome":                "blocked",
		} {
			if pairs[name] != clean(want) {
				t.Errorf("%s is %q, want %q", name, pairs[name], clean(want))
			}
		}
	})
}

const planted = "s3cr3t-Zq7R-value"

// No export contains the content or the findings of a record.
func TestNothingThatWasSaidIsExported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "before") + planted + rapid.String().Draw(t, "after")
		raw, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		r := &mcpproxy.Record{
			ID:            "01J",
			Type:          rapid.SampledFrom(mcpproxy.RecordTypes).Draw(t, "type"),
			ServerName:    "chat",
			ToolName:      "post",
			Decision:      mcpproxy.Deny,
			SessionID:     text,
			FlowSessionID: text,
			Arguments:     raw,
			Response:      raw,
			ErrorMessage:  text,
			TraceID:       strings.Repeat("1", 32),
			SpanID:        strings.Repeat("2", 16),
			DurationMS:    3,
			Metadata: mcpproxy.Metadata{
				Facts: mcpproxy.Facts{
					Signals: []mcpproxy.Signal{{Kind: "aws_access_key", Evidence: text, Path: text}},
					Edges: []mcpproxy.Edge{{
						To:       "chat",
						From:     mcpproxy.Origin{Server: "vault"},
						Evidence: text,
						Path:     text,
						Match:    text,
						Decoded:  text,
					}},
				},
				Kind: rapid.SampledFrom([]mcpproxy.Kind{mcpproxy.KindTool, mcpproxy.KindPrompt, mcpproxy.KindResource}).
					Draw(t, "kind"),
				Intent: &mcpproxy.Intent{Reason: text, Justification: text},
				Detail: map[string]any{"diff": text},
				Sensitive: &mcpproxy.SensitiveData{
					Detections: []mcpproxy.Detection{{Category: "api_token", Location: text}},
				},
			},
		}
		all, err := json.Marshal([]any{logOf(r), spansOf(r), cef(r, "1"), jsonLine(r)})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), planted) {
			t.Fatalf("it is exported: %s", all)
		}
	})
}

func TestWhatACallerNamesIsBounded(t *testing.T) {
	r := &mcpproxy.Record{
		ID:        "01J",
		RequestID: strings.Repeat("7", 70_000),
		ToolName:  strings.Repeat("t", 70_000),
		Metadata:  mcpproxy.Metadata{Kind: mcpproxy.KindTool},
	}
	for name, text := range map[string]string{"JSON": jsonLine(r), "CEF": cef(r, "1")} {
		if len(text) > 8192 {
			t.Errorf("%s has %d bytes: no datagram carries them", name, len(text))
		}
	}
}
