package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/connect"
	"mcpproxy/internal/hook"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/settings"
)

func TestEveryAgentIsComplete(t *testing.T) {
	seen := map[string]string{}
	for _, a := range agent.All() {
		for _, name := range append([]string{a.Name}, a.Aliases...) {
			if other, twice := seen[name]; twice {
				t.Errorf("%s and %s have the name %q", other, a.Name, name)
			}
			seen[name] = a.Name
		}
		for _, missing := range lacks(t, a) {
			t.Errorf("%s: %s", a.Name, missing)
		}
	}
	for _, d := range hook.Agents() {
		if a, ok := agent.Named(d.Name()); !ok || a.Hooks == nil {
			t.Errorf(
				"internal/hook has a dialect %q, and no agent of internal/agent with hooks has that name",
				d.Name(),
			)
		}
	}
}

// lacks says what an agent lacks, and which file should contain it.
func lacks(t *testing.T, a *agent.Agent) []string {
	t.Helper()
	m := &missing{t: t, agent: a, file: "internal/agent/" + strings.ReplaceAll(a.Name, "-", "_") + ".go"}
	m.names()
	m.hooks()
	m.servers()
	m.pages()
	return m.all
}

// missing collects what an agent lacks.
type missing struct {
	t     *testing.T
	agent *agent.Agent
	file  string // the agent's own
	all   []string
}

// need records what is missing, unless it exists.
func (m *missing) need(there bool, format string, args ...any) {
	if !there {
		m.all = append(m.all, fmt.Sprintf(format, args...))
	}
}

// repository returns the path of a file in the repository.
func repository(file string) string {
	return filepath.Join("..", "..", filepath.FromSlash(file))
}

var plainName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func (m *missing) names() {
	a := m.agent
	_, err := os.Stat(repository(m.file))
	m.need(err == nil, "no file of its own: write %s", m.file)
	_, listed := agent.Named(a.Name)
	m.need(listed, "not listed: enter it in All of internal/agent/agent.go")
	m.need(
		plainName.MatchString(a.Name),
		"its name has other characters than lower-case letters and dashes: set Name in %s",
		m.file,
	)
	m.need(a.Title != "", "no title: set Title in %s", m.file)
	m.need(a.Home.Path != "", "no folder of settings: set Home in %s", m.file)
}

// hooks checks that everything for the hook exists: dialect, transcript, guess, installer and tools.
func (m *missing) hooks() {
	a := m.agent
	m.need(
		(a.Hooks == nil) != (a.NoHooks == ""),
		"no installer: set Hooks, or NoHooks to the reason why it has none, in %s",
		m.file,
	)
	if a.NoHooks != "" {
		return
	}
	dialect := "internal/hook/" + strings.ReplaceAll(a.Name, "-", "_") + ".go"
	speaks := slices.ContainsFunc(hook.Agents(), func(d hook.Agent) bool { return d.Name() == a.Name })
	m.need(speaks, "no dialect: write %s and enter it in dialects of internal/hook/agent.go", dialect)

	transcript := "internal/hook/testdata/" + a.Name + ".txtar"
	payloads, guessed := m.transcript(transcript)
	m.need(
		payloads > 0,
		"no transcript: write %s with payloads as the agent sends them; TestTranscripts says how",
		transcript,
	)
	m.need(
		guessed,
		"no guess: no payload of %s is guessed as %s; enter a case in internal/hook/guess.go",
		transcript,
		a.Name,
	)

	programs := len(a.Programs) + len(a.Editors) + len(a.Signs)
	m.need(programs > 0, "no sign that it is on a machine: set Programs, Editors or Signs in %s", m.file)
	m.need(!a.Tools.None(), "no tools of its own: set Tools in %s", m.file)
	m.tools()
	if a.Hooks != nil {
		m.installer()
		m.dialect(dialect)
	}
}

// transcript reads the payloads of an agent. It returns how many there are, and whether one of them is recognised as
// the agent's.
func (m *missing) transcript(file string) (payloads int, guessed bool) {
	archive, err := txtar.ParseFile(repository(file))
	if err != nil {
		return 0, false
	}
	for _, f := range archive.Files {
		if !strings.HasSuffix(f.Name, "/in") {
			continue
		}
		payloads++
		event, payload, _ := strings.Cut(string(f.Data), "\n")
		guessed = guessed || hook.Guess(event, []byte(payload)).Name() == m.agent.Name
	}
	return payloads, guessed
}

// installer checks what is written into the agent's settings.
func (m *missing) installer() {
	h := m.agent.Hooks
	m.need(h.Files[agent.User] != "", "no file for the user's hooks: set Hooks.Files in %s", m.file)
	m.need(
		slices.Contains(agent.HookFormats, h.Format),
		"no format of its hooks: set Hooks.Format in %s; a new one is code in internal/hook/install/format.go",
		m.file,
	)
	m.need(
		len(h.Events) > 0 || h.Format == agent.Plugin,
		"no events that its hooks are installed for: set Hooks.Events in %s",
		m.file,
	)
	m.need(
		h.Asks != "",
		"no word about what happens to a call that the user is to be asked about: set Hooks.Asks in %s",
		m.file,
	)
	if len(m.all) > 0 {
		return // an agent without an installer cannot be tested
	}
	for scope := range h.Files {
		m.install(scope)
	}
}

// install installs the hook for one scope and checks the result.
func (m *missing) install(scope agent.Scope) {
	place, err := install.At(m.world(), m.agent.Name, scope)
	if err != nil {
		m.need(false, "its hooks of scope %s cannot be installed: %v", scope, err)
		return
	}
	plan, err := place.Install(install.Command{Path: "/bin/mcpproxy-hook"})
	if err == nil {
		err = plan.Apply()
	}
	m.need(err == nil, "its hooks of scope %s cannot be installed: %v", scope, err)
	if scope != agent.Project {
		return
	}
	looked := place.Status().Trusted != ""
	m.need(
		looked == (m.agent.Hooks.FolderHint != ""),
		"Hooks.FolderHint in %s is %q, and trusts of internal/hook/install/trust.go has a function for it: %t",
		m.file,
		m.agent.Hooks.FolderHint,
		looked,
	)
}

// dialect checks that the dialect understands the installed hook.
func (m *missing) dialect(file string) {
	d, ok := hook.Named(m.agent.Name)
	if !ok {
		return
	}
	before := false
	for _, event := range m.agent.Hooks.Events {
		e, err := d.Read(event.Name, []byte(`{"tool_name": "x", "toolName": "x"}`), nil)
		known := err == nil && e.Kind != hook.Other
		m.need(known, "the event %s is installed, and %s does not know it", event.Name, file)
		if e.Kind != hook.PreTool {
			continue
		}
		before = true
		denied := strings.HasPrefix(m.agent.Hooks.Asks, "denied")
		m.need(
			d.CanAsk(e) != denied,
			"Hooks.Asks in %s says %q, and CanAsk of %s says %t",
			m.file,
			m.agent.Hooks.Asks,
			file,
			d.CanAsk(e),
		)
	}
	before = before || m.agent.Hooks.Format == agent.Plugin
	m.need(before, "no event before a tool: add it to Hooks.Events in %s", m.file)
}

// tools checks that package classify gives each tool the effect of the list that contains it. It would not if two
// agents had the same tool name in different lists.
func (m *missing) tools() {
	c := &classify.Classifier{}
	tools := m.agent.Tools
	for _, group := range []struct {
		list  string
		names []string
		like  string // another tool with the same effect
	}{
		{"Reads", tools.Reads, "read_file"},
		{"Writes", tools.Writes, "write_file"},
		{"Works", tools.Works, "task"},
		{"Runs", tools.Runs, "bash"},
		{"Fetches", tools.Fetches, "web_fetch"},
		{"Sends", tools.Sends, "push_notification"},
	} {
		for _, name := range group.names {
			m.need(
				c.AgentTool(name) == c.AgentTool(group.like) && c.AgentOperation(name) == c.AgentOperation(group.like),
				"the tool %s is in Tools.%s of %s, and another agent lists it as something else",
				name,
				group.list,
				m.file,
			)
		}
	}
}

// servers checks the agent's list of MCP servers.
func (m *missing) servers() {
	a := m.agent
	m.need(
		(a.Servers == nil) != (a.NoServers == ""),
		"no list of MCP servers: set Servers, or NoServers to the reason why it has none, in %s",
		m.file,
	)
	if a.Servers == nil {
		return
	}
	user := a.Servers.Files[agent.User]
	named := len(user.Names) > 0 && len(user.Keys) > 0
	m.need(named, "no file with the user's MCP servers: set Servers.Files in %s", m.file)
	m.need(a.Servers.Variables != "", "no word about variables in values: set Servers.Variables in %s", m.file)
	m.need(
		a.Servers.Next != "" || a.Servers.ByHand != "",
		"no word about what makes it read its servers anew: set Servers.Next in %s",
		m.file,
	)
	if len(m.all) > 0 || a.Servers.ByHand != "" {
		return
	}
	for scope := range a.Servers.Files {
		place, err := connect.At(m.world(), a.Name, scope)
		if err == nil {
			_, err = place.Connect(connect.Way{Command: []string{"/bin/mcpproxy", "stdio"}})
		}
		m.need(err == nil, "its servers of scope %s cannot be changed: %v", scope, err)
	}
}

// pages checks that the documentation has rows for the agent.
func (m *missing) pages() {
	for _, page := range []struct {
		name   string
		wanted bool
	}{
		{"hooks.md", m.agent.NoHooks == "" || m.agent.Hooks != nil},
		{"connect.md", m.agent.NoServers == "" || m.agent.Servers != nil},
		{"import.md", m.agent.NoServers == "" || m.agent.Servers != nil},
	} {
		raw, err := os.ReadFile(repository("docs/" + page.name))
		if err != nil {
			m.t.Fatal(err)
		}
		_, rows, _, _ := cut(string(raw), "agents")
		m.need(
			!page.wanted || strings.Contains(rows, "| `"+m.agent.Name+"`"),
			"no row in docs/%s: go test ./internal/agent -run Page -update writes it",
			page.name,
		)
		if variable := m.agent.Home.Variable; page.name == "connect.md" && variable != "" {
			m.need(
				strings.Contains(string(raw), "`"+variable+"`"),
				"docs/connect.md does not name %s among the variables that move files",
				variable,
			)
		}
	}
}

// world returns a machine on which no agent is installed.
func (m *missing) world() settings.Env {
	project := m.t.TempDir()
	return settings.Env{
		Home:    m.t.TempDir(),
		Project: project,
		Backups: filepath.Join(project, "backups"),
		Getenv:  func(string) string { return "" },
	}
}

// For an agent with only a name, every missing part is reported.
func TestEverythingThatAnAgentLacksIsReported(t *testing.T) {
	got := lacks(t, &agent.Agent{Name: "made-up"})
	for _, want := range []string{
		"no file of its own: write internal/agent/made_up.go",
		"not listed: enter it in All of internal/agent/agent.go",
		"no title: set Title in internal/agent/made_up.go",
		"no folder of settings: set Home in internal/agent/made_up.go",
		"no installer: set Hooks, or NoHooks to the reason why it has none, in internal/agent/made_up.go",
		"no dialect: write internal/hook/made_up.go and enter it in dialects of internal/hook/agent.go",
		"no transcript: write internal/hook/testdata/made-up.txtar",
		"no guess: no payload of internal/hook/testdata/made-up.txtar is guessed as made-up; enter a case in internal/hook/guess.go",
		"no sign that it is on a machine: set Programs, Editors or Signs in internal/agent/made_up.go",
		"no tools of its own: set Tools in internal/agent/made_up.go",
		"no list of MCP servers: set Servers, or NoServers to the reason why it has none, in internal/agent/made_up.go",
		"no row in docs/hooks.md: go test ./internal/agent -run Page -update writes it",
		"no row in docs/connect.md: go test ./internal/agent -run Page -update writes it",
		"no row in docs/import.md: go test ./internal/agent -run Page -update writes it",
	} {
		i := slices.IndexFunc(got, func(have string) bool { return strings.HasPrefix(have, want) })
		if i < 0 {
			t.Errorf("it is not told: %s", want)
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, more := range got {
		t.Errorf("it is also told: %s", more)
	}
}

// For an agent that lacks one thing, only that is reported.
func TestOneThingThatAnAgentLacksIsReported(t *testing.T) {
	for _, c := range []struct {
		name string
		take func(a *agent.Agent)
		want string
	}{
		{"nothing", func(*agent.Agent) {}, ""},
		{"hooks", func(a *agent.Agent) { a.Hooks = nil }, "no installer: set Hooks"},
		{
			"files of hooks",
			func(a *agent.Agent) { a.Hooks.Files = nil },
			"no file for the user's hooks: set Hooks.Files",
		},
		{"format", func(a *agent.Agent) { a.Hooks.Format = "" }, "no format of its hooks: set Hooks.Format"},
		{
			"events",
			func(a *agent.Agent) { a.Hooks.Events = nil },
			"no events that its hooks are installed for: set Hooks.Events",
		},
		{"event before", func(a *agent.Agent) { a.Hooks.Events = a.Hooks.Events[1:] }, "no event before a tool"},
		{
			"known event",
			func(a *agent.Agent) { a.Hooks.Events[1].Name = "X" },
			"the event X is installed, and internal/hook/codex.go does not know it",
		},
		{
			"true asks",
			func(a *agent.Agent) { a.Hooks.Asks = "you are asked" },
			"Hooks.Asks in internal/agent/codex.go says",
		},
		{"asks", func(a *agent.Agent) { a.Hooks.Asks = "" }, "no word about what happens to a call"},
		{"folder hint", func(a *agent.Agent) { a.Hooks.FolderHint = "" }, "Hooks.FolderHint in internal/agent/codex.go is"},
		{"tools", func(a *agent.Agent) { a.Tools = agent.Tools{} }, "no tools of its own: set Tools"},
		{"tool", func(a *agent.Agent) { a.Tools.Reads = []string{"Bash"} }, "the tool Bash is in Tools.Reads"},
		{"servers", func(a *agent.Agent) { a.Servers = nil }, "no list of MCP servers: set Servers"},
		{
			"files of servers",
			func(a *agent.Agent) { a.Servers.Files = nil },
			"no file with the user's MCP servers: set Servers.Files",
		},
		{
			"variables",
			func(a *agent.Agent) { a.Servers.Variables = "" },
			"no word about variables in values: set Servers.Variables",
		},
		{
			"next",
			func(a *agent.Agent) { a.Servers.Next = "" },
			"no word about what makes it read its servers anew: set Servers.Next",
		},
		{"variable", func(a *agent.Agent) { a.Home.Variable = "X_HOME" }, "docs/connect.md does not name X_HOME"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := clone(agent.Codex)
			c.take(a)
			got := lacks(t, a)
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) == 0 || !strings.HasPrefix(got[0], c.want)) {
				t.Errorf("it is told %q, want %q", got, c.want)
			}
		})
	}
}

// clone returns a copy of an agent that the test can change.
func clone(name string) *agent.Agent {
	known, _ := agent.Named(name)
	a := *known
	hooks := *a.Hooks
	hooks.Events = slices.Clone(hooks.Events)
	servers := *a.Servers
	a.Hooks = &hooks
	a.Servers = &servers
	return &a
}
