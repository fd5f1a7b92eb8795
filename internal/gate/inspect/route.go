package inspect

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/provider"
	"mcpproxy/internal/text"
)

// Words of the names of servers and tools.
var (
	// localServers store what they are given on this machine or in the user's own database.
	localServers = []string{
		"filesystem", "fs", "file", "files", "disk", "sqlite", "postgres", "postgresql", "pg", "mysql", "mariadb",
		"mongo", "mongodb", "redis", "duckdb", "sql", "mssql", "database", "db", "memory", "terminal", "shell", "bash",
		"desktop", "commander", "docker", "kubernetes", "k8s", "env", "dotenv", "local", "ide", "editor", "git",
	}
	// sharedServers store data where others can have accounts.
	sharedServers = []string{
		"github", "gitlab", "bitbucket", "gitea", "gist", "drive", "dropbox", "s3", "sharepoint", "onedrive", "box",
		"cloud", "remote", "public", "shared", "notion", "confluence", "jira", "wiki", "docs",
	}
	// storeServers are secret stores.
	storeServers = []string{
		"vault", "secrets", "secret", "secretsmanager", "secretmanager", "keyvault", "keychain", "keyring", "password",
		"passwords", "1password", "onepassword", "bitwarden", "vaultwarden", "lastpass", "keepass", "keepassxc", "doppler",
		"infisical", "credential", "credentials",
	}
	// storing are verbs of tools that put a secret into a store.
	storing = []string{
		"set", "create", "update", "put", "add", "upsert", "write", "store", "save", "replace", "rotate", "edit", "import",
		"apply", "patch",
	}
	// requesting are words of tools that send a request to the URL in their arguments.
	requesting = []string{
		"http", "https", "fetch", "request", "requests", "rest", "api", "curl", "web", "webhook", "graphql", "call", "browser",
		"navigate", "download", "webfetch", "url",
	}
	// fileMembers are parameters for files on this machine.
	fileMembers = []string{
		"path", "file_path", "filepath", "filename", "file", "notebook_path", "absolute_path", "target_file", "relative_path",
	}
	// owned are parameters that name the owner of a store.
	owned = []string{"owner", "repo", "repository", "org", "organization", "project", "project_id", "namespace", "workspace"}
)

// route says where a call sends its data.
type route struct {
	p *traced
	// audience is the call's audience for every secret, if it does not depend on the secret.
	audience mcpproxy.SecretAudience
	targets  []target
	words    []string // the words of the server's name
	path     bool     // a URL has a path at which credentials are exchanged
}

// target is one receiver of the call.
type target struct {
	host  string // "" if the receiver is not a host
	shown string
	users bool                    // a database or another system to which the user logs in
	own   mcpproxy.SecretAudience // the audience, if it holds for every secret
	by    *provider.Provider      // the provider, for a program with its own configuration; else nil
}

// route determines where the call goes.
func (p *traced) route() *route {
	r := &route{p: p, words: classify.Tokens(p.call.Server)}
	switch c := p.call; {
	case c.Kind == mcpproxy.KindTool && len(p.lines) > 0 && (c.Server == "" || r.works()):
		r.commands(p.lines)
	case c.Kind == mcpproxy.KindTool && c.Server != "" && r.works() && r.namesFile():
		r.audience = mcpproxy.SecretSelf
	case c.Server == "" && !p.class.Leaves():
		r.audience = mcpproxy.SecretSelf
	case c.Kind != mcpproxy.KindTool && c.Server != "":
		if r.local() {
			r.audience = mcpproxy.SecretSelf
		}
	case p.class.Method == mcpproxy.ByConfig && p.class.Side == mcpproxy.Internal:
		r.audience = mcpproxy.SecretSelf // the configuration says that the server is the user's own
	case r.stores():
		r.audience = mcpproxy.SecretStore
	default:
		r.calls()
	}
	return r
}

// local reports whether the server stores what it is given on this machine or in a database.
func (r *route) local() bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(r.words, func(w string) bool { return slices.Contains(list, w) })
	}
	return r.p.class.Side == mcpproxy.Internal && !r.p.class.Leaves() && has(localServers) && !has(sharedServers)
}

// works reports whether a server's tool resembles an agent's built-in tool for this machine, such as Write or
// run_command, and its server is not known for anything else.
func (r *route) works() bool {
	known := func(w string) bool {
		return slices.Contains(sharedServers, w) || provider.Of(w) != nil && !slices.Contains(localServers, w)
	}
	class := r.p.by.Classifier.AgentTool(r.p.call.Tool)
	return class.Confidence >= surely && (class.Side == mcpproxy.Internal || class.Side == mcpproxy.Hybrid) &&
		r.p.class.Side != mcpproxy.External && !slices.ContainsFunc(r.words, known)
}

// surely is the confidence of the class of a known built-in tool.
const surely = 0.95

// namesFile reports whether the arguments name a file on this machine.
func (r *route) namesFile() bool {
	doc := r.p.args.Doc
	return slices.ContainsFunc(doc.Parts, func(part text.Part) bool {
		return part.Kind == text.Value && !strings.Contains(part.Text, "://") &&
			slices.Contains(fileMembers, strings.ToLower(doc.Field(part)))
	})
}

// stores reports whether the call puts something into a secret store that does not belong to somebody else.
func (r *route) stores() bool {
	tool := r.p.words()
	has := func(words, list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	known := func(w string) bool { return provider.Of(w) != nil || slices.Contains(localServers, w) }
	wished := r.p.lineage.OfSecrets && r.p.lineage.Wish != mcpproxy.WishNo && r.p.class.Side == mcpproxy.Internal
	made := has(tool, []string{"secret", "secrets", "credential", "credentials"}) && has(tool, storing) &&
		(wished || slices.ContainsFunc(r.words, known))
	if !made && !has(r.words, storeServers) {
		return false
	}
	return !r.strangers()
}

// strangers reports whether the arguments name an owner or a repository of somebody else. The owner is the user's own
// if it is home, or if the user or an internal record has named it.
func (r *route) strangers() bool {
	doc := r.p.args.Doc
	owner, repo := "", ""
	for _, part := range doc.Parts {
		name := strings.ToLower(doc.Field(part))
		if part.Kind != text.Value || part.Opened() || !slices.Contains(owned, name) ||
			name == "namespace" && !r.isShared() { // the namespace of a Kubernetes cluster
			continue
		}
		switch name {
		case "repo", "repository", "project", "project_id":
			repo = part.Text
		default:
			owner = part.Text
		}
	}
	if owner == "" && repo == "" {
		return false
	}
	if before, after, ok := strings.Cut(repo, "/"); ok && owner == "" {
		owner, repo = before, after
	}
	if r.p.by.Home.Repository("", owner, repo) {
		return false
	}
	named := 0
	for _, d := range r.p.lineage.Destinations {
		field := strings.ToLower(d.Path[strings.LastIndexByte(d.Path, '.')+1:])
		if !slices.Contains(owned, field) {
			continue
		}
		if d.Source != mcpproxy.FromUser && d.Source != mcpproxy.FromInternal {
			return true
		}
		named++
	}
	return named == 0
}

// isShared reports whether the server is known as a place where others can have accounts.
func (r *route) isShared() bool {
	return slices.ContainsFunc(r.words, func(w string) bool { return slices.Contains(sharedServers, w) })
}

// calls adds the hosts in the arguments of a tool call, and its server.
func (r *route) calls() {
	p := r.p
	tool := slices.Concat(p.words(), r.words)
	requests := p.call.Server == "" ||
		slices.ContainsFunc(tool, func(w string) bool { return slices.Contains(requesting, w) })
	local := r.local()
	mask := detect.NewMasker(p.hidden).Text
	for _, part := range p.args.Doc.Parts {
		host, ok := hostIn(p.args.Doc, part)
		if !ok {
			continue
		}
		r.path = r.path || leadsToLogin(part.Text)
		t := target{host: host, shown: host}
		if len(p.hidden) > 0 && !strings.Contains(strings.ToLower(mask(part.Text)), host) { // a part of it is a secret
			t.shown = "…"
		}
		if near(part.Text, host) {
			t.own = mcpproxy.SecretSelf
		}
		r.targets = append(r.targets, t)
	}
	if p.lineage.Page != "" && len(r.targets) == 0 {
		r.targets = append(r.targets, target{host: p.lineage.Page, shown: p.lineage.Page})
		return
	}
	if len(r.targets) > 0 && (requests || local) {
		return
	}
	if local {
		r.audience = mcpproxy.SecretSelf
		return
	}
	r.targets = append(r.targets, target{shown: mask(place(p.call))})
}

// within returns the route of the statement that contains a secret, if the call is a command line and no other
// statement can receive the secret. In "ssh host check && aws iam delete-access-key --access-key-id AKIA…", for
// example, the key does not go to the host.
func (r *route) within(b *bearer) *route {
	p := r.p
	if b.doc == nil || b.doc != p.args.Doc || len(p.lines) != 1 || p.lines[0].part != b.at.Part ||
		len(p.lines[0].Writes) > 0 { // a file can configure a program
		return r
	}
	all := b.doc.Parts[b.at.Part].Text
	if b.value == "" || strings.Count(all, b.value) != 1 {
		return r
	}
	statement, ok := shell.Apart(all, b.at.Start)
	if !ok || len(statement) == len(strings.TrimSpace(all)) {
		return r
	}
	own := &route{p: p, words: r.words}
	own.commands([]line{{shell.ParseIn(statement, p.by.folder(p.call)), b.at.Part, statement}})
	program, _, _ := strings.Cut(statement, " ")
	if len(own.targets) == 0 && (b.issuer == nil || provider.Of(program) != b.issuer) {
		return r // another statement can fetch it from where this one puts it, such as the clipboard
	}
	return own
}

// commands adds the receivers of command lines.
func (r *route) commands(lines []line) {
	p := r.p
	mask := detect.NewMasker(p.hidden).Text
	opaque := false
	for _, l := range lines {
		opaque = opaque || l.Opaque
		for _, e := range l.Endpoints() {
			t := target{shown: mask(e.Value)}
			switch {
			case l.Keeps(e) && (p.by.keptAtHome(e) || r.userNamed(e.Value) || r.unopposed(e.Value)):
				t.own = mcpproxy.SecretStore
			case e.Kind == "host":
				t.host = strings.ToLower(e.Value)
			case e.Kind == "service" || e.Kind == "remote":
				t.by = provider.Variable(e.Value)
				if e.Kind == "remote" { // the host is in git's configuration
					t.by = provider.Of("github_token")
				}
			}
			r.targets = append(r.targets, t)
		}
		for _, e := range l.Connects {
			r.targets = append(r.targets, target{host: strings.ToLower(e.Value), shown: mask(e.Value), users: true})
		}
		r.path = r.path || leadsToLogin(l.text)
	}
	if len(r.targets) > 0 {
		return
	}
	if r.audience = mcpproxy.SecretSelf; opaque {
		r.audience = mcpproxy.SecretOutside
	}
}

// userNamed reports whether the user's words name a destination of the call.
func (r *route) userNamed(value string) bool {
	return slices.ContainsFunc(r.p.lineage.Destinations, func(d mcpproxy.Destination) bool {
		return d.Source == mcpproxy.FromUser && strings.EqualFold(d.Value, value)
	})
}

// maxEntrusted is the maximum number of secrets that one message may pass on; more are a list of secrets.
const maxEntrusted = 2

// unopposed reports whether no result names the store to which the user's words may send a secret. Then only the user
// or the agent itself can have chosen it.
func (r *route) unopposed(value string) bool {
	l := &r.p.lineage
	return l.OfSecrets && l.Legs.Injected == nil && (l.Wish == mcpproxy.WishYes || l.Wish == mcpproxy.WishGeneral) &&
		slices.ContainsFunc(l.Destinations, func(d mcpproxy.Destination) bool {
			return d.Source == mcpproxy.FromNowhere && strings.EqualFold(d.Value, value)
		})
}

// secret returns a secret of the call in the form for its record.
func (r *route) secret(b *bearer) mcpproxy.Secret {
	r = r.within(b)
	s := mcpproxy.Secret{
		Kind:     b.kind,
		Category: b.category,
		Evidence: b.evidence,
		Path:     b.path,
		Home:     b.home(),
		To:       r.shown(),
		Audience: r.audience,
	}
	switch {
	case r.inHistory(b):
		s.Audience = mcpproxy.SecretOutside
		s.To = append(s.To, "the history of a repository")
	case s.Audience == "":
		if s.Audience = r.weigh(b); s.Audience == mcpproxy.SecretOutside && r.entrusts(b) {
			s.Audience = mcpproxy.SecretBound
		}
	}
	return s
}

// entrusts reports whether the user passes a password on to somebody: the user's words mention one and ask for a
// message, and the user or an internal record has named all receivers of the message. This excludes keys of a
// provider. A link that opens one thing need not be mentioned, because it is made to be passed on.
func (r *route) entrusts(b *bearer) bool {
	l := &r.p.lineage
	asked := l.Wish == mcpproxy.WishYes || l.Wish == mcpproxy.WishGeneral
	shows := r.p.acted == mcpproxy.EffectSend || r.p.acted == mcpproxy.EffectCreate && b.isLink()
	if !l.OfSecrets && !b.isLink() || !asked || len(l.Owners) > maxEntrusted || !shows {
		return false
	}
	if b.issuer != nil || len(b.value) >= longLogin ||
		b.category == "private_key" || b.category == "cloud_credentials" || l.Legs.Injected != nil {
		return false
	}
	if s := l.Spelled; s != nil && s.Aims && !s.Field && !b.isLink() {
		return false // a passage of prose names the receiver
	}
	named := 0
	for _, d := range l.Destinations {
		if d.Source != mcpproxy.FromUser && d.Source != mcpproxy.FromInternal {
			return false
		}
		named++
	}
	return named > 0
}

// inHistory reports whether a command writes a secret into the message of a commit or a tag. Everybody who can read
// the repository can read it permanently.
func (r *route) inHistory(b *bearer) bool {
	if b.doc != r.p.args.Doc || b.doc == nil || len(r.p.lines) == 0 {
		return false
	}
	before := b.doc.Parts[b.at.Part].Text[:b.at.Start]
	return historyMessage().MatchString(before[max(0, len(before)-maxMessage):])
}

// historyMessage matches an unfinished message argument of git.
var historyMessage = lazyregexp.New(
	`\bgit(?:\s+-\S+(?:\s+\S+)?)*\s+(?:commit|tag|notes\s+add)\b[^;&|]*?\s(?:-\w*m|--message)[\s=]*(?:\$?'[^']*|"[^"]*|[^\s'"]*)$`,
)

// maxMessage is the number of bytes of a message that are searched.
const maxMessage = 4096

// shown returns the targets in the form for a record.
func (r *route) shown() []string {
	var out []string
	for _, t := range r.targets {
		if !slices.Contains(out, t.shown) && len(out) < maxHome {
			out = append(out, t.shown)
		}
	}
	return out
}

// weigh returns the least trusted audience among the receivers of a secret.
func (r *route) weigh(b *bearer) mcpproxy.SecretAudience {
	use := r.use(b)
	farthest := mcpproxy.SecretSelf
	for _, t := range r.targets {
		a := r.at(b, t, use)
		if slices.Index(mcpproxy.SecretAudiences(), a) > slices.Index(mcpproxy.SecretAudiences(), farthest) {
			farthest = a
		}
	}
	if len(r.targets) == 0 {
		return mcpproxy.SecretOutside
	}
	return farthest
}

// at returns the audience of a secret that is sent to one target for a given use.
func (r *route) at(b *bearer, t target, u use) mcpproxy.SecretAudience {
	home := r.p.by.Home
	switch {
	case t.own != "":
		return t.own
	case t.host == "" && t.by != nil && b.issuer != nil && (t.by == b.issuer || isForge(t.by, b.issuer)):
		if u == proves {
			return mcpproxy.SecretProvider
		}
	case t.host == "":
		if u == proves && (b.issuer.Server(r.words) || b.owner.Server != "" && b.owner.Server == r.p.call.Server) {
			return mcpproxy.SecretProvider
		}
		if u == proves && r.isLogin() && b.issuer == nil && b.category == "high_entropy" && len(b.owner.Hosts) == 0 {
			return mcpproxy.SecretBound // a password that is not known to be for another host
		}
	case b.issuer.Host(t.host):
		if u == proves || u == told && r.path {
			return mcpproxy.SecretProvider
		}
	case slices.Contains(b.owner.Hosts, t.host),
		u == proves && (r.logsIn(b, t) || r.isNamedFor(b, t) || r.opensOwn(b, t)):
		return mcpproxy.SecretBound
	case b.issuer != nil && !b.issuer.Hosted:
	case t.users && len(b.owner.Hosts) == 0 && b.category != storedSecret:
		return mcpproxy.SecretSelf // the password is not known to be for another system
	case slices.Contains(b.owner.Named, t.host), home.Host(t.host) && u == proves && strings.Contains(t.host, "."):
		return mcpproxy.SecretBound
	}
	return mcpproxy.SecretOutside
}

// isLogin reports whether the tool logs in at its own server.
func (r *route) isLogin() bool {
	return slices.ContainsFunc(r.p.words(), func(w string) bool {
		switch w {
		case "login", "logon", "signin", "authenticate", "auth":
			return true
		}
		return false
	})
}

// logins are kinds of secrets that only their position identifies: a name and a password with which a request logs in
// at its host.
var logins = []string{"curl_auth_user", "url_credentials", "command_password_option", "basic_auth_header", "database_cli_password"}

// longLogin is the length of a name and a password, in bytes, from which they are probably a key and not typed by a
// person.
const longLogin = 40

// logsIn reports whether a secret is a login that no result contained. The agent has it from the user or guesses it,
// and it is used at the host for which it is made, unless an outsider's text names that host.
func (r *route) logsIn(b *bearer, t target) bool {
	if b.issuer != nil || !slices.Contains(logins, b.kind) || len(b.value) >= longLogin || b.owner.Server != "" ||
		len(b.owner.Hosts) > 0 || slices.ContainsFunc(r.p.lineage.Edges, movesSecret) {
		return false
	}
	return !r.isStrangers(t)
}

// isStrangers reports whether a text that outsiders may have written names the host.
func (r *route) isStrangers(t target) bool {
	return slices.ContainsFunc(r.p.lineage.Destinations, func(d mcpproxy.Destination) bool {
		host, _ := locate.Split(d.Value)
		return d.Source.Rank() > mcpproxy.FromNowhere.Rank() && (host == t.host || d.Value == t.host)
	})
}

// isNamedFor reports whether a secret has the name of the host's owner, such as the token of [hetzner-dns] at
// dns.hetzner.com, and no result has named the host: an attacker can register a site and have a ticket name it.
func (r *route) isNamedFor(b *bearer, t target) bool {
	if len(b.owner.Service) == 0 || b.issuer != nil && !b.issuer.Hosted {
		return false
	}
	suffix, known := publicsuffix.PublicSuffix(t.host)
	if !known && !strings.Contains(suffix, ".") && suffix == t.host {
		return false
	}
	if r.isNamedByResult(t) {
		return false
	}
	whole := strings.Join(b.owner.Service, "-")
	return slices.ContainsFunc(strings.Split(strings.TrimSuffix(t.host, "."+suffix), "."), func(label string) bool {
		begins := func(word string) bool {
			return len(word) > minLabel && !slices.Contains(stages, word) && strings.HasPrefix(label, word) &&
				!strings.Contains(label, "-") // anybody may register a name such as hetzner-zones
		}
		return len(label) >= minLabel && !slices.Contains(stages, label) &&
			(slices.Contains(b.owner.Service, label) || label == whole || slices.ContainsFunc(b.owner.Service, begins))
	})
}

// minLabel is the minimum length of a part of a site's name that identifies its owner.
const minLabel = 4

// stages are words in names of secrets that say where they are used. Sites use them too.
var stages = []string{"test", "prod", "stage", "staging", "live", "main", "default", "demo", "local", "admin", "user", "data"}

// isNamedByResult reports whether any result names the host.
func (r *route) isNamedByResult(t target) bool {
	return slices.ContainsFunc(r.p.lineage.Destinations, func(d mcpproxy.Destination) bool {
		host, _ := locate.Split(d.Value)
		byResult := d.Source != mcpproxy.FromUser && d.Source != mcpproxy.FromNowhere
		return byResult && (host == t.host || d.Value == t.host)
	})
}

// opensOwn reports whether a command logs in at a host with the secret of a product that users host themselves, such
// as GitLab's registry, and no outsider has named the host.
func (r *route) opensOwn(b *bearer, t target) bool {
	return b.issuer != nil && b.issuer.Hosted && b.doc == r.p.args.Doc && b.doc != nil &&
		pipedToLogin().MatchString(b.doc.Parts[b.at.Part].Text[b.at.Start:]) &&
		r.p.lineage.Legs.Untrusted == nil && r.p.lineage.Legs.Injected == nil && !r.isStrangers(t)
}

// isForge reports whether both providers host repositories. Only git's configuration says at which of them a remote
// is.
func isForge(a, b *provider.Provider) bool {
	forges := []string{"github", "gitlab", "bitbucket", "gitea", "gitee"}
	return slices.Contains(forges, a.Name) && slices.Contains(forges, b.Name)
}

// near reports whether a host is this machine or in its network. A one-word name does not count if a URL names it
// without a port.
func near(s, host string) bool {
	if !locate.Domains(nil).Host(host) {
		return false
	}
	_, rest, _ := strings.Cut(s, "://")
	authority, _, _ := strings.Cut(rest, "/")
	return strings.Contains(host, ".") || host == "localhost" || strings.Contains(host, ":") ||
		strings.Contains(authority[strings.LastIndexByte(authority, '@')+1:], ":") || !strings.HasPrefix(s, "http")
}

// hostIn returns the host in an argument: that of a URL, or of a parameter for hosts.
func hostIn(doc *text.Document, part text.Part) (host string, ok bool) {
	if part.Kind != text.Value || part.Opened() {
		return "", false
	}
	s, name := strings.TrimSpace(part.Text), strings.ToLower(doc.Field(part))
	if strings.ContainsAny(s, " \n\t") || slices.Contains(contentMembers, name) && name != "query" {
		return "", false
	}
	if strings.Contains(s, "://") {
		u, err := url.Parse(s)
		split, _ := locate.Split(s)
		if err != nil || strings.ContainsRune(s, '\\') ||
			!strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), split) {
			return "(" + split + ")", true // programs parse it differently
		}
		return split, split != ""
	}
	words := classify.Tokens(name)
	if len(words) == 0 || !slices.Contains([]string{"host", "hostname", "server", "domain", "endpoint", "url", "uri"}, words[len(words)-1]) {
		return "", false
	}
	host, _ = locate.Split(s)
	return host, host != ""
}

// leadsToLogin reports whether a text contains a path at which credentials are exchanged.
func leadsToLogin(s string) bool {
	_, rest, ok := strings.Cut(s, "://")
	if !ok {
		return false
	}
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(strings.ToLower(path), " ")
	for _, word := range []string{"oauth", "token", "auth", "login", "signin", "session"} {
		if strings.Contains(path, word) {
			return true
		}
	}
	return false
}
