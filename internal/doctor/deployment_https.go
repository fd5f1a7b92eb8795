package doctor

import (
	"net"
	"net/url"

	"mcpproxy/internal/config"
)

// httpsPoint says which servers are talked to in the open. Credentials never are: a
// configuration that would send them so is not valid.
func httpsPoint(_ Installation, c *config.Config, _ *Checkup) Check {
	const key = "mcpServers[].url"
	inOpen := serversWhere(c, func(s config.Server) bool { return plainRemote(s.URL) })
	if len(inOpen) > 0 {
		return better("HTTPS", key, "use https://", "data travels in the open to %s", listed(inOpen))
	}
	return well("HTTPS", key, "nothing travels in the open")
}

// plainRemote reports whether a URL leads to another machine over plain HTTP.
func plainRemote(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
