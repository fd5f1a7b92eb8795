package upstream

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sandboxExec is the program of macOS that confines a process by a profile and becomes it.
const sandboxExec = "/usr/bin/sandbox-exec"

func landlockVersion() int { return 0 }

// sandboxed returns why servers cannot be confined, or nil.
func sandboxed() error {
	if _, err := os.Stat(sandboxExec); err != nil {
		return fmt.Errorf("this macOS has no sandbox-exec: %w", err)
	}
	return nil
}

// listEnforced returns why a server could bypass the proxy of its list of hosts, or nil.
func listEnforced() error { return sandboxed() }

// missing lists the parts of i that macOS cannot enforce.
func (i *Isolation) missing(int) (out []string) {
	if err := sandboxed(); err != nil {
		out = append(out, "files, network and signals: "+err.Error())
	}
	if i.MemoryMB > 0 {
		out = append(out, "memory_mb: macOS does not bound the memory of a process")
	}
	if i.Processes > 0 {
		out = append(out, "processes: macOS does not limit those of one server")
	}
	return out
}

// openHere lists what isolation never restricts on this system, whatever the configuration says.
var openHere = []string{
	"services: the server can use those of macOS, except those for the keychain, the clipboard and for opening programs",
}

// carryOut confines this process and turns it into the server.
func (o *order) carryOut() error {
	if o.Probe {
		return errors.ErrUnsupported
	}
	profile, err := o.profile()
	if err != nil {
		return fmt.Errorf("writing the profile for sandbox-exec: %w", err)
	}
	if most := uint64(o.Isolation.CPUSecs); most > 0 {
		var now unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CPU, &now); err != nil {
			return fmt.Errorf("limiting resources: %w", err)
		}
		most = min(most, now.Max)
		if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limiting resources: %w", err)
		}
	}
	// The program's path is absolute, so sandbox-exec does not take it for an option.
	args := append([]string{"sandbox-exec", "-p", profile, o.Program}, o.Args[1:]...)
	return syscall.Exec(sandboxExec, args, os.Environ())
}
