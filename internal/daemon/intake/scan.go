package intake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/text"
	"mcpproxy/internal/trust"
)

// definitions scans definitions for package trust. Scans never run concurrently, so it needs no
// lock.
type definitions struct {
	secrets func(*text.Document) ([]mcpproxy.Signal, error)
	memory  definition.Memory    // cached findings for single definitions
	views   map[trust.Key]viewed // views of the last scan, which are reused for unchanged definitions
}

type viewed struct {
	raw  json.RawMessage
	view definition.ToolView
	err  error
}

// scan scans the due definitions in the context of all known ones. A definition that cannot be read
// or fully checked counts as dangerous.
func (s *definitions) scan(due, all []trust.Definition) []trust.Finding {
	s.remember(all)
	approved := map[[2]string]bool{}
	var known, views []definition.ToolView
	for _, d := range all {
		if v := s.views[d.Key]; v.err == nil {
			known = append(known, v.view)
		}
		if d.Established && d.Kind == trust.Tool {
			approved[[2]string{d.Server, d.Name}] = true
		}
	}
	var out []trust.Finding
	for _, d := range due {
		if v := s.views[d.Key]; v.err != nil {
			out = append(out, notScanned(d.Key, v.err.Error()))
		} else {
			views = append(views, v.view)
		}
	}
	registry := definition.NewRegistry(known)
	registry.Established = func(server, tool string) bool { return approved[[2]string{server, tool}] }
	report := definition.Scanner{Secrets: s.secrets, Memory: &s.memory}.Scan(views, registry)
	if len(report.Coverage.FailedCheckIDs) > 0 {
		slog.Error(
			"some checks of definitions failed; the definitions on which they failed are held",
			"checks",
			fmt.Sprint(report.Coverage.FailedCheckIDs),
		)
	}
	for _, f := range report.Findings {
		out = append(out, foundIn(f))
	}
	for _, u := range report.Coverage.Unread {
		out = append(out, notScanned(keyIn(u.Server, u.Kind, u.Tool), "a check failed on it"))
	}
	return out
}

// remember reads new definitions and forgets removed ones.
func (s *definitions) remember(all []trust.Definition) {
	now := make(map[trust.Key]viewed, len(all))
	for _, d := range all {
		v, ok := s.views[d.Key]
		if !ok || !bytes.Equal(v.raw, d.Raw) {
			v.raw = d.Raw
			v.view, v.err = viewOf(d)
		}
		now[d.Key] = v
	}
	s.views = now
}

func viewOf(d trust.Definition) (definition.ToolView, error) {
	switch d.Kind {
	case trust.Prompt:
		return definition.FromPrompt(d.Server, d.Raw)
	case trust.Instructions:
		var says struct{ Instructions string }
		err := json.Unmarshal(d.Raw, &says)
		return definition.FromInstructions(d.Server, says.Instructions), err
	}
	return definition.FromTool(d.Server, d.Raw)
}

func keyIn(server string, kind definition.Kind, name string) trust.Key {
	k := trust.Key{Server: server, Kind: trust.Kind(kind), Name: name}
	if k.Kind == trust.Instructions {
		k.Name = ""
	}
	return k
}

func notScanned(k trust.Key, why string) trust.Finding {
	return trust.Finding{
		Key:        k,
		Hard:       true,
		Severity:   mcpproxy.SeverityHigh,
		ThreatType: "uncategorized",
		Confidence: 1,
		Signals: []trust.Observed{
			{Check: "scan.incomplete", Detail: "It could not be scanned: " + trust.Visible(why)},
		},
	}
}

// foundIn converts a finding of the scanner for package trust, hard signals first.
func foundIn(f definition.Finding) trust.Finding {
	out := trust.Finding{
		Key:        keyIn(f.Server, f.Kind, f.Tool),
		Hard:       f.Hard(),
		Severity:   f.Severity,
		ThreatType: f.ThreatType,
		Confidence: f.Confidence,
	}
	for _, s := range f.Details {
		o := trust.Observed{
			Check:    s.CheckID,
			Detail:   s.Detail,
			Evidence: s.Evidence,
			Path:     s.Path,
		}
		if s.Tier == scan.TierHard {
			out.Signals = append([]trust.Observed{o}, out.Signals...)
		} else {
			out.Signals = append(out.Signals, o)
		}
	}
	return out
}
