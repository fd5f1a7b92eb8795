package config

import (
	"net"

	"mcpproxy"
	"mcpproxy/internal/certs"
)

// ListenTLS is the section tls: encryption of the listener. If the section is empty, the listener
// uses plain HTTP.
type ListenTLS struct {
	Cert  string `json:"cert,omitempty" jsonschema:"PEM file of the listener's certificate and of those that lead to its authority; read again when it changes"`
	Key   string `json:"key,omitempty" jsonschema:"PEM file of its key"`
	Local bool   `json:"local,omitempty" jsonschema:"Make certificates for localhost instead, from an authority of mcpproxy's own; mcpproxy tls ca prints the certificate that agents and browsers have to trust"`

	ClientCA   string `json:"client_ca,omitempty" jsonschema:"PEM file of the authorities whose client certificates count; read again when it changes. No certificate is asked for when absent"`
	ClientAuth string `json:"client_auth,omitempty" jsonschema:"require: a connection needs a client certificate; optional: it may have one. require when absent"`
}

// clientAuth are the values of tls.client_auth.
var clientAuth = []string{"optional", "require"}

// WantsCertificates reports whether every connection to the listener needs a client certificate.
func (t *ListenTLS) WantsCertificates() bool { return t.ClientCA != "" && t.ClientAuth != "optional" }

// Certs says where the listener's certificates come from.
func (c *Config) Certs() certs.Source {
	return certs.Source{
		CertFile: Home(c.TLS.Cert),
		KeyFile:  Home(c.TLS.Key),
		Local:    c.TLS.Local,
		Folder:   c.DataDir,

		ClientCA:       Home(c.TLS.ClientCA),
		ClientOptional: c.TLS.ClientAuth == "optional",
	}
}

// Scheme returns https if the listener speaks TLS, else http.
func (c *Config) Scheme() string {
	if c.Certs().On() {
		return "https"
	}
	return "http"
}

func (c *Config) checkTLS() error {
	t := &c.TLS
	switch {
	case t.Local && t.Cert+t.Key != "":
		return bad("tls.local", "is set beside tls.cert and tls.key; remove one of them")
	case (t.Cert == "") != (t.Key == ""):
		return bad("tls", "cert and key belong together; for a certificate of mcpproxy's own set \"local\": true")
	case t.Local && !thisMachine(c.Listen):
		return bad(
			"tls.local",
			"its certificates are for localhost, and listen is %q: give cert and key files, or listen on 127.0.0.1",
			c.Listen,
		)
	}
	return c.checkClientTLS()
}

// checkClientTLS validates the settings for client certificates.
func (c *Config) checkClientTLS() error {
	t := &c.TLS
	switch {
	case t.ClientAuth != "" && t.ClientCA == "":
		return bad("tls.client_auth", "needs tls.client_ca, the file of the authorities whose client certificates count")
	case t.ClientCA != "" && !t.Local && t.Cert == "":
		return bad("tls.client_ca", "needs cert and key, or \"local\": true: without TLS nobody shows a certificate")
	case t.WantsCertificates() && !c.EnableSocket:
		return bad(
			"tls.client_auth",
			"is require, and enable_socket is false: the commands of mcpproxy, which have no certificate, could not reach it",
		)
	case t.ClientAuth != "":
		return oneOf("tls.client_auth", t.ClientAuth, clientAuth...)
	}
	return nil
}

// thisMachine reports whether an address can only be reached from this machine.
func thisMachine(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && mcpproxy.LoopbackHost(host)
}
