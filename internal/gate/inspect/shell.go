package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// Words of the names of tools that run command lines, and names of arguments that contain command lines.
var (
	shellTools = []string{
		"bash",
		"shell",
		"sh",
		"zsh",
		"terminal",
		"console",
		"exec",
		"execute",
		"command",
		"cmd",
		"run",
		"process",
		"powershell",
		"pwsh",
	}
	shellMembers = []string{
		"command",
		"cmd",
		"commands",
		"script",
		"command_line",
		"commandline",
		"shell_command",
		"argv",
	}
)

// RunsCommands reports whether an agent's own tool runs command lines, judging by its name.
func RunsCommands(tool string) bool {
	return slices.ContainsFunc(classify.Tokens(tool), func(t string) bool { return slices.Contains(shellTools, t) })
}

// line is a command line in a call's arguments.
type line struct {
	shell.Command
	part int    // the argument that contains it, or the first of several
	text string // as a shell would read it
}

// follow adds what the command lines of a call do. They determine the class of the call, and each movement of data
// out of this machine becomes an edge. d contains everything else.
func (in *Inspector) follow(d action) action {
	lines := commandLines(d.call, d.words(), d.args.Doc, in.folder)
	d.lines = lines
	d.attempt = in.Guard.Check(d.call, d.operation, d.words(), commands(lines), d.args.Doc)
	if len(lines) == 0 {
		return d
	}
	d.class = refine(d.listed, d.call, lines)
	mask := detect.NewMasker(d.hides).Text
	path := d.args.Doc.Paths(mask)
	d.toOwn = true
	for _, l := range lines {
		at := path(d.args.Doc.Parts[l.part])
		for _, e := range l.Endpoints() {
			d.hosts = append(d.hosts, e.Value)
			if e.Configured {
				continue
			}
			to := mcpproxy.Destination{Value: mask(e.Value), Kind: e.Kind, Path: at}
			if place, ok := in.homeRemote(l.text, e.Value); ok && e.Kind == "host" {
				to.Value, to.Kind = place, "repository"
			} else if e.Path != "" && e.Kind == "host" {
				to.Value, to.Kind = mask(e.Value+"/"+e.Path), "repository"
			}
			d.recipients = append(d.recipients, to)
		}
		d.toOwn = d.toOwn && l.toOwn(d.withoutHome(l.text))
		for _, s := range l.Flows() {
			if s.Keeps && in.keptAtHome(s.To) {
				continue
			}
			e := in.shellEdge(d.call, d.class, s, mask)
			if s.To.Kind == "alias" && len(e.Sensitive) == 0 && asConfigured(l.text) {
				continue // a machine of the user, according to the user's ssh configuration
			}
			e.Path = at
			d.own = append(d.own, e)
			if s.OnlyProves() && s.To.Kind == "host" {
				d.proofs = append(d.proofs, proof{e.Evidence, e.To, s.Data})
			}
		}
	}
	return d
}

// PrintsOf returns the host from which the whole output of the call's command lines comes, if they log in to it: for
// "ssh web1 cat .env" that is web1. It returns nothing if a part comes from this machine or another host, or if that
// is not known. The answers of a web site do not count, because others have accounts there.
func (p *Inspection) PrintsOf() []string {
	if p.prints != nil {
		return p.prints
	}
	var host string
	for _, l := range p.lines {
		ends := l.Endpoints()
		elsewhere := func(s shell.Source) bool { return s.Kind != shell.Output || s.Name != "ssh" }
		if len(l.Reads) == 0 || slices.ContainsFunc(l.Reads, elsewhere) || l.Opaque {
			return nil
		}
		if len(ends) != 1 || ends[0].Kind != "host" || host != "" && host != ends[0].Value {
			return nil
		}
		host = ends[0].Value
	}
	if host == "" {
		return nil
	}
	return []string{strings.ToLower(host)}
}

// blocking are words of tools that take a sender, a site or a login out of service.
var blocking = []string{"block", "blocklist", "denylist", "blacklist", "ban", "quarantine", "purge", "revoke"}

// blocks reports whether a server's tool blocks, purges or revokes what its arguments name.
func (p *traced) blocks() bool {
	isOne := func(w string) bool { return slices.Contains(blocking, w) }
	return p.call.Server != "" && slices.ContainsFunc(p.words(), isOne)
}

// onlyFetches reports whether the call's command lines send no data: they only make requests, possibly with
// credentials, or log in to machines.
func (p *traced) onlyFetches() bool {
	reads := p.acted == mcpproxy.EffectRead
	gives := func(s shell.Send) bool { return !(s.By == "ssh" && len(s.Data) == 0 || reads && s.OnlyProves()) }
	return len(p.lines) > 0 && !slices.ContainsFunc(p.lines, func(l line) bool {
		return l.Opaque || slices.ContainsFunc(l.Sends, gives)
	})
}

// asConfigured reports whether the user's configuration determines which machine a name in a command line stands for.
// If the command is a list of arguments, only the program is known here.
func asConfigured(line string) bool {
	return strings.ContainsAny(line, " \t") && !reconfigures().MatchString(line)
}

// reconfigures matches the options and variables that make ssh, scp, rsync and rclone use another configuration.
var reconfigures = lazyregexp.New(`(?:^|\s)(?:-[A-Za-z]*[oFJSe]|--config|--rsh)|RCLONE_|RSYNC_|HostName|Proxy(?:Command|Jump)`)

// toOwn reports whether everything that a line sends goes to the repository from which its folder was cloned: to
// git's own remote, and to the site that hosts it.
func (l line) toOwn(text string) bool {
	forges := 0
	for _, s := range l.Sends {
		switch forge := s.To.Kind == "service" && (s.To.Value == "gh" || s.To.Value == "glab"); {
		case !s.To.Configured || s.To.Kind != "remote" && !forge:
			return false
		case forge:
			forges++
		}
	}
	return len(l.Sends) > 0 && (forges == 0 || !elsewhere().MatchString(text))
}

// withoutHome removes from a command line the options that name repositories of home.
func (p *texts) withoutHome(line string) string {
	if !strings.Contains(line, "-R") && !strings.Contains(line, "--repo") {
		return line
	}
	return named().ReplaceAllStringFunc(line, func(option string) string {
		place := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(option), "--repo"), "-R"), " =\t")
		if p.homePath(place) {
			return " "
		}
		return option
	})
}

// named matches the option of gh and glab that names a repository.
var named = lazyregexp.New(`(?:^|\s)(?:-R|--repo)[ =\t]*[\w./-]+(?:\s|$)`)

// elsewhere matches arguments that make gh address another repository, or none. In a line that runs gh, they count
// wherever they are.
var elsewhere = lazyregexp.New(`(?:^|\s)(?:-R|--repo|gist|api|ssh-key|gpg-key|repo|secret)\b`)

// commands returns the commands of lines.
func commands(lines []line) []shell.Command {
	out := make([]shell.Command, len(lines))
	for i, l := range lines {
		out[i] = l.Command
	}
	return out
}

// words returns the words of the called tool's name.
func (p *subject) words() []string {
	if p.tool != nil {
		return p.tool.Words
	}
	return classify.Tokens(p.call.Tool)
}

// commandLines finds and analyses the command lines of a call. Those that are strings are analysed as one script, so
// that many short lines cost as much as one long line. words are the words of the tool's name. An array is the list
// of a program's arguments, unless its name is "commands". folder holds the known contents of files that they may
// run.
func commandLines(
	call *mcpproxy.Call,
	tokens []string,
	doc *text.Document,
	folder func(*mcpproxy.Call) shell.Folder,
) []line {
	if call.Kind != mcpproxy.KindTool || doc == nil ||
		!slices.ContainsFunc(tokens, func(t string) bool { return slices.Contains(shellTools, t) }) {
		return nil
	}
	at := folder(call)
	parse := func(command string) shell.Command { return shell.ParseIn(command, at) }
	if slices.Contains(tokens, "powershell") || slices.Contains(tokens, "pwsh") {
		parse = shell.ParsePowerShell
	}
	var lines []line
	var script, argv []string
	var listed []int // the parts of argv
	from, first := -1, -1
	for i, part := range doc.Parts {
		name := strings.ToLower(doc.Field(part))
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		switch {
		case name == "args" && first >= 0,
			slices.Contains(shellMembers, name) && name != "commands" && strings.HasSuffix(doc.Path(part), "]"):
			if first < 0 {
				first = i
			}
			argv, listed = append(argv, part.Text), append(listed, i)
		case slices.Contains(shellMembers, name):
			if script = append(script, part.Text); from < 0 {
				from = i
			}
			if !strings.ContainsAny(part.Text, " \t\n") { // a program whose arguments are in another member
				first = i
				argv, listed = []string{part.Text}, []int{i}
			}
		}
	}
	if len(script) > 0 {
		all := strings.Join(script, "\n")
		lines = append(lines, line{parse(all), from, all})
	}
	// A script with arguments of its own is read together with them.
	if run := classify.ScriptOf(argv); run > 0 && run == len(argv)-1 {
		lines = append(lines, line{parse(argv[run]), listed[run], argv[run]})
	} else if len(argv) > 0 {
		lines = append(lines, line{shell.ParseArgsIn(argv, at), first, quotedWords(argv)})
	}
	return lines
}

// quotedWords joins arguments to a command line.
func quotedWords(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		if out[i] = a; strings.ContainsAny(a, " \t\n'\"$;|&<>") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// refine returns the class of a call that runs command lines. A configured class is not changed, and a server's class
// is never made less restrictive.
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
			reaches = reaches || !s.To.Configured || len(s.Data) > 0
		}
		k.ReturnsUntrusted = k.ReturnsUntrusted || l.asksOthers(nil)
		for _, e := range l.Fetches {
			k.CanExfiltrate = k.CanExfiltrate || !e.Configured // the request itself can carry data
			reaches = reaches || !e.Configured
		}
	}
	switch {
	case call.Server != "" && !reaches:
		return base
	case opaque, reaches && (k.CanReadData || call.Server != ""):
		k.Side = mcpproxy.Hybrid
		k.CanReadData = true
		k.CanExfiltrate = true
		k.ReturnsUntrusted = true
	case reaches:
		k.Side = mcpproxy.External
	default:
		k.CanReadData = true
	}
	return k
}

// asksOthers reports whether the output of a command line may contain text that outsiders wrote. It does not if the
// output comes from the user's own repository, from a machine in the user's ssh configuration, or from a machine of
// which isOwn is true, unless that machine asks others. isOwn may be nil. Listing an object store is not asking
// others either, because the user's account chose the names in it.
func (l line) asksOthers(isOwn func(host string) bool) bool {
	contents := func(e shell.Endpoint) bool { return e.Kind != "remote" }
	return slices.ContainsFunc(l.Contents, contents) || slices.ContainsFunc(l.Sends, func(s shell.Send) bool {
		isLogin := s.By == "ssh" && !l.Relays
		own := isOwn != nil && s.To.Kind == "host" && isOwn(s.To.Value)
		return s.To.Kind != "remote" && !(isLogin && (s.To.Kind == "alias" || own))
	})
}

// Answers returns the class by which the call's result is recorded. It is the class of the call, except that the
// output of a command on a machine of the user is trusted. A machine is the user's if the user or the user's own
// records named it, or if it is home.
func (p *Inspection) Answers() mcpproxy.Class {
	k := p.class
	if !k.ReturnsUntrusted || p.call.Server != "" || len(p.lines) == 0 || k.Method == mcpproxy.ByConfig {
		return k
	}
	isOwn := func(host string) bool {
		return slices.ContainsFunc(p.destinations(), func(d mcpproxy.Destination) bool {
			named := d.Source == mcpproxy.FromUser || d.Source == mcpproxy.FromInternal || d.Home
			return d.Kind == "host" && strings.EqualFold(d.Value, host) && named
		})
	}
	k.ReturnsUntrusted = slices.ContainsFunc(p.lines, func(l line) bool {
		return l.Opaque || l.asksOthers(isOwn) || readsLogs().MatchString(l.text)
	})
	return k
}

// readsLogs matches command lines that print logs or mail. These contain text of everybody who uses the machine.
var readsLogs = lazyregexp.New(`(?i)\bjournalctl\b|/var/(?:log|mail|spool)\b|\blogs?\b|\bdmesg\b|\bmaildir\b|\bmbox\b`)

// keptAtHome reports whether a secret store belongs to the user.
func (in *Inspector) keptAtHome(e shell.Endpoint) bool {
	owner, repo, _ := strings.Cut(e.Value, "/")
	return e.Configured || e.Kind == "repository" && in.Home.Repository("", owner, repo)
}

// shellEdge returns the edge of a command that sends data of this machine.
func (in *Inspector) shellEdge(
	call *mcpproxy.Call, class mcpproxy.Class, s shell.Send, mask func(string) string,
) mcpproxy.Edge {
	e := mcpproxy.Edge{
		To:         mask(s.To.Value),
		ToSide:     mcpproxy.External,
		Type:       flow.TypeOf(mcpproxy.Internal, class),
		Match:      "shell",
		Confidence: 0.95,
		Risk:       mcpproxy.RiskMedium,
	}
	if s.Guess {
		e.Confidence = 0.7
	}
	names := make([]string, len(s.Data))
	for i, d := range s.Data {
		names[i] = d.Name
		if c := in.secretSource(d); c != "" && !slices.Contains(e.Sensitive, c) && !s.Certifies(d) {
			e.Sensitive = append(e.Sensitive, c)
		}
	}
	if e.Type != mcpproxy.InternalToExternal {
		e.Risk = mcpproxy.RiskNone
	} else if len(e.Sensitive) > 0 {
		e.Risk = mcpproxy.RiskCritical
	}
	e.Evidence = mask(strings.Join(names, ", ") + " → " + s.To.Value)
	e.From = mcpproxy.Origin{
		CallID:    call.ID,
		Server:    call.Server,
		Tool:      call.Tool,
		Side:      mcpproxy.Internal,
		Sensitive: e.Sensitive,
		Time:      call.Received,
	}
	return e
}

// secretSource returns the category of the secrets in a source, judging by its name; "" if there are none.
func (in *Inspector) secretSource(d shell.Source) string {
	switch {
	case d.Secret && d.Kind == shell.Variable:
		return "environment"
	case d.Secret:
		return "credentials"
	}
	for _, name := range d.Paths() {
		for _, f := range in.read(text.Quote(name), "").Found {
			if f.Rule.Category == "sensitive_file" && f.Severity != mcpproxy.SeverityLow {
				return f.Rule.Category
			}
		}
	}
	return ""
}
