package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/home"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/text"
)

// forges maps words of server names to public hosts of repositories.
var forges = map[string]string{
	"github":    "github.com",
	"gitlab":    "gitlab.com",
	"bitbucket": "bitbucket.org",
}

// Parameters that together name a place, and parameters that name an account.
var (
	repositoryFields = []string{"repo", "repository", "repo_name", "reponame", "project", "project_id", "projectid", "repo_slug"}
	ownerFields      = []string{"owner", "org", "organization", "organisation", "namespace", "group"}
	workspaceFields  = []string{"workspace", "workspace_id", "workspaceid", "team", "team_id", "teamid", "tenant", "tenant_id"}
	accountFields    = []string{"user", "username", "login", "assignee", "assignees", "reviewer", "reviewers", "member"}
)

// belongings says which place a call writes to, as its arguments name it.
type belongings struct {
	owner, repository string
	workspace         string
}

// belongings reads the place from the arguments of a call.
func (p *texts) belongings() belongings {
	var b belongings
	for _, part := range p.args.Doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		name := strings.ToLower(p.args.Doc.Field(part))
		for _, f := range []struct {
			names []string
			into  *string
		}{{repositoryFields, &b.repository}, {ownerFields, &b.owner}, {workspaceFields, &b.workspace}} {
			if !slices.Contains(f.names, name) {
				continue
			}
			if *f.into != "" && *f.into != part.Text {
				*f.into = " " // two different places: neither is known to be home
				continue
			}
			*f.into = part.Text
		}
	}
	return b
}

// isHome reports whether a destination belongs to the user's own organisation: by its host or domain, or because home
// contains it as a repository, an owner of repositories, an account or a workspace.
func (p *texts) isHome(d mcpproxy.Destination) bool {
	domains, own := p.by.Classifier.InternalDomains, p.by.Home
	switch d.Kind {
	case "email":
		return domains.Email(d.Value) || own.Address(d.Value)
	case "url", "host":
		host, path := locate.Split(d.Value)
		return own.Host(host) || p.homeRepository(host, path)
	case "repository":
		return p.homePath(d.Value)
	case "name":
		return p.homeName(d)
	case "channel":
		at := p.belongings().workspace
		return at != "" && own.Account(home.Workspace, at)
	}
	return false
}

// homeRepository reports whether a path at a host is in a repository of home.
func (p *texts) homeRepository(host, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	elements := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(elements) < 2 || strings.ContainsAny(path, `%\`) || slices.Contains(elements, "..") {
		return false // a server may interpret the path differently
	}
	if host == "api.github.com" && elements[0] == "repos" && len(elements) > 2 {
		elements = elements[1:]
	}
	return !strings.Contains(host, ":") && p.by.Home.Repository(host, elements[0], elements[1])
}

// homePath reports whether an owner and a repository, with or without their host, are home.
func (p *texts) homePath(path string) bool {
	elements := strings.Split(strings.Trim(path, "/"), "/")
	if len(elements) > 2 && strings.Contains(elements[0], ".") {
		return p.homeRepository(elements[0], strings.Join(elements[1:], "/"))
	}
	return len(elements) == 2 && p.by.Home.Repository("", elements[0], elements[1])
}

// homeName reports whether the name in a parameter is home, together with the other names that identify the place.
func (p *texts) homeName(d mcpproxy.Destination) bool {
	field := d.Path[strings.LastIndexByte(d.Path, '.')+1:]
	field, _, _ = strings.Cut(strings.ToLower(field), "[")
	b := p.belongings()
	switch {
	case slices.Contains(repositoryFields, field), slices.Contains(ownerFields, field):
		if owner, rest, ok := strings.Cut(b.repository, "/"); ok && (b.owner == "" || strings.EqualFold(b.owner, owner)) {
			b.owner, b.repository = owner, rest
		}
		return b.owner != "" && p.homePlace(b.owner, b.repository)
	case slices.Contains(accountFields, field):
		return p.by.Home.Account(home.Account, d.Value)
	}
	return false
}

// homePlace reports whether an owner or the owner's repository is home at the host that the name of the called server
// stands for. A server with another name can be at any host.
func (p *texts) homePlace(owner, repository string) bool {
	own := p.by.Home
	if !own.Repository("", owner, repository) {
		return false
	}
	known := ""
	for _, w := range classify.Tokens(p.call.Server) {
		if forges[w] != "" {
			known = forges[w]
		}
	}
	if known == "" || own.Repository(known, owner, repository) {
		return true
	}
	for _, host := range forges { // home has that name at another public forge
		if own.Repository(host, owner, repository) {
			return false
		}
	}
	return true
}

// homeRemote returns the repository of home that a command line addresses at a host. ok is false if the line names
// anything else at the host.
func (in *Inspector) homeRemote(line, host string) (place string, ok bool) {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&<>()", r) }) {
		if !strings.Contains(strings.ToLower(word), strings.ToLower(host)) {
			continue
		}
		e, remote := home.FromRemote(word)
		if !remote || strings.ContainsAny(word, "?#%") || place != "" && place != e.Value {
			return "", false
		}
		place = e.Value
	}
	at, path, _ := strings.Cut(place, "/")
	elements := strings.Split(path, "/")
	if len(elements) < 2 || !in.Home.Repository(at, elements[0], elements[1]) {
		return "", false
	}
	return place, true
}
