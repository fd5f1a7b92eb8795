package probe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

const helpScope = "Answer with an error if something is not offered, or not to this caller: an unknown tool with -32602, an unknown resource with -32002 or -32602, a lack of rights with 401, 403 or a result that is an error. " +
	"Look tools up in the list that the caller may see, and resolve a resource's path before it is opened."

// Reactions of a server to a request that is out of scope.
const (
	scopeDenied   = "denied"   // lack of permission
	scopeUnknown  = "unknown"  // not found
	scopeRefused  = "refused"  // another error
	scopeAnswered = "answered" // success
	scopeBroke    = "broke"    // no answer
	scopeUnjudged = "unjudged" // tools in scope get the same answer
)

// scopeDetail is the server's reaction to one attempt.
type scopeDetail struct {
	Attempt string `json:"attempt"`
	Outcome string `json:"outcome"`
}

// attempt is one request that is out of scope.
type attempt struct {
	what, method, tool string
	params             any
}

// testScope requests what the server does not offer: undeclared tools, tools that must be refused
// according to the options, and resources and prompts outside its lists.
func testScope(r *runner, out *Result) {
	var details []scopeDetail
	denied := true
	judged := 0
	_, _, _ = r.working() // called first, to compare the answers
	for _, a := range r.attempts() {
		if why := r.untried(a.tool); why != "" {
			out.note(fmt.Sprintf("%s was not tried: %s", a.what, why))
			continue
		}
		var answer raw.Answer
		if a.tool != "" {
			out.called(shown(a.tool))
		}
		answer = r.requestOf(a.method, a.tool, a.params)
		how := scopeOf(answer)
		if a.tool != "" && r.refusesAll(answer, how) {
			how = scopeUnjudged
			out.note("the server refuses its declared tools in the same way, so the refusal of other tools says nothing")
			out.blame(answer)
		} else {
			judged++
		}
		details = append(details, scopeDetail{a.what, how})
		if how != scopeAnswered && how != scopeBroke {
			continue
		}
		denied = false
		text := a.what + " was answered as if it were in scope"
		if how == scopeBroke {
			text = "asked for " + a.what + ", the server " + failedToAnswer(answer)
		}
		if *r.thresholds.DenyOutOfScope {
			out.fail(text)
			out.blame(answer)
		} else {
			out.note(text)
		}
	}
	out.Details = details
	switch {
	case r.options.DryRun:
	case judged == 0:
		out.skip("the server refuses all calls, even of its declared tools, so the test cannot tell whether it denies what is out of scope")
	default:
		r.figures.denied = &denied
	}
}

// refusesAll reports whether a tool out of scope got the same refusal as a harmless call of a
// declared tool.
func (r *runner) refusesAll(a raw.Answer, how string) bool {
	c := r.control
	if !c.called || c.works || how == scopeAnswered || how == scopeBroke || how == scopeUnknown {
		return false
	}
	return scopeOf(c.answer) == how && codeOf(c.answer) == codeOf(a)
}

// guessed are common names of privileged tools that only read.
var guessed = []string{"admin_list_users", "get_admin_config", "debug_info"}

// attempts lists the requests that are out of scope.
func (r *runner) attempts() []attempt {
	declared := r.surface.names()
	var out []attempt
	call := func(what, name string) {
		out = append(out, attempt{what, "tools/call", name, map[string]any{"name": name, "arguments": struct{}{}}})
	}
	call("a tool that does not exist", fmt.Sprintf("probe_undeclared_%s", r.mark()))
	for _, name := range guessed {
		if !slices.Contains(declared, name) {
			call("the undeclared tool "+name, name)
		}
	}
	for _, t := range r.surface.tools { // names that a careless lookup would match to a declared tool
		if r.options.forbidden(t) == "" && t.name != "" {
			if other := " " + t.name; !slices.Contains(declared, other) {
				call("a tool name with a space before it", other)
			}
			break
		}
	}
	for _, name := range r.options.OutOfScopeTools {
		call("the tool "+shown(name)+", which is out of scope", name)
	}
	if wire.Member(r.conn.Hello, "capabilities", "resources") != nil {
		for _, uri := range r.foreignResources() {
			out = append(out, attempt{"the resource " + shown(uri), "resources/read", "", map[string]any{"uri": uri}})
		}
	}
	if wire.Member(r.conn.Hello, "capabilities", "prompts") != nil {
		name := "probe_undeclared_" + r.mark()
		out = append(
			out,
			attempt{
				"a prompt that does not exist",
				"prompts/get",
				"",
				map[string]any{"name": name, "arguments": struct{}{}},
			},
		)
	}
	return out
}

// untried says why a tool that must be refused is not called, or returns "" if it is called. A
// server that does not refuse the call executes it.
func (r *runner) untried(name string) string {
	if name == "" {
		return ""
	}
	if slices.Contains(r.options.BlockedTools, name) {
		return "it is blocked"
	}
	destructive := classify.ByName(name) == mcpproxy.Destructive
	for _, t := range r.surface.tools {
		destructive = destructive || t.name == name && t.operation == mcpproxy.Destructive
	}
	if destructive && !r.options.AllowDestructive {
		return "it looks destructive (--allow-destructive calls it)"
	}
	return ""
}

// mark returns a word that the server has never seen; it depends only on the seed.
func (r *runner) mark() string {
	x := r.options.Seed * 0x9e3779b97f4a7c15
	return fmt.Sprintf("%08x", uint32(x>>32))
}

// foreignResources returns URIs outside every list.
func (r *runner) foreignResources() []string {
	out := []string{"file:///etc/passwd", "probe://undeclared/" + r.mark()}
	for _, raw := range r.surface.resources {
		if uri := wire.String(raw, "uri"); strings.Contains(uri, "://") {
			return append(out, strings.TrimSuffix(uri, "/")+"/../../../../../../../../etc/passwd")
		}
	}
	return out
}

var (
	deniedWords = lazyregexp.New(
		`(?i)permission|unauthori[sz]ed|forbidden|access denied|not allowed|outside (of )?(the )?allowed`,
	)
	unknownWords = lazyregexp.New(
		`(?i)not found|unknown|no such|does ?n[o']t exist|not exist|invalid|no (tool|resource|prompt)`,
	)
)

// scopeOf classifies the answer to a request out of scope. A result that reports missing permission
// without isError also counts as denied.
func scopeOf(a raw.Answer) string {
	if !refusal(a) && failedToAnswer(a) != "" {
		return scopeBroke
	}
	text := errorText(a)
	if a.OK() && text == "" {
		text = plainText(a.Result)
		if len(text) < 300 && (deniedWords().MatchString(text) || regexpNotFound().MatchString(text)) {
			return scopeDenied
		}
		if emptyContents(a.Result) {
			return scopeUnknown
		}
		return scopeAnswered
	}
	switch code := codeOf(a); {
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden || deniedWords().MatchString(text):
		return scopeDenied
	case a.Status == http.StatusNotFound || code == "-32601" || code == "-32602" || code == "-32002" || unknownWords().MatchString(text):
		return scopeUnknown
	}
	return scopeRefused
}

// regexpNotFound matches successful answers that say that nothing was found.
var regexpNotFound = lazyregexp.New(
	`(?i)\b((tool|resource|prompt|file)\b.{0,80}\b(not found|does ?n[o']t exist|unknown)|unknown (tool|resource|prompt)|no such (tool|resource|prompt|file))`,
)

// emptyContents reports whether a resource was read and is empty.
func emptyContents(result []byte) bool {
	var r struct{ Contents *[]json.RawMessage }
	return json.Unmarshal(result, &r) == nil && r.Contents != nil && len(*r.Contents) == 0
}
