package doctor

import (
	"net"
	"net/url"

	"mcpproxy/internal/config"
)

// httpsPoint names the servers with unencrypted connections. They carry no credentials: a configuration that would
// send credentials unencrypted is invalid.
func httpsPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	const key = "mcpServers[].url"
	inOpen := serversWhere(c, func(s config.Server) bool { return plainRemote(s.URL) })
	if len(inOpen) > 0 {
		return better("HTTPS", key, "use https://", "data travels unencrypted to %s", listed(inOpen))
	}
	return well("HTTPS", key, "nothing travels unencrypted")
}

// plainRemote reports whether a URL uses plain HTTP to another machine.
func plainRemote(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
