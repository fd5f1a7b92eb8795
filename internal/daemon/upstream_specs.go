package daemon

import (
	"crypto/tls"
	"path/filepath"
	"time"

	"mcpproxy/internal/config"
	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/upstream"
)

// Specs returns the servers to connect to. Path is the path of the configuration file.
func Specs(c *config.Config, path string) []upstream.Spec {
	private := privatePaths(c, path)
	out := make([]upstream.Spec, 0, len(c.Servers))
	for _, s := range c.Servers {
		out = append(out, upstream.Spec{
			Name:        s.Name,
			Enabled:     s.IsEnabled(),
			Protocol:    upstream.Protocol(s.Protocol),
			Command:     s.Command,
			Args:        s.Args,
			Env:         s.Env,
			Dir:         s.WorkingDir,
			URL:         s.URL,
			Headers:     s.Headers,
			Timeout:     time.Duration(s.TimeoutSecs) * time.Second,
			Limits:      limits(s),
			MaxSessions: s.MaxSessions,
			Shared:      s.Shared,
			TLS:         tlsOf(s.TLS),
			Proxy:       s.Proxy,
			Sizes: upstream.Sizes{
				Text:   megabytes(s.MaxTextMB),
				Paged:  megabytes(s.MaxPagedMB),
				Binary: megabytes(s.MaxBinaryMB),
			},
			Isolation: isolation(s.Isolation, private),
		})
	}
	return out
}

// limits returns the rate and size limits of a server.
func limits(s config.Server) upstream.Limits {
	return upstream.Limits{
		NoBreaker:    s.CircuitBreaker != nil && !*s.CircuitBreaker,
		Failures:     s.FailureThreshold,
		Recovery:     time.Duration(s.RecoveryTimeout) * time.Second,
		Concurrent:   s.MaxConcurrent,
		Rate:         s.RatePerSecond,
		Queued:       s.MaxQueued,
		QueueTimeout: time.Duration(s.QueueTimeoutSecs) * time.Second,
	}
}

func megabytes(mb float64) int { return int(mb * (1 << 20)) }

func tlsOf(t *config.TLS) *upstream.TLS {
	if t == nil {
		return nil
	}
	versions := map[string]uint16{"1.3": tls.VersionTLS13}
	return &upstream.TLS{
		CAFile:     config.Home(t.CAFile),
		CertFile:   config.Home(t.CertFile),
		KeyFile:    config.Home(t.KeyFile),
		ServerName: t.ServerName,
		MinVersion: versions[t.MinVersion],
		Insecure:   t.InsecureSkipVerify,
	}
}

// privatePaths returns mcpproxy's own files and folders, which no confined server can reach.
func privatePaths(c *config.Config, path string) (private []string) {
	socket := c.SocketPath()
	for _, p := range []string{c.DataDir, path, socket, socket + hookclient.PIDSuffix} {
		if absolute, err := filepath.Abs(p); err == nil && p != "" {
			private = append(private, absolute)
		}
	}
	return private
}

func isolation(i *config.Isolation, private []string) *upstream.Isolation {
	if i == nil {
		return nil
	}
	out := &upstream.Isolation{
		Standard:    i.Profile == config.StandardProfile,
		NoNetwork:   i.Network.Closed(),
		MemoryMB:    i.MemoryMB,
		CPUSecs:     i.CPUSecs,
		UnixSockets: i.Sockets,
		Processes:   i.Processes,
		Required:    i.Required,
		Private:     private,
	}
	if list, err := i.Network.List(); err == nil {
		out.Hosts = list
	} else { // Load refuses any other value
		out.NoNetwork = true
	}
	for _, p := range i.Read {
		out.Read = append(out.Read, config.Home(p))
	}
	for _, p := range i.Write {
		out.Write = append(out.Write, config.Home(p))
	}
	return out
}
