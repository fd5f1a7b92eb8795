package inspect

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/text"
)

// boundless are the rules whose question depends on more than the destination and the kinds of data. An answer to
// them holds only for the call itself.
var boundless = []string{
	policy.RuleOpaque,
	policy.RuleBudget,
	policy.RuleContradiction,
	policy.RuleFlag,
	policy.RuleApprove,
	policy.RuleBlock,
}

// Boundary returns what a person's answer about the call covers if the given rules ask about it. digest identifies
// arguments; it is called if the boundary covers only this call.
func (p *Inspection) Boundary(rules []string, digest func([]byte) string) *mcpproxy.Boundary {
	f := p.Facts()
	mask := p.masker()
	b := &mcpproxy.Boundary{
		Principal: p.call.Principal,
		Server:    p.call.Server,
		Tool:      mask(p.call.Tool),
		Effect:    f.Effect,
		Audience:  f.Audience,
		Rules:     slices.Clone(rules),
		Once:      policy.Unrememberable(f, rules),
	}
	masked := b.Tool != p.call.Tool
	for _, d := range f.Destinations {
		if d.Kind != "argument" {
			shown := mask(d.Value)
			masked = masked || shown != d.Value
			b.Destinations = append(b.Destinations, d.Kind+" "+shown)
		}
	}
	followed := true
	for _, l := range p.lines {
		followed = followed && !l.Opaque
		for _, e := range l.Endpoints() {
			to := e.Kind + " " + mask(e.Value)
			if e.Configured { // configured in the folder
				to += p.inFolder()
			}
			b.Destinations = append(b.Destinations, to)
		}
		for _, s := range l.Flows() {
			for _, d := range s.Data {
				b.Moves = append(b.Moves, mcpproxy.Movement{What: mask(d.Name), To: mask(s.To.Value)})
				b.Data = append(b.Data, mask(p.placed(d.Name)))
			}
			followed = followed && !s.Guess
		}
	}
	b.Data = append(b.Data, f.Carried()...)
	for _, e := range f.Edges {
		if e.Match == "shell" {
			continue
		}
		from := mcpproxy.ToolName(e.From.Server, mask(e.From.Tool))
		if b.Data = append(b.Data, from); e.From.Server == "" || e.Match == flow.MatchLost {
			followed = false // an agent's own tool can read anything
		}
		b.Moves = append(b.Moves, mcpproxy.Movement{What: "what " + from + " brought", To: p.shownTo(mask)})
	}
	b.Destinations = sorted(b.Destinations)
	b.Data = sorted(b.Data)
	slices.SortFunc(b.Moves, func(x, y mcpproxy.Movement) int { return strings.Compare(x.String(), y.String()) })
	b.Moves = slices.Compact(b.Moves)
	b.Run = mask(p.commandText())
	if !followed || masked || p.boundByCall(b, len(p.lines) > 0) {
		b.Call = digest(p.Asked())
	}
	return b
}

// boundByCall reports whether an answer can only hold for this call, because b describes too little of what the call
// does.
func (p *Inspection) boundByCall(b *mcpproxy.Boundary, runs bool) bool {
	if slices.ContainsFunc(b.Rules, func(r string) bool { return slices.Contains(boundless, r) }) {
		return true
	}
	switch b.Effect {
	case mcpproxy.EffectSend, mcpproxy.EffectRead, mcpproxy.EffectNavigate:
		return len(b.Destinations) == 0
	case mcpproxy.EffectCreate, mcpproxy.EffectChange:
		inside := b.Audience == mcpproxy.AudienceSelf || b.Audience == mcpproxy.AudienceHome
		return runs || p.call.Server == "" || len(b.Destinations) == 0 && !inside
	}
	return true
}

// beside are arguments that do not change which command is run: the agent's description of it, and its timeout.
var beside = []string{"description", "explanation", "timeout", "timeout_ms", "run_in_background"}

// Asked returns the part of the arguments that says what the call does. For a command of an agent's own tool it
// includes the folder and excludes the agent's description.
func (p *subject) Asked() []byte {
	if p.call.Server != "" || !RunsCommands(p.call.Tool) {
		return p.call.Arguments
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(p.call.Arguments, &members) != nil || members == nil {
		return p.call.Arguments
	}
	for _, name := range beside {
		delete(members, name)
	}
	raw, err := json.Marshal(map[string]any{"run": members, "in": p.call.Dir})
	if err != nil {
		return p.call.Arguments
	}
	return raw
}

// commandText returns the command line that the call runs, as in its arguments; "" if it runs none.
func (p *texts) commandText() string {
	doc := p.args.Doc
	if p.call.Kind != mcpproxy.KindTool || doc == nil || !slices.ContainsFunc(
		p.words(), func(w string) bool { return slices.Contains(shellTools, w) }) {
		return ""
	}
	var out []string
	for _, part := range doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		name := strings.ToLower(doc.Field(part))
		if slices.Contains(shellMembers, name) || name == "args" && len(out) > 0 {
			out = append(out, part.Text)
		}
	}
	return strings.Join(out, " ")
}

// placed returns the path of a file that a command names, in the folder of the command.
func (p *subject) placed(name string) string {
	if p.call.Dir == "" || path.IsAbs(name) || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "$") {
		return name
	}
	return path.Join(p.call.Dir, name)
}

// inFolder returns " of FOLDER", where FOLDER is the folder in which a command runs, or "" if it is not known.
func (p *subject) inFolder() string {
	if p.call.Dir == "" {
		return ""
	}
	return " of " + p.call.Dir
}

// shownTo returns where the call goes, in a few words.
func (p *traced) shownTo(mask func(string) string) string {
	var to []string
	for _, d := range p.lineage.Destinations {
		if d.Kind != "argument" {
			to = append(to, mask(d.Value))
		}
	}
	if len(to) == 0 {
		return mcpproxy.ToolName(p.call.Server, mask(p.call.Tool))
	}
	return strings.Join(sorted(to), ", ")
}

// sorted returns values in order, without duplicates.
func sorted(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}
