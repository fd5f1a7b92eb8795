package shell

import (
	"slices"
	"strconv"
	"strings"
)

// gitRuns lists the settings of git whose values are command lines.
var gitRuns = words(
	"core.sshcommand core.pager core.editor core.fsmonitor core.askpass core.gitproxy diff.external sequence.editor gpg.program",
)

// gitSettings applies the settings for one run of git: from -c and from the environment.
func (m *machine) gitSettings(args []value) {
	for i, a := range args[:max(len(args)-1, 0)] {
		if a.text == "-c" || a.text == "--config" {
			key, v, _ := strings.Cut(args[i+1].text, "=")
			m.gitSet(key, v)
		}
	}
	for i := range maxTurns {
		key, v := m.vars["GIT_CONFIG_KEY_"+strconv.Itoa(i)], m.vars["GIT_CONFIG_VALUE_"+strconv.Itoa(i)]
		if len(key) > 0 && len(v) > 0 {
			m.gitSet(key[0].text, v[0].text)
		}
	}
	if v := m.vars["GIT_SSH_COMMAND"]; len(v) > 0 {
		m.gitSet("core.sshCommand", v[0].text)
	}
}

// gitSet applies one setting. Settings can redirect remotes and run programs.
func (m *machine) gitSet(key, v string) {
	lower := strings.ToLower(key)
	section, rest, _ := strings.Cut(key, ".")
	name, last := rest, ""
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		name, last = rest[:i], strings.ToLower(rest[i+1:])
	}
	switch {
	case strings.HasPrefix(v, "!"): // an alias, or a credential helper
		m.script(v[1:], value{})
	case gitRuns()[lower]:
		m.script(v, value{})
	case strings.EqualFold(section, "remote") && (last == "url" || last == "pushurl"):
		m.gitRemote(name, v)
	case lower == "remote.pushdefault" || strings.EqualFold(section, "branch") && strings.HasSuffix(last, "remote"):
		if e, ok := remotePath(v); ok && !e.Configured {
			m.gitRemote("origin", v)
		}
	case len(m.rewritten) >= maxSources:
	case strings.EqualFold(section, "url") && strings.HasSuffix(last, "insteadof"):
		m.rewritten = append(m.rewritten, [2]string{v, name})
	case lower == "http.proxy":
		m.rewritten = append(m.rewritten, [2]string{"", v})
	}
}

// commits records the secrets that a commit or a tag contains. If the program pushes, it sends the secrets recorded so
// far.
func (d *doing) commits() {
	switch {
	case d.row.marks["commits"]:
		secret := slices.Clone(d.given.data)
		d.m.committed = union(d.m.committed, slices.DeleteFunc(secret, func(s Source) bool { return !s.Secret }))
	case d.row.name == "git push":
		d.given.data = union(d.given.data, d.m.committed)
	}
}

// gitRemote sets the URL of a remote.
func (m *machine) gitRemote(name, url string) {
	m.remotes[name] = url
	if e, ok := m.remote(url); ok {
		m.fetch(e)
	}
}

// rewrite returns the URL of a remote after git's settings have rewritten it. If only the name of the remote is known,
// every rewritten URL may be its URL.
func (m *machine) rewrite(url string) string {
	for _, r := range m.rewritten {
		if rest, ok := strings.CutPrefix(url, r[0]); ok && strings.Contains(url, ":") {
			return r[1] + rest
		}
		if !strings.ContainsAny(url, "/:.") {
			return r[1]
		}
	}
	return url
}

// gitConfig implements git config KEY VALUE.
func gitConfig(m *machine, args []value, _ value) value {
	var plain []string
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-"):
		case i > 0 && (args[i-1].text == "-f" || args[i-1].text == "--file" || args[i-1].text == "--type"):
		case a.text == "set" && len(plain) == 0:
		default:
			plain = append(plain, a.text)
		}
	}
	if len(plain) == 2 {
		m.gitSet(plain[0], plain[1])
		m.setsGit(plain[0], plain[1], slices.ContainsFunc(args, func(a value) bool { return a.text == "--global" }))
		return value{}
	}
	return from(Source{Kind: Output, Name: "git config"})
}

func gitRemoteAdd(m *machine, args []value, _ value) value {
	var names []value
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			names = append(names, a)
		}
	}
	if len(names) >= 2 {
		name, url := names[len(names)-2].text, names[len(names)-1].text
		m.gitRemote(name, url)
		m.setsGit("remote."+name+".url", url, false)
	}
	return value{}
}
