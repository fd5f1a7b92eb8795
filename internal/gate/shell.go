package gate

import (
	"cmp"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/text"
)

// Words of the names of tools that run command lines, and the names of the
// arguments that hold them.
var (
	shellTools   = []string{"bash", "shell", "sh", "zsh", "terminal", "console", "exec", "execute", "command", "cmd", "run", "process", "powershell", "pwsh"}
	shellMembers = []string{"command", "cmd", "commands", "script", "command_line", "commandline", "shell_command", "argv"}
)

// line is a command line in a call's arguments.
type line struct {
	shell.Command
	part int
}

// followShell reads the command lines of a call: the class of the call is that
// of what they do, and where they move data out by themselves, that is an edge.
func (g *Gate) followShell(p *Pass) {
	lines := commandLines(p.Call, p.words(), p.args.doc)
	p.reaches = p.change(lines, p.args.doc)
	if len(lines) == 0 {
		return
	}
	p.class = refine(p.class, p.Call, lines)
	mask := detect.NewMasker(p.hidden).Text
	path := p.args.doc.Paths(mask)
	for _, l := range lines {
		at := path(p.args.doc.Parts[l.part])
		p.decides = cmp.Or(p.decides, l.Decides)
		for _, e := range l.Endpoints() {
			p.hosts = append(p.hosts, e.Value)
			if !e.Configured {
				p.recipients = append(p.recipients, mcpproxy.Destination{Value: mask(e.Value), Kind: e.Kind, Path: at})
			}
		}
		for _, s := range l.Flows() {
			e := g.shellEdge(p, s, mask)
			e.Path = at
			p.own = append(p.own, e)
		}
	}
}

// words are those of the name of what is called.
func (p *Pass) words() []string {
	if p.tool != nil {
		return p.tool.Words
	}
	return classify.Tokens(p.Call.Tool)
}

// commandLines finds and reads the command lines of a call: those that are texts
// as one script, so that many cost no more than a long one; tokens are the words of
// the tool's name. An array is the list
// of a program's arguments, unless it is called "commands".
func commandLines(call *mcpproxy.Call, tokens []string, doc *text.Document) []line {
	if call.Kind != mcpproxy.KindTool || doc == nil || !slices.ContainsFunc(tokens, func(t string) bool { return slices.Contains(shellTools, t) }) {
		return nil
	}
	parse := shell.Parse
	if slices.Contains(tokens, "powershell") || slices.Contains(tokens, "pwsh") {
		parse = shell.ParsePowerShell
	}
	var lines []line
	var script, argv []string
	from, first := -1, -1
	for i, part := range doc.Parts {
		name := strings.ToLower(doc.Field(part))
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		switch {
		case name == "args" && first >= 0, slices.Contains(shellMembers, name) && name != "commands" && strings.HasSuffix(doc.Path(part), "]"):
			if first < 0 {
				first = i
			}
			argv = append(argv, part.Text)
		case slices.Contains(shellMembers, name):
			if script = append(script, part.Text); from < 0 {
				from = i
			}
			if !strings.ContainsAny(part.Text, " \t\n") { // a program, whose arguments stand beside it
				first, argv = i, []string{part.Text}
			}
		}
	}
	if len(script) > 0 {
		lines = append(lines, line{parse(strings.Join(script, "\n")), from})
	}
	if len(argv) > 0 {
		lines = append(lines, line{shell.ParseArgs(argv), first})
	}
	return lines
}

// refine is the class of a call that runs command lines. What configuration says
// stands; a server's class gets no better by what is run there.
func refine(base mcpproxy.Class, call *mcpproxy.Call, lines []line) mcpproxy.Class {
	if base.Method == mcpproxy.ByConfig {
		return base
	}
	k := mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 0.9, Method: mcpproxy.ByHeuristic}
	reaches, opaque := false, false
	for _, l := range lines {
		opaque = opaque || l.Opaque
		k.CanReadData = k.CanReadData || l.Private || len(l.Reads) > 0
		for _, s := range l.Sends {
			k.CanExfiltrate = true
			k.ReturnsUntrusted = k.ReturnsUntrusted || s.To.Kind != "remote" // one's own repository
			reaches = reaches || !s.To.Configured || len(s.Data) > 0
		}
		for _, e := range l.Fetches {
			k.ReturnsUntrusted = k.ReturnsUntrusted || e.Kind != "remote"
			k.CanExfiltrate = k.CanExfiltrate || !e.Configured // by what it asks for
			reaches = reaches || !e.Configured
		}
	}
	switch {
	case call.Server != "" && !reaches:
		return base
	case opaque, reaches && (k.CanReadData || call.Server != ""):
		k.Side, k.CanReadData, k.CanExfiltrate, k.ReturnsUntrusted = mcpproxy.Hybrid, true, true, true
	case reaches:
		k.Side = mcpproxy.External
	default:
		k.CanReadData = true
	}
	return k
}

// shellEdge is the edge of a command that hands over data of this machine.
func (g *Gate) shellEdge(p *Pass, s shell.Send, mask func(string) string) mcpproxy.Edge {
	e := mcpproxy.Edge{To: mask(s.To.Value), ToSide: mcpproxy.External, Type: flow.TypeOf(mcpproxy.Internal, p.class),
		Match: "shell", Confidence: 0.95, Risk: mcpproxy.RiskMedium}
	if s.Guess {
		e.Confidence = 0.7
	}
	names := make([]string, len(s.Data))
	for i, d := range s.Data {
		names[i] = d.Name
		if c := g.secretSource(p.settings, d); c != "" && !slices.Contains(e.Sensitive, c) {
			e.Sensitive = append(e.Sensitive, c)
		}
	}
	if e.Type != mcpproxy.InternalToExternal {
		e.Risk = mcpproxy.RiskNone
	} else if len(e.Sensitive) > 0 {
		e.Risk = mcpproxy.RiskCritical
	}
	e.Evidence = mask(strings.Join(names, ", ") + " → " + s.To.Value)
	e.From = mcpproxy.Origin{CallID: p.Call.ID, Server: p.Call.Server, Tool: p.Call.Tool, Side: mcpproxy.Internal,
		Sensitive: e.Sensitive, Time: p.Call.Received}
	return e
}

// secretSource is the category of secrets that a source holds by its name; "" for
// none.
func (g *Gate) secretSource(s *Settings, d shell.Source) string {
	switch {
	case d.Secret && d.Kind == shell.Variable:
		return "environment"
	case d.Secret:
		return "credentials"
	}
	for _, name := range d.Paths() {
		for _, f := range g.read(s, text.Quote(name), "").found {
			if f.Rule.Category == "sensitive_file" && f.Severity != mcpproxy.SeverityLow {
				return f.Rule.Category
			}
		}
	}
	return ""
}
