package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/config"
)

// deployment is the section of the checklist.
const deployment = "Deployment checklist"

// The grades of a check.
const (
	gradeOK     = "ok"
	gradeBetter = "could be better"
	gradeBroken = "broken"
)

// point is one line of the checklist: what must be so before servers of strangers
// are connected.
type point func(g *globals, c *config.Config, f *checkup) check

// checklist is what is looked at, in this order.
var checklist = []point{filePoint, keyPoint, timeoutPoint, breakerPoint, codePoint, collectionPoint, httpsPoint, groupsPoint,
	quarantinePoint, changePoint, redactionPoint, hooksPoint}

// checkDeployment grades the deployment, going by the configuration.
func checkDeployment(_ context.Context, g *globals, c *config.Config, f *checkup) {
	points := checklist
	if len(f.Checks) > 0 && !f.Checks[0].OK {
		points = []point{filePoint} // what does not hold cannot be graded
	}
	for _, look := range points {
		p := look(g, c, f)
		p.Section, p.OK = deployment, p.Grade != gradeBroken
		f.add(p)
	}
}

// well is a point that holds.
func well(name, key, format string, args ...any) check {
	return check{Name: name, Key: key, Grade: gradeOK, Detail: fmt.Sprintf(format, args...)}
}

// better is a point that holds less than it could, and what to do.
func better(name, key, advice, format string, args ...any) check {
	return check{Name: name, Key: key, Grade: gradeBetter, Advice: advice, Detail: fmt.Sprintf(format, args...)}
}

// broken is a point that lets others in, and what to do.
func broken(name, key, advice, format string, args ...any) check {
	return check{Name: name, Key: key, Grade: gradeBroken, Advice: advice, Detail: fmt.Sprintf(format, args...)}
}

// filePoint says whether others can change the configuration: whoever can, can send
// environment variables to an address of their own, by way of ${env:…}.
func filePoint(g *globals, _ *config.Config, _ *checkup) check {
	const name = "file permissions"
	info, err := os.Stat(g.config)
	if err != nil || runtime.GOOS == "windows" { // there the folder's own list of rights holds
		return well(name, "", "nothing to look at")
	}
	real, err := filepath.EvalSymlinks(g.config) // whoever owns what a link leads to decides
	if err == nil {
		info, err = os.Stat(real)
	}
	if err != nil {
		return well(name, "", "nothing to look at")
	}
	mode := info.Mode().Perm()
	if mode&0o022 != 0 {
		return broken(name, "", "run `chmod 600 "+real+"`", "others may write %s (%04o), and so decide what is run and where your environment goes", real, mode)
	}
	if uid, known := ownerOf(info); known && !trusted(uid) {
		return broken(name, "", fmt.Sprintf("run `sudo chown %d %s`", os.Getuid(), real), "%s belongs to another user (uid %d), who decides what is run", real, uid)
	}
	for _, dir := range []string{filepath.Dir(g.config), filepath.Dir(real)} {
		above, err := os.Stat(dir)
		if err != nil {
			continue
		}
		if above.Mode().Perm()&0o022 != 0 && above.Mode()&fs.ModeSticky == 0 {
			return broken(name, "", "run `chmod go-w "+dir+"`", "others may replace %s: they may write to its folder %s (%04o)", real, dir, above.Mode().Perm())
		}
		if uid, known := ownerOf(above); known && !trusted(uid) {
			return broken(name, "", "move the file to a folder of your own", "%s may be replaced by another user (uid %d), whose %s is", real, uid, dir)
		}
	}
	if mode&0o044 != 0 {
		return better(name, "", "run `chmod 600 "+real+"`", "others may read %s (%04o), and the keys in it", real, mode)
	}
	return well(name, "", "%s is its owner's alone (%04o)", real, mode)
}

// trusted reports whether what a user may change is as good as one's own.
func trusted(uid int) bool { return uid == 0 || uid == os.Getuid() }

// minKey is the length from which a key is not guessed.
const minKey = 20

// keyPoint says whether those who reach the listener need a key.
func keyPoint(_ *globals, c *config.Config, f *checkup) check {
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
		return broken(name, "require_mcp_auth", "set it to true, or listen on 127.0.0.1", "%s is open to other machines, and its MCP endpoints want no key", listen)
	case c.APIKey != "" && len(c.APIKey) < minKey:
		return better(name, "api_key", "remove it: `mcpproxy serve` makes a good one", "it has only %d characters", len(c.APIKey))
	}
	return well(name, "api_key", "the REST API and the page want it")
}

// longest is the longest time, in seconds, that one call of a server should take.
const longest = 120

// timeoutPoint says which servers may hang for long.
func timeoutPoint(_ *globals, c *config.Config, _ *checkup) check {
	slow := serversWhere(c, func(s config.Server) bool { return s.TimeoutSecs > longest })
	if len(slow) > 0 {
		return better("timeouts", "mcpServers[].timeout_secs", "set 30 for tools that compute, 5 for those that look something up", "a call may take more than %d s at %s", longest, listed(slow))
	}
	return well("timeouts", "mcpServers[].timeout_secs", "every server has one; 30 s where nothing is said")
}

// mostFaults is how many faults in a row tell that a server has failed.
const mostFaults = 20

// breakerPoint says which servers are called although they fail.
func breakerPoint(_ *globals, c *config.Config, _ *checkup) check {
	off := serversWhere(c, func(s config.Server) bool { return s.CircuitBreaker != nil && !*s.CircuitBreaker })
	if len(off) > 0 {
		return better("circuit breaker", "mcpServers[].circuit_breaker", "set it to true", "it is off for %s, which are called however often they fail", listed(off))
	}
	if late := serversWhere(c, func(s config.Server) bool { return s.FailureThreshold > mostFaults }); len(late) > 0 {
		return better("circuit breaker", "mcpServers[].failure_threshold", "set 3", "it opens after more than %d faults in a row for %s", mostFaults, listed(late))
	}
	return well("circuit breaker", "mcpServers[].circuit_breaker", "on for every server")
}

// codePoint says whether the cost of a script is bounded.
func codePoint(_ *globals, c *config.Config, _ *checkup) check {
	e := c.CodeExecution
	switch {
	case !e.Enabled:
		return well("limits of scripts", "code_execution.enabled", "code mode is off")
	case e.MaxToolCalls < 1 || e.MaxToolCalls > 500:
		return better("limits of scripts", "code_execution.max_tool_calls", "set 50", "one script may make %d calls", e.MaxToolCalls)
	case e.TimeoutSecs < 1 || e.TimeoutSecs > longest:
		return better("limits of scripts", "code_execution.timeout_secs", "set 5", "a script may run %d s", e.TimeoutSecs)
	case e.HeapMB < 1 || e.HeapMB > 512:
		return better("limits of scripts", "code_execution.heap_mb", "set 64", "a script may use %d MB", e.HeapMB)
	}
	return well("limits of scripts", "code_execution.max_tool_calls", "%d calls, %d s, %d MB", e.MaxToolCalls, e.TimeoutSecs, e.HeapMB)
}

// collectionPoint says whether the log is kept anywhere else.
func collectionPoint(_ *globals, c *config.Config, _ *checkup) check {
	sent := exportSettings(c)
	switch {
	case sent.OTLP.Endpoint != "":
		return well("collection of the log", "telemetry.otlp_endpoint", "records go to a collector")
	case sent.Syslog.Address != "":
		return well("collection of the log", "telemetry.syslog.address", "records go to syslog")
	}
	if t := c.Telemetry; !t.Enabled && t.OTLPEndpoint+t.Syslog.Address != "" {
		return better("collection of the log", "telemetry.enabled", "set it to true", "where records go is set, and nothing is sent")
	}
	return better("collection of the log", "telemetry.otlp_endpoint", "have records sent to a collector or to telemetry.syslog.address, where who breaks in here cannot reach them",
		"records are kept on this machine alone")
}

// httpsPoint says which servers are talked to in the open. Credentials never are: a
// configuration that would send them so does not hold.
func httpsPoint(_ *globals, c *config.Config, _ *checkup) check {
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
func groupsPoint(_ *globals, c *config.Config, _ *checkup) check {
	classifier, strict := gateSettings(c, nil).Classifier, walls(c)
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
		return better("groups", "groups.<name>.isolation", "put those that must not share data into groups with \"isolation\": \"strict\"",
			"%s are private, data may leave by %s, and no group is strict", listed(inside), listed(outside))
	case len(free) > 0:
		return better("groups", "groups.<name>.servers", "put them into one, unless they may share data with all", "%s are in no strict group", listed(free))
	}
	for _, group := range slices.Sorted(maps.Keys(c.Groups)) {
		in := func(s string) bool { return strict[s] != group }
		private, leaving := slices.DeleteFunc(slices.Clone(inside), in), slices.DeleteFunc(slices.Clone(outside), in)
		if len(private) > 0 && len(leaving) > 0 {
			return better("groups", "groups.<name>.servers", "give them a group each", "the group %s holds both: %s are private, and data may leave by %s", group, listed(private), listed(leaving))
		}
	}
	return well("groups", "groups.<name>.isolation", "private and external servers are in strict groups")
}

// quarantinePoint says whether new tools wait for somebody to look at them.
func quarantinePoint(_ *globals, c *config.Config, _ *checkup) check {
	q := c.Security.ToolQuarantine
	switch {
	case !q.Enabled:
		return better("quarantine", "security.tool_quarantine.enabled", "set it to true", "it is off: what servers declare reaches agents unseen")
	case !q.AutoQuarantineNewTools:
		return better("quarantine", "security.tool_quarantine.auto_quarantine_new_tools", "set it to true before you connect servers of strangers", "new tools are approved unless a scan finds something")
	}
	return well("quarantine", "security.tool_quarantine", "new tools wait for approval")
}

// changePoint says whether tools that change are held.
func changePoint(_ *globals, c *config.Config, _ *checkup) check {
	if q := c.Security.ToolQuarantine; !q.Enabled || !q.RugPullDetection {
		return better("changed tools", "security.tool_quarantine.rug_pull_detection", "set it to true", "a tool that changes after it was approved stays approved")
	}
	return well("changed tools", "security.tool_quarantine.rug_pull_detection", "they wait for approval")
}

// redactionPoint says whether agents read the inside of servers in errors.
func redactionPoint(_ *globals, c *config.Config, _ *checkup) check {
	if c.Security.ErrorRedaction == "off" {
		return better("errors", "security.error_redaction", "set it to on", "agents read addresses, paths and traces of servers in errors")
	}
	return well("errors", "security.error_redaction", "agents read them without the inside of servers")
}

// hooksPoint says whether the agents' own tools are seen.
func hooksPoint(_ *globals, c *config.Config, f *checkup) check {
	switch {
	case !c.Security.Hooks.Enabled:
		return better("hooks", "security.hooks.enabled", "set it to true", "hooks are off: agents' own tools are not seen")
	case !f.Coverage.Active:
		return better("hooks", "security.hooks", "run `mcpproxy hook install --agent claude-code`, or name your agent", "none are active: agents' own tools are not seen")
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

// graded counts the checklist's grades, in words.
func (f *checkup) graded() string {
	count := map[string]int{}
	for _, c := range f.Checks {
		if c.Section == deployment {
			count[c.Grade]++
		}
	}
	return fmt.Sprintf("%d ok, %d could be better, %d broken", count[gradeOK], count[gradeBetter], count[gradeBroken])
}
