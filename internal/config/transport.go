package config

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
)

// TLS holds the settings of a connection to an https server.
type TLS struct {
	CAFile             string `json:"ca_file,omitempty" jsonschema:"PEM file of authorities to trust in addition to those of the system"`
	CertFile           string `json:"cert_file,omitempty" jsonschema:"PEM file of the certificate to show"`
	KeyFile            string `json:"key_file,omitempty" jsonschema:"PEM file of its key"`
	ServerName         string `json:"server_name,omitempty" jsonschema:"Name that the server's certificate must have, instead of the host of the url"`
	MinVersion         string `json:"min_version,omitempty" jsonschema:"1.2 or 1.3; 1.2 when absent"`
	InsecureSkipVerify bool   `json:"insecure_skip_verify,omitempty" jsonschema:"Trust any certificate; for a server on this machine only"`
}

// StandardProfile is the isolation.profile that hides the user's keys and keeps other files
// readable.
const StandardProfile = "standard"

// Isolation confines a stdio server. With every setting, the server cannot read or change
// mcpproxy's own files.
type Isolation struct {
	Profile   string   `json:"profile,omitempty" jsonschema:"standard hides keys, password stores, browser profiles and the settings of agents, and leaves other files and the network open; read and write then name what is open although it is hidden"`
	Read      []string `json:"read,omitempty" jsonschema:"Folders and files that the server may read, beside the system's programs and libraries and its own program"`
	Write     []string `json:"write,omitempty" jsonschema:"Folders and files that it may read and change"`
	Network   *Network `json:"network,omitempty" jsonschema:"false takes the network away; a list of hosts (api.github.com, *.github.com, host:port, 10.0.0.0/8) leaves those, by a proxy; observe lets every host through the proxy and records it"`
	Sockets   bool     `json:"unix_sockets,omitzero" jsonschema:"Whether it may reach other programs by their Unix sockets, such as Docker, an ssh agent or mcpproxy itself; no when absent and files or network are confined"`
	MemoryMB  int      `json:"memory_mb,omitzero" jsonschema:"Memory of each of its processes in MB"`
	CPUSecs   int      `json:"cpu_secs,omitzero" jsonschema:"Seconds of processor time of each of its processes, after which it is ended"`
	Processes int      `json:"processes,omitzero" jsonschema:"Processes and threads it may add to those of your user"`
	Required  bool     `json:"required,omitzero" jsonschema:"Whether not to start the server where the system cannot confine it in full"`
}

// checkTransport validates the settings of the connection to a server.
func (s *Server) checkTransport(at string) error {
	if s.MaxTextMB < 0 || s.MaxPagedMB < 0 || s.MaxBinaryMB < 0 {
		return bad(at, "numbers must not be negative")
	}
	if s.Command != "" {
		if s.TLS != nil || s.Proxy != "" {
			return bad(at, "tls and proxy are for servers with a url")
		}
		if s.OAuth != nil {
			return bad(at+".oauth", "is for servers with a url")
		}
		return s.Isolation.check(at + ".isolation")
	}
	if s.Isolation != nil {
		return bad(at+".isolation", "only a stdio server, which runs on this machine, can be confined")
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return bad(at+".url", "%q is not an http or https address", s.URL)
	}
	if err := s.checkPlain(at, u); err != nil {
		return err
	}
	if err := s.OAuth.check(at+".oauth", s, u); err != nil {
		return err
	}
	if s.Proxy != "" && s.Proxy != "none" {
		p, err := url.Parse(s.Proxy)
		if err != nil || p.Host == "" || !slices.Contains([]string{"http", "https", "socks5"}, p.Scheme) {
			return bad(at+".proxy", "a proxy is an http, https or socks5 address, or none")
		}
	}
	return s.TLS.check(at+".tls", u)
}

// secretParameter matches URL parameters that are credentials.
var secretParameter = lazyregexp.New(
	`(?i)(key|token|secret|passw(or)?d|credentials?|auth|authorization|sig|signature)$`,
)

// checkPlain refuses credentials that would be sent unencrypted.
func (s *Server) checkPlain(at string, u *url.URL) error {
	if u.Scheme != "http" || mcpproxy.LoopbackHost(u.Hostname()) {
		return nil
	}
	if u.User != nil {
		return bad(
			at+".url",
			"the user and password in the url would be sent to %s without encryption: use an https url",
			u.Hostname(),
		)
	}
	for name := range u.Query() {
		if secretParameter().MatchString(name) {
			return bad(
				at+".url",
				"the parameter %s of the url would be sent to %s without encryption: use an https url",
				name,
				u.Hostname(),
			)
		}
	}
	for name := range s.Headers {
		if mcpproxy.SensitiveHeader(name) {
			return bad(
				at+".headers",
				"the header %s would be sent to %s without encryption: use an https url, or remove the header",
				name,
				u.Hostname(),
			)
		}
	}
	if s.OAuth != nil {
		return bad(at+".oauth", "a token would be sent to %s without encryption: use an https url", u.Hostname())
	}
	return nil
}

func (t *TLS) check(at string, u *url.URL) error {
	switch {
	case t == nil:
		return nil
	case u.Scheme != "https":
		return bad(at, "needs an https url: these settings have no effect on an http url")
	case (t.CertFile == "") != (t.KeyFile == ""):
		return bad(at, "cert_file and key_file belong together")
	case t.InsecureSkipVerify && !mcpproxy.LoopbackHost(u.Hostname()):
		return bad(
			at+".insecure_skip_verify",
			"is for a server on this machine only; for %s give the authority of its certificate in ca_file",
			u.Hostname(),
		)
	case t.MinVersion != "":
		return oneOf(at+".min_version", t.MinVersion, "1.2", "1.3")
	}
	return nil
}

func (i *Isolation) check(at string) error {
	if i == nil {
		return nil
	}
	if i.Profile != "" {
		if err := oneOf(at+".profile", i.Profile, StandardProfile); err != nil {
			return err
		}
	}
	for key, paths := range map[string][]string{"read": i.Read, "write": i.Write} {
		for _, p := range paths {
			if !filepath.IsAbs(p) && !strings.HasPrefix(p, "~/") {
				return bad(at+"."+key, "%q must be an absolute path, or begin with ~/", p)
			}
		}
	}
	if err := i.Network.check(at + ".network"); err != nil {
		return err
	}
	if i.MemoryMB < 0 || i.CPUSecs < 0 || i.Processes < 0 {
		return bad(at, "numbers must not be negative")
	}
	if i.MemoryMB > 0 && i.MemoryMB < 16 {
		return bad(at+".memory_mb", "%d MB is too small for any program; at least 16", i.MemoryMB)
	}
	return nil
}

// Home replaces a leading ~ with the user's home folder.
func Home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(userFolder(), rest)
	}
	return path
}
