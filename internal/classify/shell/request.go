package shell

import (
	"path"
	"strings"
)

// credential processes a header or another argument that may contain a credential.
func (d *doing) credential(a value) {
	name, _, found := strings.Cut(strings.ToLower(a.text), ":")
	switch {
	case strings.HasPrefix(a.text, "@"):
		d.request(body, a)
	case !found || strings.Contains(name, "auth") || strings.Contains(name, "token") ||
		strings.Contains(name, "key") || strings.Contains(name, "cookie"):
		d.creds = union(d.creds, a.data)
	case len(a.data) > 0:
		d.hand(a)
	}
}

// request processes a part of a request's body.
func (d *doing) request(r role, a value) {
	name, content := "", a.text
	if r != body || !strings.HasPrefix(content, "@") {
		i := strings.IndexAny(content, "=@")
		if i >= 0 && (r != body || content[i] == '@' && !strings.ContainsAny(content[:i], " \"'{&")) {
			name, content = content[:i], strings.TrimPrefix(content[i:], "=")
		}
	}
	if r == item && name == "" {
		d.credential(a) // Name:value
		return
	}
	if strings.HasPrefix(content, "@") || r == form && strings.HasPrefix(content, "<") {
		if content = content[1:]; r == form {
			content, _, _ = strings.Cut(content, ";") // removes the content type
		}
		d.hand(d.m.open(value{content, a.known, a.data}, d.in))
		return
	}
	d.hand(a)
}

// puts sends the files that the "put" commands of an FTP client upload.
func (d *doing) puts(commands string) {
	words := strings.FieldsFunc(commands, func(r rune) bool { return strings.ContainsRune(" \t\n;'\"", r) })
	for i, w := range words[:max(len(words)-1, 0)] {
		switch w {
		case "put", "mput", "send", "reput", "append", "mirror":
			d.hand(d.m.open(literal(words[i+1]), value{}))
		}
	}
}

// places copies files between local and remote paths.
func (d *doing) places() {
	if len(d.place) < 2 {
		return
	}
	last := d.place[len(d.place)-1]
	var moved value
	for _, p := range d.place[:len(d.place)-1] {
		v := value{}
		if e, ok := remotePath(p.text); ok {
			v = d.m.fetch(e)
		} else if d.row.name != "ln" {
			v = d.m.open(p, d.in)
		} else {
			v = from(Source{Kind: File, Name: p.text})
			if to, ok := d.m.file(p.text); ok {
				v.text, v.known = to.text, to.known
			}
		}
		moved = moved.then(v)
		if file := path.Join(last.text, path.Base(p.text)); p.text != "" {
			d.m.files[path.Clean(file)] = v
			if v.known && len(d.place) > 1 {
				d.m.notes(file, v, false)
			}
		}
	}
	if e, ok := remotePath(last.text); ok {
		d.to = append(d.to, e)
		d.hand(moved.with(last.data))
		return
	}
	d.m.write(last.text, moved, false)
}

// socat processes one of the two addresses that socat connects.
func (d *doing) socat(a value) {
	kind, rest, _ := strings.Cut(a.text, ":")
	options := strings.Split(rest, ",")
	kind, rest = strings.ToLower(kind), options[0]
	first := !d.began
	d.began = true
	switch {
	case strings.Contains(kind, "unix") || strings.Contains(kind, "pty") || strings.Contains(kind, "stdi"):
	case strings.Contains(kind, "listen") || strings.HasSuffix(kind, "-l") || strings.Contains(kind, "recv"):
		d.bound("")
		for _, o := range options {
			if address, ok := strings.CutPrefix(o, "bind="); ok {
				d.closed = nearby(address)
			}
		}
	case kind == "exec" || kind == "system" || kind == "shell":
		d.shell = true
		d.hand(from(openShell))
	case kind == "file" || kind == "open" || kind == "gopen" || kind == "create":
		if d.oneWay && !first {
			d.files = append(d.files, rest)
			break
		}
		d.hand(d.m.open(value{rest, a.known, a.data}, value{}))
	case strings.HasPrefix(kind, "tcp") || strings.HasPrefix(kind, "udp") || strings.HasPrefix(kind, "openssl") ||
		strings.HasPrefix(kind, "ssl") || strings.HasPrefix(kind, "sctp") || strings.HasPrefix(kind, "socks") || kind == "proxy":
		d.address(to, value{rest, a.known, a.data})
	case strings.HasPrefix(a.text, "/") || strings.HasPrefix(a.text, "./"):
		d.hand(d.m.open(a, d.in))
	}
}
