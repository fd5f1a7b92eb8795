package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/text"
)

// toolRow is a definition that is an attack on its reader, or is not.
type toolRow struct {
	ID       string          `json:"id"` // of the row, in corpora whose rows need no name
	Server   string          `json:"server"`
	Kind     definition.Kind `json:"kind"` // tool (also when empty), prompt or instructions
	Name     string          `json:"name"`
	Peers    []peer          `json:"peers"` // tools of other servers
	Label    string          `json:"label"` // malicious or benign
	Category string          `json:"category"`
	Tier     scan.Tier       `json:"tier"` // for a malicious one: hard (also if empty) or soft

	// The members that the definition may have in addition to its name.
	Title       jsontext.Value `json:"title"`
	Description jsontext.Value `json:"description"`
	Input       jsontext.Value `json:"inputSchema"`
	Snake       jsontext.Value `json:"input_schema"` // the same in the spelling of other corpora
	Output      jsontext.Value `json:"outputSchema"`
	Annotations jsontext.Value `json:"annotations"`
	Icons       jsontext.Value `json:"icons"`
	Arguments   jsontext.Value `json:"arguments"`
	Meta        jsontext.Value `json:"_meta"`
	Source      string         `json:"source"` // the origin of the row; may be empty
}

// peer is a tool of another server.
type peer struct {
	Server      string         `json:"server"`
	Name        string         `json:"name"`
	Tool        jsontext.Value `json:"tool"` // in some corpora the name, in others the whole definition
	Description jsontext.Value `json:"description"`
	Input       jsontext.Value `json:"inputSchema"`
}

func (r toolRow) kind() string { return string(cmp.Or(r.Kind, definition.KindTool)) }

func (r toolRow) check() error {
	switch {
	case r.Label != "malicious" && r.Label != "benign":
		return errors.New(`"label" must be malicious or benign`)
	case r.Tier != "" && r.Tier != scan.TierHard && r.Tier != scan.TierSoft:
		return errors.New(`"tier" must be hard or soft`)
	case !slices.Contains([]definition.Kind{"", definition.KindTool, definition.KindPrompt,
		definition.KindInstructions}, r.Kind):
		return errors.New(`"kind" must be tool, prompt or instructions`)
	case r.Name == "" && r.ID == "" && r.Kind != definition.KindInstructions:
		return errors.New(`"name" is missing`)
	case present(r.Input) && present(r.Snake):
		return errors.New(`"inputSchema" and "input_schema" mean the same: give one`)
	case !present(r.Description) || r.Description.Kind() == '"':
		return nil
	}
	return errors.New(`"description" must be a string`)
}

func (r toolRow) malicious() bool { return r.Label == "malicious" }

// tier returns the tier that a finding must have to count; benign rows have none.
func (r toolRow) tier() scan.Tier {
	if !r.malicious() {
		return ""
	}
	return cmp.Or(r.Tier, scan.TierHard)
}

// Tools measures the scanning of definitions. A malicious row is found by a hard finding, or by any finding if its
// tier is soft. A benign row is a false alarm if a finding is hard. Benign rows with only soft findings are counted
// separately, because a person would have to review them. If tier is not empty, only malicious rows of that tier
// count, together with all benign ones.
func Tools(o Options, s definition.Scanner, tier scan.Tier) (*Report, error) {
	rows, err := read[toolRow](o)
	if err != nil {
		return nil, err
	}
	if tier != "" {
		rows = slices.DeleteFunc(rows, func(r row[toolRow]) bool {
			return r.data.malicious() && r.data.tier() != tier
		})
		if len(rows) == 0 {
			return nil, fmt.Errorf("the input has no rows of the tier %q", tier)
		}
	}
	s.Scan(
		[]definition.ToolView{definition.FromInstructions("", "warm")},
		nil,
	) // builds now what would otherwise be built on first use
	report := newReport(o.By)
	report.ByTier = map[scan.Tier]Metrics{}
	tiers := map[scan.Tier]*tally{}
	for i, a := range answers(rows, func(r *toolRow) answer { return r.ask(s) }, o.Progress) {
		r := &rows[i]
		report.add(outcome{
			Place:      r.Place,
			categories: o.By.groups(r.Place, r.data.Source, []string{cmp.Or(r.data.Category, "(none)")}),
			kind:       string(r.data.Kind),
			text:       r.data.show(),
			positive:   r.data.malicious(),
			answer:     a,
		})
		if t := r.data.tier(); t != "" {
			if tiers[t] == nil {
				tiers[t] = &tally{}
			}
			tiers[t].add(true, a)
		}
	}
	report.finishNoticed()
	for t, sum := range tiers {
		report.ByTier[t] = sum.metrics()
	}
	report.Security = securityOfTools(report.Metrics)
	return report, nil
}

// ask scans the row's definition together with its peers. A definition that cannot be read counts as a hard finding,
// because it is never passed on.
func (r *toolRow) ask(s definition.Scanner) answer {
	raw, peers := r.definition(), r.peers()
	start := time.Now()
	view, err := r.view(raw)
	if err != nil {
		return answer{
			found:   true,
			noticed: true,
			by:      []string{"unreadable"},
			took:    time.Since(start),
		}
	}
	scanned := s.Scan(
		[]definition.ToolView{view},
		definition.NewRegistry(append([]definition.ToolView{view}, peers...)),
	)
	a := answer{took: time.Since(start), found: len(scanned.Coverage.Unread) > 0}
	if a.found {
		a.by = []string{"unreadable"}
	}
	for _, f := range scanned.Findings {
		a.noticed = true
		a.found = a.found || f.Hard() || r.tier() == scan.TierSoft
		a.by = append(a.by, f.Signals...)
	}
	a.noticed = a.noticed || a.found
	return a
}

func (r *toolRow) view(raw json.RawMessage) (definition.ToolView, error) {
	switch r.Kind {
	case definition.KindPrompt:
		return definition.FromPrompt(r.Server, raw)
	case definition.KindInstructions:
		var words string
		err := json.Unmarshal(raw, &words)
		return definition.FromInstructions(r.Server, words), err
	}
	return definition.FromTool(r.Server, raw)
}

// peers returns the views of the row's peers that can be read.
func (r *toolRow) peers() []definition.ToolView {
	var out []definition.ToolView
	for _, p := range r.Peers {
		if v, err := definition.FromTool(p.Server, p.definition()); err == nil {
			out = append(out, v)
		}
	}
	return out
}

// definition returns what the peer's server would declare.
func (p *peer) definition() json.RawMessage {
	name := p.Name
	switch {
	case present(p.Tool) && p.Tool.Kind() == '{':
		return json.RawMessage(p.Tool)
	case name == "" && present(p.Tool) && p.Tool.Kind() == '"':
		name = wordsOf(p.Tool)
	}
	return object(name, member{"description", p.Description}, member{"inputSchema", p.Input})
}

// wordsOf returns the text of a JSON string.
func wordsOf(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// definition returns what the server would declare: a string of instructions, or an object without the members that
// describe the row.
func (r *toolRow) definition() json.RawMessage {
	switch r.Kind {
	case definition.KindInstructions:
		if !present(r.Description) {
			return json.RawMessage(`""`)
		}
		return json.RawMessage(r.Description)
	case definition.KindPrompt:
		return object(
			r.name(),
			member{"title", r.Title},
			member{"description", r.Description},
			member{"arguments", r.Arguments},
			member{"icons", r.Icons},
			member{"_meta", r.Meta},
		)
	}
	input := r.Input
	if !present(input) {
		input = r.Snake
	}
	return object(
		r.name(),
		member{"title", r.Title},
		member{"description", r.Description},
		member{"inputSchema", input},
		member{
			"outputSchema",
			r.Output,
		},
		member{"annotations", r.Annotations},
		member{"icons", r.Icons},
		member{"_meta", r.Meta},
	)
}

// name returns the name that is scanned. A row with only an id is about the text: its id may reveal the label, so the
// scanner does not see it.
func (r *toolRow) name() string { return cmp.Or(r.Name, "tool") }

// show returns the definition for display with a wrong result.
func (r *toolRow) show() string { return string(r.definition()) }

type member struct {
	name  string
	value jsontext.Value
}

// object returns a JSON object of a name and the members that are present.
func object(name string, members ...member) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"name":`)
	b.Write(text.Quote(name))
	for _, m := range members {
		if present(m.value) {
			b.WriteString(`,"` + m.name + `":`)
			b.Write(m.value)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

func present(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }
