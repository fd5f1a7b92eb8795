//go:build !linux && !darwin

package upstream

import "errors"

func landlockVersion() int { return 0 }

// listEnforced returns why a server could bypass the proxy of its list of hosts, or nil.
func listEnforced() error { return offline() }

// openHere lists what isolation never restricts on this system, whatever the configuration says.
var openHere []string

// missing lists everything: this system supports no part of it.
func (i *Isolation) missing(int) (out []string) {
	out = append(out, "files: only Linux and macOS confine files, so mcpproxy's own files are open too")
	if i.NoNetwork {
		out = append(out, "network: only Linux and macOS confine it")
	}
	if i.closes() {
		out = append(out, "unix sockets: only Linux and macOS close them")
	}
	if i.MemoryMB+i.CPUSecs+i.Processes > 0 {
		out = append(out, "memory_mb, cpu_secs and processes: only on Linux")
	}
	return out
}

func (o *order) carryOut() error {
	return errors.New("servers can be confined on Linux and macOS only")
}
