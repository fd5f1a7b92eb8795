package shell

import (
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/provider"
)

// address records the endpoint that an argument with role r names.
func (d *doing) address(r role, a value) {
	if r == soft && !strings.Contains(a.text, "://") {
		d.out.data = union(d.out.data, a.data)
		return
	}
	if d.own { // an address or a port of this machine
		d.closed = d.closed || nearby(a.text) && !strings.HasPrefix(a.text, "/")
		return
	}
	if strings.HasPrefix(a.text, "file://") {
		d.read = true
		d.out = d.out.then(d.m.open(a, d.in))
		return
	}
	var e Endpoint
	var ok bool
	switch r {
	case mail:
		e, ok = email(a.text)
	case gitRemote:
		e, ok = d.m.remote(a.text)
		d.near = !ok
	case repo:
		e, ok = repository(a.text)
	case image:
		e, ok = registryOf(a.text)
	case peer:
		if d.row.name == "ssh" && loopback(a.text) {
			if d.jump.text != "" { // localhost means the machine that makes the connection
				a = d.jump
				a.text = a.text[strings.LastIndexByte(a.text, ',')+1:]
			} else {
				d.loops = true
			}
		}
		if e, ok = remotePath(a.text); !ok {
			e, ok = machineName(a.text)
		}
	default:
		e, ok = endpoint(strings.TrimPrefix(a.text, "@"))
	}
	if share := strings.TrimLeft(a.text, `\/`); len(a.text) > len(share)+1 && (r == to || r == peer) { // \\host\share
		e, ok = endpoint(share)
	}
	if !ok && len(a.data) > 0 && a.text == "" {
		e, ok = Endpoint{Kind: "host", Value: unknownText}, true
	}
	data := a.data
	d.enters = d.enters || loginPath().MatchString(a.text)
	if strings.HasPrefix(strings.TrimPrefix(a.text, "@"), "$") { // a variable that holds an address, not data
		data = slices.DeleteFunc(slices.Clone(data), func(s Source) bool { return s.Kind == Variable && !s.Secret })
	}
	before, _, found := strings.Cut(a.text, "@")
	if found && strings.Contains(before, "://") &&
		!strings.ContainsAny(before[strings.Index(before, "://")+3:], "/?#") {
		d.creds = union(d.creds, data) // https://user:token@host
		data = nil
	}
	if ok && e.Kind == "host" { // https://api.example.com/bot$EXAMPLE_TOKEN/send
		isProof := func(s Source) bool {
			return s.Kind == Variable && s.Secret && (e.atHome(s) || s.IsNamedFor(e.Value))
		}
		for _, s := range data {
			if isProof(s) {
				d.creds = union(d.creds, []Source{s})
			}
		}
		data = slices.DeleteFunc(slices.Clone(data), isProof)
	}
	d.given.data = union(d.given.data, data)
	if ok && (!e.inside() || e.metadata() || d.shell) {
		d.to = append(d.to, e)
	} else if ok {
		d.near = true
		d.out = d.out.with([]Source{{Kind: Output, Name: e.Value}})
	}
}

// loginPath matches the path of a URL at which people log in.
var loginPath = lazyregexp.New(`(?i)/(?:log-?in|sign-?in|session|sessions|auth|authenticate|oauth2?|token)(?:[/?]|$)`)

// registryOf returns the registry host at the beginning of a container image's name. As in Docker, the first part is
// a host if it contains a dot or a colon.
func registryOf(image string) (Endpoint, bool) {
	host, _, ok := strings.Cut(image, "/")
	if !ok || !strings.ContainsAny(host, ".:") {
		return Endpoint{}, false
	}
	return endpoint("https://" + host)
}

// loopback reports whether user@host is this machine.
func loopback(peer string) bool {
	host := peer[strings.LastIndexByte(peer, '@')+1:]
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// remote returns the endpoint for the name or the URL of a git remote. ok is false for a folder of this machine.
func (m *machine) remote(s string) (Endpoint, bool) {
	if url, ok := m.remotes[s]; ok {
		s = url
	}
	s = m.rewrite(s)
	if e, ok := remotePath(s); ok || strings.HasPrefix(s, "file://") {
		if ok && e.Kind == "host" {
			e.Path = repositoryPath(s)
		}
		return e, ok
	}
	if strings.ContainsAny(s, `/\.`) || s == "" {
		return Endpoint{}, false
	}
	return Endpoint{Kind: "remote", Value: s, Configured: true}, true
}

// repositoryPath returns the path of the repository in the URL of a git remote: https://host/owner/repo.git or
// git@host:owner/repo. It returns "" for a URL in another form.
func repositoryPath(remote string) string {
	_, rest, isURL := strings.Cut(remote, "://")
	path := ""
	if isURL {
		_, path, _ = strings.Cut(rest, "/")
	} else {
		_, path, _ = strings.Cut(remote, ":")
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if strings.ContainsAny(path, `$*?#%\:@`) || strings.Contains(path, "..") || !strings.Contains(path, "/") {
		return ""
	}
	return strings.ToLower(path)
}

// reach sends the data of the command to all endpoints in its arguments.
func (d *doing) reach() {
	m, marks := d.m, d.row.marks
	if len(d.to) == 0 && !d.near && (marks["push"] || marks["registry"]) {
		d.to = []Endpoint{m.configured(d.row.name)}
	}
	for _, e := range d.to {
		data := d.given.data
		if marks["folder"] && (!e.Configured || marks["acts"]) && len(local(data)) == 0 {
			data = union(data, []Source{{Kind: File, Name: "."}})
		}
		if e.Kind == "service" && provider.Variable(e.Value) != nil { // git's credential belongs to this service
			data = slices.DeleteFunc(
				slices.Clone(data),
				func(s Source) bool { return strings.HasPrefix(s.Name, "git ") },
			)
		}
		if marks["login"] { // the data is the credential for the login
			data = slices.DeleteFunc(slices.Clone(data), func(s Source) bool {
				return s.Kind == Variable && !e.foreign(s)
			})
		}
		if name, ok := e.variable(); ok { // the variable holds the address and is not sent itself
			data = slices.DeleteFunc(slices.Clone(data), func(s Source) bool {
				// A file of the user's settings sets both the address and the variable. The variable may be the
				// password of a login.
				setting := s.Kind == Variable && (!s.Secret || d.enters) && m.sourced
				return s.Kind == Variable && s.Name == name || e.beside(s) || setting
			})
		}
		for _, s := range d.creds {
			if !e.atHome(s) {
				// A variable named after no other service is the credential of this request. It is reported, but not
				// as a secret.
				s.Secret = s.Secret && (s.Kind != Variable || e.foreign(s))
				s.Proves = true
				data = union(data, []Source{s})
			}
		}
		hands := d.hands || marks["push"] || marks["acts"]
		switch {
		case marks["private"]:
			if slices.Contains(d.row.args, peer) || len(local(data)) > 0 {
				m.send(Send{By: d.row.name, To: e, Data: data})
			}
			if len(m.c.Connects) < maxReads {
				m.c.Connects = append(m.c.Connects, e)
			}
		case hands && !marks["registry"] || len(local(data)) > 0:
			m.send(Send{
				By:    d.row.name,
				To:    e,
				Data:  data,
				Keeps: marks["keeps"] && (e.Configured || e.Kind == "repository") && len(m.vars["VAULT_ADDR"]) == 0,
			})
			d.out = d.out.with([]Source{{Kind: remote, Name: e.Value}})
		case marks["lists"] && e.Kind == "bucket":
			d.out = d.out.with(m.request(e).data)
		default:
			d.out = d.out.with(m.fetch(e).data)
		}
	}
}

// openShell is the source of a shell whose commands a stranger may type.
var openShell = Source{Kind: Output, Name: "sh", Secret: true}

// identity is the source for the identity of this machine, by which a metadata service recognises the caller. The
// service answers with the machine's credentials, so the user must see the request.
var identity = Source{Kind: Output, Name: "the machine's identity"}

// configured returns the endpoint that the user's configuration sets for a program.
func (m *machine) configured(name string) Endpoint {
	service, _, _ := strings.Cut(name, " ")
	if service == "git" {
		if e, ok := m.remote("origin"); ok {
			return e
		}
	}
	return Endpoint{Kind: "service", Value: service, Configured: true}
}

// send records that data is sent. It drops a send to a host inside the network, unless the send gives access to a
// shell.
func (m *machine) send(s Send) {
	if s.Data = local(s.Data); s.To.metadata() {
		s.Data = union(s.Data, []Source{identity})
	}
	if s.To.inside() && !s.To.metadata() &&
		(!slices.Contains(s.Data, openShell) || s.To.Value == "localhost" || strings.HasPrefix(s.To.Value, "127.")) {
		return
	}
	place := s.By + " " + s.To.Value + " " + s.To.Path
	i, known := m.sent[place]
	switch {
	case known:
		m.c.Sends[i].Data = union(m.c.Sends[i].Data, s.Data)
	case len(m.c.Sends) < maxReads:
		m.sent[place] = len(m.c.Sends)
		m.c.Sends = append(m.c.Sends, s)
	}
}

// fetch records a request without data for the content at an address. The result is the response.
func (m *machine) fetch(e Endpoint) value {
	out := m.request(e)
	if m.asked[e] && !slices.Contains(m.c.Contents, e) {
		m.c.Contents = append(m.c.Contents, e)
	}
	return out
}

// request records a request without data. The result is the response.
func (m *machine) request(e Endpoint) value {
	switch {
	case e.metadata():
		m.send(Send{By: "a request", To: e})
		return m.reads(Source{Kind: Output, Name: e.Value, Secret: true})
	case e.inside() || e.Kind == "intranet":
		return from(Source{Kind: Output, Name: e.Value})
	}
	if !m.asked[e] && len(m.c.Fetches) < maxReads {
		m.asked[e] = true
		m.c.Fetches = append(m.c.Fetches, e)
	}
	return from(Source{Kind: remote, Name: e.Value})
}
