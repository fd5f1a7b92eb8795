//go:build !linux

package upstream

import "errors"

func landlockVersion() int { return 0 }

// missing lists everything: this system supports no part of it.
func (i *Isolation) missing(int) (out []string) {
	out = append(out, "files: only Linux has Landlock, so mcpproxy's own files are open too")
	if i.NoNetwork {
		out = append(out, "network: only Linux has Landlock")
	}
	if i.closes() {
		out = append(out, "unix sockets: only Linux filters system calls")
	}
	if i.MemoryMB+i.CPUSecs+i.Processes > 0 {
		out = append(out, "memory_mb, cpu_secs and processes: only on Linux")
	}
	return out
}

func (o *order) carryOut() error { return errors.New("servers can be confined on Linux only") }
