package shell

import (
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/locate"
)

// Certifies reports whether data of the command is the certificate of the receiving host's domain, with its key, as
// certbot keeps it. It was made for that host.
func (s Send) Certifies(d Source) bool {
	if s.To.Kind != "host" || d.Kind != File {
		return false
	}
	for _, path := range d.Paths() {
		m := certificate().FindStringSubmatch(path)
		if m == nil || !locate.Domains([]string{m[1]}).Host(s.To.Value) {
			return false
		}
	}
	return true
}

// certificate matches the path of a file in the folder that certbot makes for a domain.
var certificate = lazyregexp.New(`^/etc/letsencrypt/(?:live|archive)/([a-z0-9-]+(?:\.[a-z0-9-]+)+)/[a-z0-9]+\.pem$`)
