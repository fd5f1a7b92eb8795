package shell

import (
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// followed are the languages whose statements are followed.
var followed = words(
	"python python2 python3 pypy pypy3 ipython pytest node nodejs ts-node tsx bun deno ruby jruby go",
)

// minStatements is from how many statements on code is long enough that a file which it reads
// need not be what it sends.
const minStatements = 3

var (
	identifiers = lazyregexp.New(`[A-Za-z_]\w*`)
	strings1    = lazyregexp.New(`"(?:[^"\\\n{]|\\.)*"|'(?:[^'\\\n{]|\\.)*'`)
	// binds are the other ways in which a statement gives names to what it reads.
	binds = lazyregexp.New(
		`\bas\s+(\w+)|\bfor\s*\(?\s*(?:const|let|var)?\s*([\w, \[\]()]+?)\s+(?:in|of)\b|\(?([\w, ]+)\)?\s*=>|\|([\w, ]+)\||` +
			`\bfunction\s*\w*\s*\(([^)]*)\)`,
	)
	// grows are the methods by which something takes up what it is given.
	grows   = lazyregexp.New(`([A-Za-z_]\w*)(?:\[[^\]]*\])?\.(?:append|push|add|update|extend|insert|set|write|put|unshift|concat|setdefault|Write\w*|send)\s*\(`)
	defines = lazyregexp.New(`\b(?:def|function|func|async)\s+(?:\(\s*\w+\s+\*?\w+\s*\)\s*)?(\w+)\s*\(([^)]*)|^\s*(?:const|let|var)?\s*(\w+)\s*=\s*(?:async\s*)?(?:lambda\s+([\w, ]*)|\(?([\w, ]*)\)?\s*=>)`)
	sinks   = lazyregexp.New(
		`(?i)\.(?:post|put|patch|delete|get|head|options|request|do|send\w*|upload\w*|emit|publish|urlopen|open|connect|stor\w+|execute|create|invoke)\s*\(`,
	)
	// dark is code whose names say nothing about what moves where.
	dark = lazyregexp.New(`\b(?:eval|exec|globals|locals|setattr|__import__|vars|compile|Function|instance_eval|binding|importlib|getattr|Proxy|Reflect)\b\s*\(?`)
	// telling are the names of files that may be secret.
	telling = lazyregexp.New(
		`(?i)\.env|secret|credential|passw|token|key|\.ssh|\.aws|\.kube|\.gnupg|id_(?:rsa|ed|ec|dsa)|\.pem|\.p12|\.pfx|netrc|npmrc|pypirc|pgpass|_history|shadow|cookie|wallet|\.docker|gcloud|login|vault|^/etc/|^/proc/|\*`,
	)
)

// keywords are no names.
var keywords = words(
	"self this const let var await async return yield if else elif for while in of not and or is as with import from " +
		"True False None true false null nil def class function func print str int len json f r b",
)

// unrelated reports whether code that reads something and code that sends something have
// nothing to do with each other: no name leads from one to the other.
func unrelated(language, code string) bool {
	if !followed()[language] || dark().MatchString(code) {
		return false
	}
	list := statements(code)
	if len(list) < minStatements {
		return false
	}
	params := map[string][]string{}
	for _, s := range list {
		for _, f := range defines().FindAllStringSubmatch(s, maxSources) {
			name, arguments := f[1]+f[3], f[2]+f[4]+f[5]
			params[name] = append(params[name], namesIn(arguments)...)
		}
	}
	tainted := map[string]bool{}
	for range len(params) + 6 {
		before := len(tainted)
		spread(list, params, tainted)
		if len(tainted) == before {
			break
		}
	}
	for _, s := range list {
		if !sinks().MatchString(s) && !netWords().MatchString(s) {
			continue
		}
		_, right := assigned(s)
		if readsHere(s) && !strings.HasPrefix(strings.TrimSpace(s), "import") || mentions(right, tainted) {
			return false
		}
	}
	return true
}

// spread adds the names that hold what was read, or what is made of it.
func spread(list []string, params map[string][]string, tainted map[string]bool) {
	function := ""
	for _, s := range list {
		if f := defines().FindStringSubmatch(s); f != nil {
			function = f[1] + f[3]
		}
		left, right := assigned(s)
		if !readsHere(s) && !mentions(right, tainted) {
			continue
		}
		for _, name := range namesIn(left) {
			tainted[name] = true
		}
		for _, b := range binds().FindAllStringSubmatch(s, maxSources) {
			for _, name := range namesIn(strings.Join(b[1:], " ")) {
				tainted[name] = true
			}
		}
		for _, g := range grows().FindAllStringSubmatch(s, maxSources) {
			if !keywords()[g[1]] {
				tainted[g[1]] = true
			}
		}
		for _, name := range identifiers().FindAllString(right, maxReads) {
			for _, p := range params[name] {
				tainted[p] = true
			}
		}
		trimmed := strings.TrimSpace(s)
		if function != "" && (strings.HasPrefix(trimmed, "return") || strings.HasPrefix(trimmed, "yield")) {
			tainted[function] = true
		}
	}
}

// readsHere reports whether a statement reads something of this machine.
func readsHere(s string) bool {
	if envWords().MatchString(s) || shellOut().MatchString(s) {
		return true
	}
	return slices.ContainsFunc(pathCalls().FindAllStringSubmatch(s, maxSources), func(call []string) bool {
		return call[2] == "" && !netPath(call[0])
	}) && !strings.HasPrefix(strings.TrimSpace(s), "import")
}

// netPath reports whether what looks like the reading of a file is the loading of a module.
func netPath(call string) bool { return strings.HasPrefix(strings.ToLower(call), "require") }

// assigned splits a statement into what it gives a value and the rest.
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

// namesIn are the names in a piece of code.
func namesIn(s string) []string {
	return slices.DeleteFunc(identifiers().FindAllString(s, maxSources), func(n string) bool { return keywords()[n] })
}

// mentions reports whether a piece of code names something that is tainted.
func mentions(s string, tainted map[string]bool) bool {
	return len(tainted) > 0 && slices.ContainsFunc(
		identifiers().FindAllString(strings1().ReplaceAllString(s, `""`), -1),
		func(n string) bool { return tainted[n] },
	)
}

// statements are the statements of code: its lines, those joined that brackets hold together.
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

// onlyTelling are the sources that count wherever they are read: secrets, and files whose
// names say that they may hold some.
func onlyTelling(data []Source) []Source {
	return slices.DeleteFunc(slices.Clone(data), func(s Source) bool {
		return !s.Secret && s.Kind != remote && (s.Kind != File || !telling().MatchString(s.Name))
	})
}

var (
	// envNames are the variables that code reads by their names.
	envNames = lazyregexp.New(
		`(?:\bos\.environ(?:\.get)?\s*[\[(]\s*|\bgetenv\s*\(\s*|process\.env(?:\.|\[\s*)|\bENV(?:\.fetch)?\s*[\[(]\s*|\$_ENV\[\s*|System\.getenv\(\s*|Deno\.env\.get\(\s*|\$ENV\{\s*)["']?([A-Za-z_]\w*)`,
	)
	// proving is code that proves who asks.
	proving = lazyregexp.New(`(?i)authorization|bearer|\bheaders?\b|x-api-key|api[_-]?key|\bauth\s*=|client\s*=|\bClient\(|access_token`)
)

// environs are the variables of the environment that code reads, or all of it.
func (m *machine) environs(code string) []Source {
	uses := envWords().FindAllStringIndex(code, maxReads)
	if len(uses) == 0 {
		return nil
	}
	var out []Source
	named := envNames().FindAllStringSubmatch(code, maxReads)
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

// withoutOwn are the sources that code hands to e without the keys that are e's own.
func withoutOwn(e Endpoint, data []Source, code string) []Source {
	if !proving().MatchString(code) {
		return data
	}
	return slices.DeleteFunc(slices.Clone(data), func(s Source) bool { return s.Kind == Variable && e.atHome(s) })
}
