package shell

import (
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// followed lists the languages in which the package follows data from statement to statement.
var followed = words(
	"python python2 python3 pypy pypy3 ipython pytest node nodejs ts-node tsx bun deno ruby jruby go",
)

// minStatements is the number of statements from which code may read one file and send something unrelated to it.
// Shorter code counts as sending all that it reads.
const minStatements = 3

var (
	identifiers = lazyregexp.New(`[A-Za-z_]\w*`)
	strings1    = lazyregexp.New(`"(?:[^"\\\n{]|\\.)*"|'(?:[^'\\\n{]|\\.)*'`)
	// binds matches statements other than assignments that give a name to what they read.
	binds = lazyregexp.NewFiltered(
		`\bas\s+(\w+)|\bfor\s*\(?\s*(?:const|let|var)?\s*([\w, \[\]()]+?)\s+(?:in|of)\b|\(?([\w, ]+)\)?\s*=>|\|([\w, ]+)\||` +
			`\bfunction\s*\w*\s*\(([^)]*)\)`,
	)
	// grows matches methods that add their argument to an object.
	grows   = lazyregexp.NewFiltered(`([A-Za-z_]\w*)(?:\[[^\]]*\])?\.(?:append|push|add|update|extend|insert|set|write|put|unshift|concat|setdefault|Write\w*|send)\s*\(`)
	defines = lazyregexp.NewFiltered(`\b(?:def|function|func|async)\s+(?:\(\s*\w+\s+\*?\w+\s*\)\s*)?(\w+)\s*\(([^)]*)|^\s*(?:const|let|var)?\s*(\w+)\s*=\s*(?:async\s*)?(?:lambda\s+([\w, ]*)|\(?([\w, ]*)\)?\s*=>)`)
	sinks   = lazyregexp.NewFiltered(
		`(?i)\.(?:post|put|patch|delete|get|head|options|request|do|send\w*|upload\w*|emit|publish|urlopen|open|connect|stor\w+|execute|create|invoke)\s*\(`,
	)
	// dark matches code whose names do not show where data goes.
	dark = lazyregexp.NewFiltered(`\b(?:eval|exec|globals|locals|setattr|__import__|vars|compile|Function|instance_eval|binding|importlib|getattr|Proxy|Reflect)\b\s*\(?`)
	// telling matches file names that suggest a secret.
	telling = lazyregexp.NewFiltered(
		`(?i)\.env|secret|credential|passw|token|key|\.ssh|\.aws|\.kube|\.gnupg|id_(?:rsa|ed|ec|dsa)|\.pem|\.p12|\.pfx|netrc|npmrc|pypirc|pgpass|_history|shadow|cookie|wallet|\.docker|gcloud|login|vault|^/etc/|^/proc/|\*`,
	)
)

// keywords lists words that are not names of variables.
var keywords = words(
	"self this const let var await async return yield if else elif for while in of not and or is as with import from " +
		"True False None true false null nil def class function func print str int len json f r b",
)

// statement says what one statement does with data.
type statement struct {
	names    []string // the names that it uses but does not set
	sets     []string // the names to which it assigns a value
	reads    bool     // it reads something on this machine
	sends    bool     // it sends something to others
	returns  bool
	function string // the function that contains it
}

// maxRounds bounds how often the set of tainted names is extended.
const maxRounds = 12

// unrelated reports whether the code that sends uses no name whose value comes from the code that reads.
func unrelated(language, code string) bool {
	if !followed()[language] || dark.MatchString(code) {
		return false
	}
	lines := statements(code)
	if len(lines) < minStatements {
		return false
	}
	params := map[string][]string{}
	list := make([]statement, len(lines))
	function := ""
	for i, s := range lines {
		for _, f := range defines.FindAllStringSubmatch(s, maxSources) {
			function = f[1] + f[3]
			params[function] = append(params[function], namesIn(f[2]+f[4]+f[5])...)
		}
		list[i] = understood(s, function)
	}
	tainted := map[string]bool{}
	for range maxRounds {
		before := len(tainted)
		for i := range list {
			list[i].spread(params, tainted)
		}
		if len(tainted) == before {
			return !slices.ContainsFunc(list, func(s statement) bool {
				return s.sends && (s.reads || s.mentions(tainted))
			})
		}
	}
	return false
}

// understood analyses one statement.
func understood(s, function string) statement {
	left, right := assigned(s)
	trimmed := strings.TrimSpace(s)
	out := statement{
		names:    identifiers().FindAllString(strings1().ReplaceAllString(right, `""`), -1),
		sets:     namesIn(left),
		reads:    readsHere(s),
		sends:    sinks.MatchString(s) || netWords.MatchString(s),
		returns:  strings.HasPrefix(trimmed, "return") || strings.HasPrefix(trimmed, "yield"),
		function: function,
	}
	for _, b := range binds.FindAllStringSubmatch(s, maxSources) {
		out.sets = append(out.sets, namesIn(strings.Join(b[1:], " "))...)
	}
	for _, g := range grows.FindAllStringSubmatch(s, maxSources) {
		if !keywords()[g[1]] {
			out.sets = append(out.sets, g[1])
		}
	}
	return out
}

func (s *statement) mentions(tainted map[string]bool) bool {
	return slices.ContainsFunc(s.names, func(n string) bool { return tainted[n] })
}

// spread adds to tainted the names that hold data that the statement reads, or values computed from it.
func (s *statement) spread(params map[string][]string, tainted map[string]bool) {
	if !s.reads && !s.mentions(tainted) {
		return
	}
	for _, name := range s.sets {
		tainted[name] = true
	}
	for _, name := range s.names {
		for _, p := range params[name] {
			tainted[p] = true
		}
	}
	if s.returns && s.function != "" {
		tainted[s.function] = true
	}
}

// readsHere reports whether a statement reads something on this machine.
func readsHere(s string) bool {
	if envWords.MatchString(s) || shellOut.MatchString(s) {
		return true
	}
	return !strings.HasPrefix(strings.TrimSpace(s), "import") &&
		slices.ContainsFunc(pathCalls.FindAllStringSubmatch(s, maxSources), func(call []string) bool {
			return call[2] == "" && !strings.HasPrefix(strings.ToLower(call[0]), "require")
		})
}

// assigned splits an assignment into its target and its value.
func assigned(s string) (left, right string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '"', '\'', '`', '#':
			return "", s
		case '=':
			next := byte(' ')
			if i+1 < len(s) {
				next = s[i+1]
			}
			if depth == 0 && next != '=' && next != '>' && (i == 0 || strings.IndexByte("=!<>", s[i-1]) < 0) {
				return s[:i], s[i+1:]
			}
		}
	}
	return "", s
}

// namesIn returns the names in a piece of code.
func namesIn(s string) []string {
	return slices.DeleteFunc(identifiers().FindAllString(s, maxSources), func(n string) bool { return keywords()[n] })
}

// statements returns the statements of code. A statement is a line, together with the following lines while a bracket
// is open.
func statements(code string) []string {
	var out []string
	var b strings.Builder
	depth := 0
	for line := range strings.Lines(code) {
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "//") {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
		bare := strings1().ReplaceAllString(line, "")
		for i := range len(bare) {
			switch bare[i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth = max(depth-1, 0)
			}
		}
		if opens := strings.HasSuffix(trimmed, "=> {") || strings.HasSuffix(trimmed, ") {"); depth == 0 || opens {
			depth = 0
			out = append(out, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// onlyTelling returns the sources that count as sent even if unrelated code reads them: secrets, and files whose names
// suggest a secret.
func onlyTelling(data []Source) []Source {
	return slices.DeleteFunc(slices.Clone(data), func(s Source) bool {
		return !s.Secret && s.Kind != remote && (s.Kind != File || !telling.MatchString(s.Name))
	})
}

var (
	// envNames returns the variables that code reads by name.
	envNames = lazyregexp.NewFiltered(
		`(?:\bos\.environ(?:\.get)?\s*[\[(]\s*|\bgetenv\s*\(\s*|process\.env(?:\.|\[\s*)|\bENV(?:\.fetch)?\s*[\[(]\s*|\$_ENV\[\s*|System\.getenv\(\s*|Deno\.env\.get\(\s*|\$ENV\{\s*)["']?([A-Za-z_]\w*)`,
	)
	// proving matches code that authenticates a request.
	proving = lazyregexp.NewFiltered(`(?i)authorization|bearer|\bheaders?\b|x-api-key|api[_-]?key|\bauth\s*=|client\s*=|\bClient\(|access_token`)
)

// environs returns the environment variables that code reads, or the whole environment.
func (m *machine) environs(code string) []Source {
	uses := envWords.FindAllStringIndex(code, maxReads)
	if len(uses) == 0 {
		return nil
	}
	var out []Source
	named := envNames.FindAllStringSubmatch(code, maxReads)
	if len(named) < len(uses) {
		return m.reads(environment).data
	}
	for _, n := range named {
		if !quietVariables()[n[1]] {
			out = union(out, m.reads(variable(n[1])).data)
		}
	}
	return out
}

// withoutOwn returns the sources that code sends to e, without e's own keys. A variable named after the host is the
// host's key: it proves who sends the request.
func withoutOwn(e Endpoint, data []Source, code string) []Source {
	if !proving.MatchString(code) {
		return data
	}
	var out []Source
	for _, s := range data {
		if s.Kind == Variable && e.atHome(s) {
			continue
		}
		if s.Kind == Variable && e.Kind == "host" && s.IsNamedFor(e.Value) {
			s.Secret = s.Secret && e.foreign(s)
			s.Proves = true
		}
		out = append(out, s)
	}
	return out
}

// remarks matches lines that are comments.
var remarks = lazyregexp.New(`(?m)^\s*(?:#|//|\*|/\*).*$`)

// quotedHost matches a host between quotes.
var quotedHost = lazyregexp.New(
	"[\"'`]((?:[a-zA-Z0-9-]+\\.)+[a-zA-Z]{2,}|(?:\\d{1,3}\\.){3}\\d{1,3})(?::\\d+)?[\"'`]",
)

// hostNames returns the hosts that a program names. In a program of several lines, only hosts between quotes and
// outside comments count.
func hostNames(language, code string) []Endpoint {
	if !followed()[language] || strings.Count(code, "\n") < minStatements {
		return addressed(code, hostArg())
	}
	return addressed(remarks().ReplaceAllString(code, ""), quotedHost())
}
