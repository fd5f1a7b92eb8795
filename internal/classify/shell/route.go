package shell

import (
	"slices"
	"strings"
)

// redirected records the address to which a program connects instead of the host of the request: HOST:PORT:ADDRESS, or
// HOST:PORT:OTHER:PORT.
func (d *doing) redirected(r role, how string) {
	parts := splitColons(how)
	if len(parts) < 3 {
		return
	}
	addresses := parts[2]
	if r == resolve {
		addresses = strings.Join(parts[2:], ":")
	}
	for _, a := range strings.Split(addresses, ",") {
		if a != "" {
			d.address(to, literal(a))
		}
	}
}

// splitColons splits a text at colons, except within the brackets of an IPv6 address.
func splitColons(s string) []string {
	inside := false
	var parts []string
	start := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ':':
			if !inside {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

// proxyVariables lists the environment variables that set the proxy of HTTP clients.
var proxyVariables = []string{
	"http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
}

// proxies records the proxies that the command line sets for a program that connects to other machines.
func (d *doing) proxies() {
	if !d.row.reaches() && !d.row.marks["push"] && !d.row.marks["registry"] {
		return
	}
	for _, name := range proxyVariables {
		if v := d.m.vars[name]; len(v) > 0 && v[0].text != "" {
			d.address(to, v[0])
		}
	}
}

// options reads a file of options, such as curl's: one option a line, with or without dashes. If the content is not
// known, the program may send its data to any host.
func (d *doing) options(file value) {
	v := d.m.open(file, d.in)
	if !v.known {
		d.to = append(d.to, Endpoint{Kind: "host", Value: unknownText})
		d.hand(v)
		return
	}
	d.optionsIn(v.text)
}

// optionsIn applies the options in a text.
func (d *doing) optionsIn(text string) {
	var args []value
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		end := strings.IndexAny(line, " \t=:")
		if end < 0 {
			end = len(line)
		}
		name := line[:end]
		if !strings.HasPrefix(name, "-") {
			name = "--" + strings.ReplaceAll(name, "_", "-")
		}
		args = append(args, literal(name))
		if rest := strings.Trim(line[end:], " \t=:\""); rest != "" {
			args = append(args, literal(rest))
		}
	}
	if !slices.ContainsFunc(args, func(a value) bool { return a.text == "--config" || a.text == "-K" }) {
		d.arguments(args)
	}
}

// repository returns the endpoint of a backup repository: a local folder, user@host:path, or KIND:place.
func repository(s string) (Endpoint, bool) {
	kind, rest, found := strings.Cut(s, ":")
	switch {
	case !found || strings.HasPrefix(s, "/"):
		return Endpoint{}, false
	case strings.HasPrefix(rest, "//"):
		return endpoint(s)
	case kind == "rclone" || buckets()[kind] || kind == "swift":
		return Endpoint{Kind: "bucket", Value: rest}, true
	case kind == "rest" || kind == "sftp":
		if e, ok := remotePath(rest); ok {
			return e, true
		}
		return endpoint(rest)
	}
	return remotePath(s)
}

// lead processes the flags between the words of a program's name, as in restic -r PLACE backup. They are flags of the
// first word.
func (d *doing) lead(fields, rest []value) {
	before := fields[1 : len(fields)-len(rest)]
	rows, err := programs()
	first := rows[programName(fields[0].text)]
	if err != nil || first == nil || len(before) == 0 {
		return
	}
	for i, a := range before {
		name, inline, has := strings.Cut(a.text, "=")
		switch r := first.flags[name]; {
		case r == "" || r == skip || r == exec || r == run || r == code:
		case has:
			d.argument(r, value{inline, a.known, a.data})
		case i+1 < len(before):
			d.argument(r, before[i+1])
		}
	}
}
