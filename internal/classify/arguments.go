package classify

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mcpproxy"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/text"
)

// Arguments lists what the arguments of a call show. They are what is sent, so they are more reliable than the claims
// of the agent and of the server (RFC-004).
type Arguments struct {
	Destructive []Reason   // what makes the call destructive, whatever the tool's name is
	Forceful    []Reason   // switches that a call that only reads does not need: force=true
	Writes      []Reason   // what makes the call a write
	External    []Endpoint // URLs of hosts outside the internal domains
}

// Reason is one observation about the arguments. It contains no user data, only words of a query language, switches,
// methods and system folders.
type Reason struct {
	Kind     string // sql, method, action, flag or path
	Path     string // JSON path
	Evidence string
}

// Endpoint is a URL of a host outside the internal domains.
type Endpoint struct {
	Host    string
	Path    string // JSON path
	Carries string // how the call sends data to it; "" if the call only names it

	members []string // the names of the members around the URL, from the outermost
}

// maxReasons is the maximum length of each list.
const maxReasons = 20

// Names of parameters that say what a call does.
var (
	queryParams  = words("sql query queries statement statements stmt sql_query querytext query_text")
	methodParams = words("method http_method httpmethod request_method requestmethod verb")
	actionParams = words("action operation op mode command subcommand")
	pathParams   = words("path paths file files file_path filepath filename directory dir folder target targets")

	// forceful lists switches that a call that only reads does not need.
	forceful = words(
		"force forced hard purge overwrite permanent permanently hard_delete hardreset hard_reset drop wipe destroy truncate delete remove erase",
	)
	ruining  = words("delete purge wipe destroy erase")          // first words of destructive switches
	rehearse = words("dry_run dryrun dry preview simulate noop") // switches for a dry run
	deepens  = words("recursive recurse")                        // switches that count only together with a destructive operation
	freshens = words("cache cached caches refresh reload refetch fresh stale bypass re-fetch revalidate up-to-date")
)

// Arguments reads the arguments of a call of tool. It calls show on names and hosts, which masks the secrets in them.
func (c *Classifier) Arguments(
	tool string,
	def *mcpproxy.Tool,
	doc *text.Document,
	show func(string) string,
) *Arguments {
	return c.Read(subject(tool, def), doc, show)
}

// Read is [Classifier.Arguments] for a tool that [Describe] has described.
func (c *Classifier) Read(s *Subject, doc *text.Document, show func(string) string) *Arguments {
	a := &argumentReader{
		Arguments: &Arguments{},
		of:        s,
		doc:       doc,
		show:      show,
		path:      doc.Paths(show),
		domains:   c.InternalDomains,
	}
	for _, p := range doc.Parts {
		if p.Kind == text.Value && !p.Opened() {
			a.value(p)
		}
	}
	a.flags()
	a.hands()
	return a.Arguments
}

// argumentReader collects observations about the arguments of one call.
type argumentReader struct {
	*Arguments
	of      *Subject
	doc     *text.Document
	show    func(string) string
	path    func(text.Part) string
	domains locate.Domains

	folders []Reason            // paths of system folders, which count if the call deletes
	split   map[string][]string // names of members, split into tokens
}

// words returns the tokens of a member's name. The result is cached, because rows of data repeat the same names.
func (a *argumentReader) words(name string) []string {
	tokens, ok := a.of.split[name]
	if !ok {
		tokens, ok = a.split[name]
	}
	if !ok {
		if a.split == nil {
			a.split = map[string][]string{}
		}
		tokens = Tokens(name)
		a.split[name] = tokens
	}
	return tokens
}

func add[T any](list *[]T, one T) {
	if len(*list) < maxReasons {
		*list = append(*list, one)
	}
}

// value reads one string of the arguments.
func (a *argumentReader) value(p text.Part) {
	name := strings.ToLower(a.doc.Field(p))
	switch {
	case queryParams.has(name):
		a.query(p)
	case methodParams.has(name):
		a.method(p)
	case actionParams.has(name):
		a.action(p, name)
	case pathParams.has(name) && precious(p.Text):
		add(&a.folders, Reason{"path", a.path(p), name + "=" + strings.TrimSpace(p.Text)})
	}
	a.url(p)
}

// query reads a string as a statement of a query language. It ignores the search terms of a web or text search,
// whatever they contain.
func (a *argumentReader) query(p text.Part) {
	if strings.ToLower(a.doc.Field(p)) == "query" && searches.in(a.of.Words) && !stores.in(a.of.Words) {
		return
	}
	st := readStatement(p.Text)
	if st.destroys != "" {
		add(&a.Destructive, Reason{"sql", a.path(p), st.destroys})
	}
	if st.writes != "" {
		add(&a.Writes, Reason{"sql", a.path(p), st.writes})
	}
}

// Words in names of tools that search, and words which say that such a tool searches a database.
var (
	searches = words("search find lookup grep web browse ask")
	stores   = words(
		"sql db database postgres postgresql mysql sqlite mongo mongodb redis table tables warehouse bigquery snowflake",
	)
)

func (a *argumentReader) method(p text.Part) {
	switch m := strings.ToUpper(strings.TrimSpace(p.Text)); m {
	case "DELETE":
		add(&a.Destructive, Reason{"method", a.path(p), "method=" + m})
	case "POST", "PUT", "PATCH":
		add(&a.Writes, Reason{"method", a.path(p), "method=" + m})
	}
}

// action reads a parameter that selects what a tool does, such as action=delete.
func (a *argumentReader) action(p text.Part, name string) {
	if len(p.Text) > 40 || strings.ContainsAny(p.Text, " \n") {
		return
	}
	tokens := unglued(Tokens(p.Text))
	if len(tokens) == 0 || len(tokens) > 3 {
		return
	}
	switch verb := tokens[0]; {
	case byName(tokens) == mcpproxy.Destructive &&
		(destructiveWords.has(verb) || destructiveWords.has(tokens[len(tokens)-1])):
		add(&a.Destructive, Reason{"action", a.path(p), name + "=" + strings.Join(tokens, "_")})
	case plainWrites.has(verb):
		add(&a.Writes, Reason{"action", a.path(p), name + "=" + strings.Join(tokens, "_")})
	}
}

// flags reads the switches that are on.
func (a *argumentReader) flags() {
	var on, deep []Reason
	for _, p := range slices.Concat(a.doc.Flags, a.switches()) {
		name := a.doc.Field(p)
		if len(name) > 60 {
			continue
		}
		tokens := a.words(name)
		joined := strings.Join(tokens, "_")
		reason := func() Reason { return Reason{"flag", a.path(p), joined + "=true"} }
		switch {
		case len(tokens) == 0:
		case rehearse.has(joined):
			return
		case deepens.has(joined):
			add(&deep, reason())
		case (forceful.has(joined) || ruining.has(tokens[0]) && len(tokens) <= 3) &&
			!freshens.in(described(a.of.def, name)):
			add(&on, reason())
		}
	}
	a.Forceful = on
	if destroys := byName(unglued(a.of.Words)) == mcpproxy.Destructive; destroys || len(a.Destructive)+len(on) > 0 {
		for _, r := range append(deep, a.folders...) {
			add(&a.Forceful, r)
		}
	}
}

// switches returns the strings that mean "on": true, yes, on and 1.
func (a *argumentReader) switches() []text.Part {
	var out []text.Part
	for _, p := range a.doc.Parts {
		if p.Kind == text.Value && len(p.Text) <= 4 &&
			slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(p.Text)) {
			out = append(out, p)
		}
	}
	return out
}

// described returns the words of the description of a parameter, or nil without a description.
func described(def *mcpproxy.Tool, param string) []string {
	if def == nil || len(def.InputSchema) == 0 {
		return nil
	}
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	if json.Unmarshal(def.InputSchema, &schema) != nil {
		return nil
	}
	return strings.FieldsFunc(
		strings.ToLower(schema.Properties[param].Description),
		func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' },
	)
}

// systemFolders lists folders that a call must not delete. Their parent folders are as precious.
var systemFolders = words(
	"/bin /boot /dev /etc /home /lib /opt /proc /root /sbin /sys /usr /var /system /library /applications /users /windows /programdata",
	"~/.ssh ~/.aws ~/.config ~/.gnupg",
)

// precious reports whether a path is a whole disk, the user's home or a system folder.
func precious(s string) bool {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
	if len(s) > 2 && s[1] == ':' || len(s) == 2 && s[1] == ':' && s[0] >= 'a' && s[0] <= 'z' {
		s = s[2:] + "/"
	}
	for _, whole := range []string{"$home", "${home}", "%userprofile%"} {
		if rest, ok := strings.CutPrefix(s, whole); ok {
			s = "~" + rest
		}
	}
	s = strings.TrimSuffix(s, "*")
	if s == "" {
		return false
	}
	s = path.Clean(s)
	return s == "/" || s == "~" || systemFolders.has(s)
}

// String returns the reason for use in a message: "drop table (at arguments.sql)".
func (r Reason) String() string { return fmt.Sprintf("%s (at %s)", r.Evidence, r.Path) }
