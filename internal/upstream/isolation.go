package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Isolation confines a stdio server and every process that it starts. What is
// not named is not confined.
type Isolation struct {
	Read, Write []string // paths; files are confined when either is named
	NoNetwork   bool
	MemoryMB    int  // of each process
	CPUSecs     int  // of each process
	Processes   int  // beside those that the user has when the server starts
	Required    bool // do not start the server where anything of it is missing
}

// files reports whether the file system is confined.
func (i *Isolation) files() bool { return len(i.Read)+len(i.Write) > 0 }

// Confinement is what became of a server's isolation, as people see it.
type Confinement struct {
	Landlock int      `json:"landlock_abi" doc:"Version of Landlock that the kernel has; 0 for none"`
	Missing  []string `json:"missing,omitempty" doc:"What was asked for and is not enforced"`
}

// launcherVerb is the hidden verb by which this program becomes the launcher of
// a confined server.
const launcherVerb = "launch-confined-server"

// order is what the launcher is told.
type order struct {
	Isolation Isolation
	Readable  []string // beside what the isolation names
	Program   string   // absolute
	Args      []string // with the program's own name
}

// Self is the path of this program, to be started once more. Where the system has
// one that stays what runs it is that one, also when the file was replaced since.
func Self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// launcher is the command line that starts program, confined: this program once
// more, which confines itself and then becomes the server.
func launcher(spec Spec, program string) (path string, args []string, err error) {
	if path, err = Self(); err != nil {
		return "", nil, fmt.Errorf("finding the launcher: %w", err)
	}
	o := order{Isolation: *spec.Isolation, Program: program, Args: append([]string{spec.Command}, spec.Args...)}
	o.Readable = []string{filepath.Dir(program)}
	if target, err := filepath.EvalSymlinks(program); err == nil {
		o.Readable = append(o.Readable, filepath.Dir(target))
	}
	if spec.Dir != "" {
		o.Readable = append(o.Readable, spec.Dir)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return "", nil, fmt.Errorf("telling the launcher: %w", err)
	}
	return path, []string{path, launcherVerb, string(raw)}, nil
}

// Launched makes this process a confined server when it was started as one. It
// returns false in every other process; it never returns in the server's, but
// with the exit code of a launch that failed.
func Launched(args []string) (code int, launched bool) {
	if len(args) != 3 || args[1] != launcherVerb {
		return 0, false
	}
	var o order
	err := json.Unmarshal([]byte(args[2]), &o)
	if err == nil {
		err = o.carryOut()
	}
	fmt.Fprintln(os.Stderr, "mcpproxy: the server was not started:", err)
	return 126, true
}

// confinement is what this system can do of what is wanted.
func (i *Isolation) confinement() *Confinement {
	if i == nil {
		return nil
	}
	c := &Confinement{Landlock: landlockVersion()}
	c.Missing = i.missing(c.Landlock)
	return c
}

// refusal is why a server is not started where isolation is required.
func (c *Confinement) refusal() error {
	return fmt.Errorf("isolation.required is set, and this system cannot enforce: %s", strings.Join(c.Missing, "; "))
}

// systemReadable are folders and files without which hardly any program starts.
// None of them holds what is the user's own: of /proc, the environments of other
// processes would be.
var systemReadable = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys/devices/system/cpu",
	"/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/loadavg", "/proc/uptime", "/proc/sys",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
	"/etc/ca-certificates.conf", "/etc/localtime", "/etc/timezone", "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf",
	"/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/os-release", "/etc/mime.types", "/etc/locale.conf"}

// systemWritable are devices that every program may use.
var systemWritable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
