package upstream

import (
	"reflect"
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
	Timeout  time.Duration // of one call, from its last sign of life
	Limits   Limits

	MaxSessions int  // links that belong to somebody; one principal has half of them at most. 32 when 0
	Shared      bool // calls of all principals use one link

	TLS       *TLS   // nil for the usual
	Proxy     string // "" as the environment says; NoProxy
	Sizes     Sizes
	Isolation *Isolation // of a stdio server; nil for none

	Credentials Credentials // of an HTTP server; nil where Headers suffice
}

// same reports whether nothing changes when the one takes the other's place.
func (s Spec) same(o Spec) bool {
	if s.Credentials != o.Credentials {
		return false
	}
	s.Credentials, o.Credentials = nil, nil // their insides change all the time
	return reflect.DeepEqual(s, o)
}

const (
	// connectTimeout bounds opening a link, handshake included.
	connectTimeout = 30 * time.Second
	// defaultTimeout bounds a call when the spec names no timeout.
	defaultTimeout = 30 * time.Second
	// minBackoff and maxBackoff bound the wait between reconnections.
	minBackoff, maxBackoff = time.Second, 5 * time.Minute
)
