package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// Deployment is the section of the checklist.
const Deployment = "Deployment checklist"

// The grades of a check.
const (
	gradeOK     = "ok"
	GradeBetter = "could be better"
	gradeBroken = "broken"
)

// point is one line of the checklist: what must be so before servers of strangers
// are connected.
type point func(at Installation, c *config.Config, f *Checkup) Check

// checklist is what is looked at, in this order.
var checklist = []point{
	filePoint,
	keyPoint,
	timeoutPoint,
	breakerPoint,
	codePoint,
	collectionPoint,
	httpsPoint,
	groupsPoint,
	quarantinePoint,
	changePoint,
	redactionPoint,
	hooksPoint,
}

// checkDeployment grades the deployment, going by the configuration.
func checkDeployment(_ context.Context, at Installation, c *config.Config, f *Checkup) {
	points := checklist
	if len(f.Checks) > 0 && !f.Checks[0].OK {
		points = []point{filePoint} // what does not hold cannot be graded
	}
	for _, look := range points {
		p := look(at, c, f)
		p.Section, p.OK = Deployment, p.Grade != gradeBroken
		f.add(p)
	}
}

// well is a point that holds.
func well(name, key, format string, args ...any) Check {
	return Check{
		Name:   name,
		Key:    key,
		Grade:  gradeOK,
		Detail: fmt.Sprintf(format, args...),
	}
}

// better is a point that holds less than it could, and what to do.
func better(name, key, advice, format string, args ...any) Check {
	return Check{
		Name:   name,
		Key:    key,
		Grade:  GradeBetter,
		Advice: advice,
		Detail: fmt.Sprintf(format, args...),
	}
}

// broken is a point that lets others in, and what to do.
func broken(name, key, advice, format string, args ...any) Check {
	return Check{
		Name:   name,
		Key:    key,
		Grade:  gradeBroken,
		Advice: advice,
		Detail: fmt.Sprintf(format, args...),
	}
}

// filePoint says whether others can change the configuration: whoever can, can send
// environment variables to an address of their own, by way of ${env:…}.
func filePoint(at Installation, _ *config.Config, _ *Checkup) Check {
	const name = "file permissions"
	err := atomicfile.CheckWriters(at.File)
	if e, ok := errors.AsType[*atomicfile.AccessError](err); ok {
		return broken(
			name,
			"",
			"run `"+e.Remedy+"`",
			"%s %s: who changes the configuration decides what is run and where your environment goes",
			e.Path,
			e.Problem,
		)
	}
	if err != nil {
		return well(name, "", "nothing to look at")
	}
	if e, ok := errors.AsType[*atomicfile.AccessError](atomicfile.CheckReaders(at.File)); ok {
		return better(name, "", "run `"+e.Remedy+"`", "%s %s, and so can the keys in it", e.Path, e.Problem)
	}
	return well(name, "", "%s is its owner's alone", at.File)
}

// minKey is the length from which a key is not guessed.
const minKey = 20

// keyPoint says whether those who reach the listener need a key.
func keyPoint(_ Installation, c *config.Config, f *Checkup) Check {
	const name = "key"
	listen, auth := c.Listen, c.RequireMCPAuth
	if f.running != nil { // which a flag or a variable may have told otherwise
		listen, auth = f.running.Listen, f.running.MCPAuth
	}
	host, _, _ := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case !local && !auth:
		return broken(
			name,
			"require_mcp_auth",
			"set it to true, or listen on 127.0.0.1",
			"%s is open to other machines, and its MCP endpoints need no key",
			listen,
		)
	case !auth:
		return better(
			name,
			"require_mcp_auth",
			"set it to true",
			"every program of this machine may call all tools: the MCP endpoints need no key",
		)
	case c.APIKey != "" && len(c.APIKey) < minKey:
		return better(
			name,
			"api_key",
			"remove it: `mcpproxy serve` makes a good one",
			"it has only %d characters",
			len(c.APIKey),
		)
	}
	return well(name, "api_key", "the REST API, the page and the MCP endpoints want it")
}

// longest is the longest time, in seconds, that one call of a server should take.
const longest = 120

// timeoutPoint says which servers may hang for long.
func timeoutPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	slow := serversWhere(c, func(s config.Server) bool { return s.TimeoutSecs > longest })
	if len(slow) > 0 {
		return better(
			"timeouts",
			"mcpServers[].timeout_secs",
			"set 30 for tools that compute, 5 for those that look something up",
			"a call may take more than %d s at %s",
			longest,
			listed(slow),
		)
	}
	return well("timeouts", "mcpServers[].timeout_secs", "every server has one; 30 s where nothing is said")
}

// mostFaults is how many faults in a row tell that a server has failed.
const mostFaults = 20

// breakerPoint says which servers are called although they fail.
func breakerPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	off := serversWhere(c, func(s config.Server) bool { return s.CircuitBreaker != nil && !*s.CircuitBreaker })
	if len(off) > 0 {
		return better(
			"circuit breaker",
			"mcpServers[].circuit_breaker",
			"set it to true",
			"it is off for %s, which are called however often they fail",
			listed(off),
		)
	}
	if late := serversWhere(c, func(s config.Server) bool { return s.FailureThreshold > mostFaults }); len(late) > 0 {
		return better(
			"circuit breaker",
			"mcpServers[].failure_threshold",
			"set 3",
			"it opens after more than %d faults in a row for %s",
			mostFaults,
			listed(late),
		)
	}
	return well("circuit breaker", "mcpServers[].circuit_breaker", "on for every server")
}

// codePoint says whether the cost of a script is bounded.
func codePoint(_ Installation, c *config.Config, _ *Checkup) Check {
	e := c.CodeExecution
	switch {
	case !e.Enabled:
		return well("limits of scripts", "code_execution.enabled", "code mode is off")
	case e.MaxToolCalls < 1 || e.MaxToolCalls > 500:
		return better(
			"limits of scripts",
			"code_execution.max_tool_calls",
			"set 50",
			"one script may make %d calls",
			e.MaxToolCalls,
		)
	case e.TimeoutSecs < 1 || e.TimeoutSecs > longest:
		return better(
			"limits of scripts",
			"code_execution.timeout_secs",
			"set 5",
			"a script may run %d s",
			e.TimeoutSecs,
		)
	case e.HeapMB < 1 || e.HeapMB > 512:
		return better("limits of scripts", "code_execution.heap_mb", "set 64", "a script may use %d MB", e.HeapMB)
	}
	return well(
		"limits of scripts",
		"code_execution.max_tool_calls",
		"%d calls, %d s, %d MB",
		e.MaxToolCalls,
		e.TimeoutSecs,
		e.HeapMB,
	)
}

// collectionPoint says whether the log is kept anywhere else.
func collectionPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	sent := daemon.ExportSettings(c)
	switch {
	case sent.OTLP.Endpoint != "":
		return well("collection of the log", "telemetry.otlp_endpoint", "records go to a collector")
	case sent.Syslog.Address != "":
		return well("collection of the log", "telemetry.syslog.address", "records go to syslog")
	}
	if t := c.Telemetry; !t.Enabled && t.OTLPEndpoint+t.Syslog.Address != "" {
		return better(
			"collection of the log",
			"telemetry.enabled",
			"set it to true",
			"where records go is set, and nothing is sent",
		)
	}
	return better(
		"collection of the log",
		"telemetry.otlp_endpoint",
		"have records sent to a collector or to telemetry.syslog.address, where who breaks in here cannot reach them",
		"records are kept on this machine alone",
	)
}

// httpsPoint says which servers are talked to in the open. Credentials never are: a
// configuration that would send them so does not hold.
func httpsPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	const key = "mcpServers[].url"
	inOpen := serversWhere(c, func(s config.Server) bool { return plainRemote(s.URL) })
	if len(inOpen) > 0 {
		return better("HTTPS", key, "use https://", "data travels in the open to %s", listed(inOpen))
	}
	return well("HTTPS", key, "nothing travels in the open")
}

// plainRemote reports whether a URL leads to another machine over plain HTTP.
func plainRemote(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// groupsPoint says whether private servers and those by which data may leave are kept
// apart.
func groupsPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	classifier, strict := daemon.GateSettings(c, nil).Classifier, daemon.Walls(c)
	var inside, outside []string
	for _, s := range serversWhere(c, func(config.Server) bool { return true }) {
		switch class := classifier.Server(s); {
		case class.Leaves():
			outside = append(outside, s)
		case class.Side == mcpproxy.Internal:
			inside = append(inside, s)
		}
	}
	free := slices.DeleteFunc(slices.Concat(inside, outside), func(s string) bool { return strict[s] != "" })
	switch {
	case len(inside) == 0 || len(outside) == 0:
		return well("groups", "groups", "private and external servers are not both there")
	case len(strict) == 0:
		return better(
			"groups",
			"groups.<name>.isolation",
			"put those that must not share data into groups with \"isolation\": \"strict\"",
			"%s are private, data may leave by %s, and no group is strict",
			listed(inside),
			listed(outside),
		)
	case len(free) > 0:
		return better(
			"groups",
			"groups.<name>.servers",
			"put them into one, unless they may share data with all",
			"%s are in no strict group",
			listed(free),
		)
	}
	for _, group := range slices.Sorted(maps.Keys(c.Groups)) {
		in := func(s string) bool { return strict[s] != group }
		private, leaving := slices.DeleteFunc(slices.Clone(inside), in), slices.DeleteFunc(slices.Clone(outside), in)
		if len(private) > 0 && len(leaving) > 0 {
			return better(
				"groups",
				"groups.<name>.servers",
				"give them a group each",
				"the group %s holds both: %s are private, and data may leave by %s",
				group,
				listed(private),
				listed(leaving),
			)
		}
	}
	return well("groups", "groups.<name>.isolation", "private and external servers are in strict groups")
}

// quarantinePoint says whether new tools wait for somebody to look at them.
func quarantinePoint(_ Installation, c *config.Config, _ *Checkup) Check {
	q := c.Security.ToolQuarantine
	switch {
	case !q.Enabled:
		return better(
			"quarantine",
			"security.tool_quarantine.enabled",
			"set it to true",
			"it is off: what servers declare reaches agents unseen",
		)
	case !q.AutoQuarantineNewTools:
		return better(
			"quarantine",
			"security.tool_quarantine.auto_quarantine_new_tools",
			"set it to true before you connect servers of strangers",
			"new tools are approved unless a scan finds something",
		)
	}
	return well("quarantine", "security.tool_quarantine", "new tools wait for approval")
}

// changePoint says whether tools that change are held.
func changePoint(_ Installation, c *config.Config, _ *Checkup) Check {
	if q := c.Security.ToolQuarantine; !q.Enabled || !q.RugPullDetection {
		return better(
			"changed tools",
			"security.tool_quarantine.rug_pull_detection",
			"set it to true",
			"a tool that changes after it was approved stays approved",
		)
	}
	return well("changed tools", "security.tool_quarantine.rug_pull_detection", "they wait for approval")
}

// redactionPoint says whether agents read the inside of servers in errors.
func redactionPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	if c.Security.ErrorRedaction == "off" {
		return better(
			"errors",
			"security.error_redaction",
			"set it to on",
			"agents read addresses, paths and traces of servers in errors",
		)
	}
	return well("errors", "security.error_redaction", "agents read them without the inside of servers")
}

// hooksPoint says whether the agents' own tools are seen.
func hooksPoint(_ Installation, c *config.Config, f *Checkup) Check {
	switch {
	case !c.Security.Hooks.Enabled:
		return better(
			"hooks",
			"security.hooks.enabled",
			"set it to true",
			"hooks are off: agents' own tools are not seen",
		)
	case !f.Coverage.Active:
		return better(
			"hooks",
			"security.hooks",
			"run `mcpproxy hook install --agent claude-code`, or name your agent",
			"none are active: agents' own tools are not seen",
		)
	}
	return well("hooks", "security.hooks", "active")
}

// serversWhere names the enabled servers for which f holds.
func serversWhere(c *config.Config, f func(config.Server) bool) []string {
	var out []string
	for _, s := range c.Servers {
		if s.IsEnabled() && f(s) {
			out = append(out, s.Name)
		}
	}
	return out
}

// maxListed bounds the names in one line.
const maxListed = 5

// listed joins names, the first of many.
func listed(names []string) string {
	if n := len(names); n > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), n-maxListed)
	}
	return strings.Join(names, ", ")
}

// Graded counts the checklist's grades, in words.
func (f *Checkup) Graded() string {
	count := map[string]int{}
	for _, c := range f.Checks {
		if c.Section == Deployment {
			count[c.Grade]++
		}
	}
	return fmt.Sprintf("%d ok, %d could be better, %d broken", count[gradeOK], count[GradeBetter], count[gradeBroken])
}
