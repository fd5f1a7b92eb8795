package connect

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/settings"
)

// Server is an MCP server from the configuration of an agent, in the form of mcpproxy's own
// configuration: variables are written as ${env:NAME} and ${file:PATH}.
type Server struct {
	Agent string         `json:"agent,omitempty"` // "" for a file that is not an agent's
	Scope settings.Scope `json:"scope,omitempty"`
	Path  string         `json:"path"` // of the file

	Name     string            `json:"name"`
	Command  string            `json:"command,omitempty"`
	Args     []string          `json:"args,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	Dir      string            `json:"working_dir,omitempty"`
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Protocol string            `json:"protocol,omitempty"` // path of the file
	Timeout  int               `json:"timeout_secs,omitempty"`
	Disabled bool              `json:"disabled,omitempty"` // the agent has disabled it

	// Problem is the reason why the server cannot be taken over unchanged; "" if it can.
	Problem string `json:"problem,omitempty"`
}

// Leads reports whether a server is this proxy: the bridge program, or the listener at an address
// such as 127.0.0.1:8080. If listen is "", every port of this machine counts.
func (s Server) Leads(listen string) bool {
	program := strings.TrimSuffix(path.Base(strings.ReplaceAll(s.Command, `\`, "/")), ".exe")
	if program == Name && slices.Contains(s.Args, "stdio") {
		return true
	}
	u, err := url.Parse(s.URL)
	if err != nil || s.URL == "" || u.Path != "/mcp" && !strings.HasPrefix(u.Path, "/mcp/") {
		return false
	}
	if _, port, err := net.SplitHostPort(listen); listen != "" && (err != nil || u.Port() != port) {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Same reports whether two servers have the same program or address and the same settings. Their
// names may differ.
func (s Server) Same(other Server) bool {
	plain := func(s Server) Server {
		out := Server{Command: s.Command, Dir: s.Dir, URL: s.URL}
		if s.Protocol == "sse" {
			out.Protocol = s.Protocol
		}
		return out
	}
	return reflect.DeepEqual(plain(s), plain(other)) && slices.Equal(s.Args, other.Args) &&
		maps.Equal(s.Env, other.Env) &&
		maps.Equal(s.Headers, other.Headers)
}

// near reports whether a server's program or an argument is a path relative to the folder in which the server starts.
func (s Server) near() bool {
	return slices.ContainsFunc(append([]string{s.Command}, s.Args...), func(w string) bool {
		return w == "." || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "../")
	})
}

// serverOf reads an entry of an agent's list of servers. One function reads the entries of all agents, because no two
// agents use the same setting with different meanings.
func serverOf(v agent.Variables, env settings.Env, n named) Server {
	s := Server{Name: n.name}
	r := reader{entry: n.entry, variables: v, env: env}
	s.Command, s.Args = r.text("command", "cmd"), r.list("args")
	if words := r.list("command"); len(words) > 0 {
		s.Command, s.Args = words[0], words[1:]
	}
	s.Env = r.texts("env", "environment", "envs")
	s.Dir = r.text("cwd", "working_dir")
	s.URL = r.text("url", "httpUrl", "serverUrl", "uri")
	s.Headers = r.texts("headers", "http_headers")
	s.Protocol = r.protocol()
	s.Timeout = r.seconds()
	s.Disabled = r.is("disabled", true) || r.is("enabled", false)
	r.codex(&s)
	switch {
	case r.problem != "":
		s.Problem = r.problem
	case s.Command == "" && s.URL == "":
		s.Problem = "it has no command and no url"
	case s.Command != "" && s.URL != "":
		s.Problem = "it has both a command and a url"
	case r.text("envFile") != "":
		s.Problem = "it reads its environment from " + r.text("envFile") + ": enter those variables as env, by hand"
	}
	return s
}

// reader reads one entry.
type reader struct {
	entry     map[string]any
	variables agent.Variables
	env       settings.Env
	problem   string
}

// value returns s with its variables in the form of mcpproxy's configuration.
func (r *reader) value(s string) string {
	out, problem := ours(r.variables, s, r.env)
	if r.problem == "" {
		r.problem = problem
	}
	return out
}

// text returns the first of the named members that is a string.
func (r *reader) text(names ...string) string {
	for _, name := range names {
		if s, ok := r.entry[name].(string); ok {
			return r.value(s)
		}
	}
	return ""
}

func (r *reader) list(name string) []string {
	all, _ := r.entry[name].([]any)
	var out []string
	for _, v := range all {
		out = append(out, r.value(fmt.Sprint(v)))
	}
	return out
}

// texts returns the first of the named members that is an object, as a map of strings.
func (r *reader) texts(names ...string) map[string]string {
	for _, name := range names {
		object, ok := r.entry[name].(map[string]any)
		if !ok || len(object) == 0 {
			continue
		}
		out := map[string]string{}
		for key, v := range object {
			if v != nil {
				out[key] = r.value(fmt.Sprint(v))
			}
		}
		return out
	}
	return nil
}

func (r *reader) is(name string, want bool) bool {
	have, ok := r.entry[name].(bool)
	return ok && have == want
}

// protocol returns the transport that a member names. Without such a member, the url of an entry of
// Gemini CLI uses the older transport, SSE.
func (r *reader) protocol() string {
	given := r.text("type", "transport", "transportType")
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(given)) {
	case "sse":
		return "sse"
	case "http", "streamablehttp":
		return "http"
	case "":
		if _, url := r.entry["url"]; url && r.variables == agent.Dollars {
			return "sse"
		}
	}
	return ""
}

// seconds returns the timeout of a call. Agents give it in milliseconds, except for Goose, which gives it in seconds:
// a value below 1000 counts as seconds.
func (r *reader) seconds() int {
	n, ok := number(r.entry["timeout"])
	if !ok {
		n, ok = number(r.entry["tool_timeout_sec"])
	} else if n >= 1000 {
		n /= 1000
	}
	if !ok || n < 1 || n > 24*3600 {
		return 0
	}
	return int(n)
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case int64:
		return float64(n), true
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

// codex reads the members in which Codex names environment variables.
func (r *reader) codex(s *Server) {
	header := func(name, value string) {
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[name] = value
	}
	if name, ok := r.entry["bearer_token_env_var"].(string); ok {
		header("Authorization", "Bearer ${env:"+name+"}")
	}
	if named, ok := r.entry["env_http_headers"].(map[string]any); ok {
		for name, v := range named {
			header(name, fmt.Sprintf("${env:%v}", v))
		}
	}
	passed, _ := r.entry["env_vars"].([]any)
	for _, v := range passed {
		if name, ok := v.(string); ok {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name] = "${env:" + name + "}"
		}
	}
}
