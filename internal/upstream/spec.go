package upstream

import (
	"maps"
	"reflect"
	"slices"
	"time"
)

// Protocol names a transport.
type Protocol string

// The transports.
const (
	Stdio Protocol = "stdio"
	HTTP  Protocol = "http" // streamable HTTP
	SSE   Protocol = "sse"  // HTTP+SSE, revision 2024-11-05
)

// Spec says how to reach a server. References in its strings are already resolved.
type Spec struct {
	Name     string
	Enabled  bool
	Protocol Protocol
	Command  string
	Args     []string
	Env      map[string]string
	Dir      string
	URL      string
	Headers  map[string]string
	Timeout  time.Duration // of one call, since its last sign of progress
	Limits   Limits

	MaxSessions int  // maximum number of owners' links; one principal has half of them at most; 32 when 0
	Shared      bool // calls of all principals use one link

	TLS       *TLS   // nil for the defaults
	Proxy     string // "" for the proxy in the environment; or NoProxy
	Sizes     Sizes
	Isolation *Isolation // of a stdio server; nil for no confinement

	Credentials Credentials // of an HTTP server; nil if Headers suffice
}

// same reports whether two specs have the same settings.
func (s Spec) same(o Spec) bool {
	if s.Credentials != o.Credentials {
		return false
	}
	s.Credentials, o.Credentials = nil, nil // their state changes all the time
	return reflect.DeepEqual(s, o)
}

// reachesSame reports whether two specs lead to the same server: they have the same address, or the same command,
// folder and environment.
func (s Spec) reachesSame(o Spec) bool {
	return s.Protocol == o.Protocol && s.URL == o.URL && s.Command == o.Command && s.Dir == o.Dir &&
		slices.Equal(s.Args, o.Args) && maps.Equal(s.Env, o.Env)
}

const (
	// connectTimeout limits opening a link, including the handshake.
	connectTimeout = 30 * time.Second
	// defaultTimeout is the timeout of a call if the spec has none.
	defaultTimeout = 30 * time.Second
	// minBackoff and maxBackoff limit the wait between reconnections.
	minBackoff, maxBackoff = time.Second, 5 * time.Minute
)
