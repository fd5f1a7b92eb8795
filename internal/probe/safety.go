package probe

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/text"
)

const helpSafety = "Let descriptions say what a tool does and when to use it, and nothing else: no orders to the model, no hidden characters, no encoded text. `mcpproxy scan` shows each finding with its place."

// safetyDetail is one definition with a finding.
type safetyDetail struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Severity string   `json:"severity"`
	Checks   []string `json:"checks"`
	Evidence string   `json:"evidence"`
}

// testSafety scans the server's definitions. Findings that require review fail the test; other
// findings become notes.
func testSafety(r *runner, out *Result) {
	views, unreadable := r.surface.views()
	if len(views)+len(unreadable) == 0 {
		out.skip("the server declares nothing that an agent reads")
		return
	}
	r.surface.excess(out)
	for _, name := range unreadable {
		out.fail(fmt.Sprintf("clients may read the definition of %s in different ways", name))
	}
	report := definition.Scanner{Secrets: secretSignals}.Scan(views, nil)
	var details []safetyDetail
	for _, f := range report.Findings {
		evidence := ""
		for _, d := range f.Details {
			if d.Evidence != "" {
				evidence = shown(d.Evidence)
				break
			}
		}
		details = append(
			details,
			safetyDetail{r.surface.kindOf(f), shown(f.Tool), string(f.Severity), f.Signals, evidence},
		)
		text := fmt.Sprintf("the %s %s: %s", r.surface.kindOf(f), shown(f.Tool), shown(f.Details[0].Detail))
		if evidence != "" {
			text += fmt.Sprintf(" (%s: %q)", f.Details[0].CheckID, evidence)
		}
		if f.Hard() || f.Severity == mcpproxy.SeverityCritical || f.Severity == mcpproxy.SeverityHigh ||
			slices.Contains(f.Signals, "secret.embedded") {
			out.fail(text)
		} else {
			out.note(text)
		}
	}
	out.Details = details
	if report.Coverage.ChecksFailed > 0 {
		out.fail(fmt.Sprintf("not everything could be scanned: %v failed", report.Coverage.FailedCheckIDs))
	}
}

// Limits of what an agent can reasonably read.
const (
	manyTools      = 1000
	longDefinition = 64 << 10 // bytes
)

// excess fails the test for duplicate names and for definitions beyond the limits.
func (s surface) excess(out *Result) {
	seen := map[string]bool{}
	for _, t := range s.tools {
		if seen[t.name] {
			out.fail(fmt.Sprintf("two tools are named %s, so a call does not say which of them it means", shown(t.name)))
		}
		seen[t.name] = true
		if len(t.raw) > longDefinition {
			out.fail(
				fmt.Sprintf(
					"the definition of the tool %s has %d KB, more than an agent can be expected to read",
					shown(t.name),
					len(t.raw)>>10,
				),
			)
		}
	}
	if len(s.tools) > manyTools {
		out.fail(fmt.Sprintf("the server declares %d tools, more than an agent can be expected to read", len(s.tools)))
	}
}

// kindOf returns what a finding is about. Resources are scanned like tools.
func (s surface) kindOf(f definition.Finding) string {
	if f.Kind == definition.KindTool && !slices.Contains(s.names(), f.Tool) {
		return "resource"
	}
	return string(f.Kind)
}

// views returns the definitions for the scanner, and the names of the unreadable ones.
func (s surface) views() (views []definition.ToolView, unreadable []string) {
	add := func(read func(string, json.RawMessage) (definition.ToolView, error), raw json.RawMessage) {
		v, err := read("server", raw)
		if err != nil {
			unreadable = append(unreadable, shown(nameOf(raw)))
			return
		}
		views = append(views, v)
	}
	for _, t := range s.tools {
		add(definition.FromTool, t.raw)
	}
	for _, p := range s.prompts {
		add(definition.FromPrompt, p)
	}
	for _, raw := range slices.Concat(s.resources, s.templates) {
		add(definition.FromTool, raw)
	}
	if s.instructions != "" {
		views = append(views, definition.FromInstructions("server", s.instructions))
	}
	return views, unreadable
}

// nameOf returns the apparent name of a definition.
func nameOf(raw json.RawMessage) string {
	var named struct{ Name string }
	if json.Unmarshal(raw, &named) != nil || named.Name == "" {
		return "(no name)"
	}
	return named.Name
}

// secretSignals returns the secrets in a definition, for the scanner.
func secretSignals(doc *text.Document) ([]mcpproxy.Signal, error) {
	found, err := secrets().Find(doc)
	var out []mcpproxy.Signal
	for i := range found {
		if !found[i].Rule.Personal() {
			out = append(out, found[i].Signal())
		}
	}
	return out, err
}
