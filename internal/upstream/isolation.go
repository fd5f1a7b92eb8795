package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/egress"
)

// Isolation confines a stdio server and every process that it starts: on Linux by Landlock, a filter
// of system calls and a network namespace, on macOS by a profile for sandbox-exec (seatbelt.go).
//
// With any settings, the server cannot reach the paths in Private or a terminal, cannot signal
// other programs, and cannot use the system calls for leaving its confinement. Everything else is
// allowed unless Standard, Read, Write, NoNetwork, Hosts or a limit restricts it. If files or the
// network are restricted, the Unix sockets of other programs are closed too, because they could
// bypass both restrictions.
type Isolation struct {
	Standard    bool     // hide the user's keys and settings (see standard.go), but no other files
	Read, Write []string // the only paths that the server can reach; with Standard, exceptions from it
	NoNetwork   bool
	Hosts       *egress.List // hosts that it can reach, through a proxy; nil without a list
	UnixSockets bool         // allow the sockets of other programs
	MemoryMB    int          // of each process
	CPUSecs     int          // of each process
	Processes   int          // in addition to the user's processes at the start of the server
	Required    bool         // do not start the server if any part is unavailable

	// Private are mcpproxy's own files and folders: its configuration, keys and socket. Read and
	// Write cannot allow them.
	Private []string
}

// files reports whether the server can reach only listed files.
func (i *Isolation) files() bool { return !i.Standard && len(i.Read)+len(i.Write) > 0 }

// closes reports whether the sockets of other programs are closed.
func (i *Isolation) closes() bool {
	return (i.NoNetwork || i.Hosts != nil || i.files() || i.Standard) && !i.UnixSockets
}

// holdsPrivate reports whether a folder contains the user's home folder or one of mcpproxy's own.
func (i *Isolation) holdsPrivate(dir string) bool {
	private := i.Private
	if home, err := os.UserHomeDir(); err == nil {
		private = append([]string{home}, private...)
	}
	return covers(plain(dir), private)
}

// covers reports whether a resolved path equals or contains one of others.
func covers(path string, others []string) bool {
	for _, p := range others {
		if slices.ContainsFunc(forms(p), func(form string) bool { return within(path, form) }) {
			return true
		}
	}
	return false
}

// Confinement says how a server is confined, for people to read.
type Confinement struct {
	Landlock int      `json:"landlock_abi" doc:"Version of Landlock that the kernel has; 0 for none"`
	Profile  string   `json:"profile,omitempty" doc:"standard if the configuration selects it"`
	Network  string   `json:"network,omitempty" doc:"hosts if the server can reach only a list of hosts; observe if it can reach all hosts, through the same proxy"`
	Missing  []string `json:"missing,omitempty" doc:"Parts of the configured isolation that are not enforced"`
	Open     []string `json:"open,omitempty" doc:"Access that the configuration allows, and that reaches further than it may seem"`
}

// launcherVerb is the hidden verb that makes this program the launcher of a confined server.
const launcherVerb = "launch-confined-server"

// order is the launcher's input.
type order struct {
	Isolation Isolation
	Grants    []grant
	Proxied   bool     // create the proxy listener in this network namespace; see egress.go
	Port      int      // port of the proxy on this machine, if the server uses one there
	Probe     bool     // exit after that
	Program   string   // absolute
	Args      []string // including the program's own name
}

// grant allows access to a resolved path and everything below it.
type grant struct {
	Path   string
	Write  bool
	Hidden []string // paths below it without access
	Kept   []string // paths below it without write access
}

// Self returns the path for starting this program again. If the system has a path that refers to
// the running program even after its file was replaced, Self returns that path.
func Self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// launcher returns the command line that starts program confined: this program, which confines
// itself and then becomes the server.
func (i *Isolation) launcher(spec Spec, program string, pins *pins) (path string, args []string, err error) {
	if path, err = Self(); err != nil {
		return "", nil, fmt.Errorf("finding the launcher: %w", err)
	}
	o := order{
		Isolation: *i,
		Proxied:   i.offline(),
		Program:   program,
		Args:      append([]string{spec.Command}, spec.Args...),
	}
	if o.Grants, err = i.grants(spec, program, pins); err != nil {
		return "", nil, err
	}
	args, err = o.arguments()
	return path, args, err
}

// arguments returns the launcher's command line.
func (o *order) arguments() ([]string, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("the launcher's options: %w", err)
	}
	return []string{"mcpproxy", launcherVerb, string(raw)}, nil
}

// withPort returns a launcher's command line with the port of the proxy inserted.
func withPort(args []string, port int) ([]string, error) {
	var o order
	if len(args) != 3 {
		return nil, errors.New("the launcher's options: the command line must have 3 words")
	}
	if err := json.Unmarshal([]byte(args[2]), &o); err != nil {
		return nil, fmt.Errorf("the launcher's options: %w", err)
	}
	o.Port = port
	return o.arguments()
}

// grants returns the paths that the server can reach: the whole file system except hidden paths, or
// the configured folders and the system's programs. It refuses paths whose target has changed, or
// that contain a link that the server itself may have created.
func (i *Isolation) grants(spec Spec, program string, pins *pins) (out []grant, err error) {
	if !i.files() {
		out = append(out, grant{
			Path:   "/",
			Write:  true,
			Hidden: i.hidden(),
			Kept:   i.kept(),
		})
	}
	always := allForms(slices.Concat(i.Private, terminals))
	var writable []string
	for _, p := range i.Write {
		writable = append(writable, plain(p))
	}
	add := func(key, path string, write bool) error {
		target, err := pins.resolve(key, path, writable)
		if err != nil {
			return err
		}
		for _, p := range i.Private {
			if slices.ContainsFunc(forms(p), func(form string) bool { return within(form, target) }) {
				return fmt.Errorf(
					"%s: %s lies in %s, which no confined server may reach: name another folder",
					key,
					path,
					p,
				)
			}
		}
		out = append(out, grant{
			Path:   target,
			Write:  write,
			Hidden: always,
			Kept:   allForms(systemKept),
		})
		return nil
	}
	for _, p := range i.Read {
		if err := add("isolation.read", p, false); err != nil {
			return nil, err
		}
	}
	for _, p := range i.Write {
		if err := add("isolation.write", p, true); err != nil {
			return nil, err
		}
	}
	if !i.files() {
		return out, nil
	}
	if spec.Dir != "" && !i.holdsPrivate(spec.Dir) {
		if err := add("working_dir", spec.Dir, false); err != nil {
			return nil, err
		}
	}
	target, err := unlinked("command", program, writable)
	if err != nil {
		return nil, err
	}
	for _, p := range []string{program, target} {
		out = append(out, grant{Path: plain(i.around(p)), Hidden: always})
	}
	return out, nil
}

// around returns the paths that a server may read because of its program: the program's folder, or
// only the program if the folder contains private files.
func (i *Isolation) around(program string) string {
	if dir := filepath.Dir(program); !i.holdsPrivate(dir) {
		return dir
	}
	return program
}

// Launched runs a confined server in this process if the process was started for that. In every
// other process it returns false at once. In a server's process it returns only if the start
// failed, with the exit code.
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

// confinement returns which parts of the requested isolation this system can enforce.
func (i *Isolation) confinement() *Confinement {
	if i == nil {
		return nil
	}
	c := &Confinement{Landlock: landlockVersion()}
	c.Missing = i.missing(c.Landlock)
	if i.Hosts != nil {
		c.Network = "hosts"
		if i.Hosts.Observes() {
			c.Network = "observe"
		}
		if fault := listEnforced(); fault != nil {
			c.Missing = append(c.Missing, "network: the list of hosts is advice only, since the server can go past the proxy: "+fault.Error())
		}
	}
	switch {
	case i.Standard:
		c.Profile = "standard"
	case !i.files():
		c.Open = append(
			c.Open,
			"files: all of yours but mcpproxy's own; name read and write paths, or set profile to standard",
		)
	}
	for key, paths := range map[string][]string{"read": i.Read, "write": i.Write} {
		for _, p := range paths {
			if i.holdsPrivate(p) {
				c.Open = append(
					c.Open,
					key+": "+p+" holds your whole home folder, or the folder of mcpproxy's own files",
				)
			}
		}
	}
	slices.Sort(c.Open)
	c.Open = append(c.Open, openHere...)
	if i.UnixSockets {
		c.Open = append(c.Open, "unix_sockets: every program that listens on one, including mcpproxy, takes the server for a program of yours")
	}
	return c
}

// refusal returns why a server is not started if isolation is required.
func (c *Confinement) refusal() error {
	return fmt.Errorf("isolation.required is set, and this system cannot enforce: %s", strings.Join(c.Missing, "; "))
}

// systemReadable are folders and files that nearly every program needs to start. None of them
// contains the user's data. /proc is not included as a whole, because it contains the environments
// of other processes.
var systemReadable = []string{
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/sys/devices/system/cpu",
	"/proc/self",
	"/proc/meminfo",
	"/proc/cpuinfo",
	"/proc/stat",
	"/proc/version",
	"/proc/filesystems",
	"/proc/loadavg",
	"/proc/uptime",
	"/proc/sys",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/ld.so.preload",
	"/etc/alternatives",
	"/etc/ssl",
	"/etc/pki",
	"/etc/ca-certificates",
	"/etc/ca-certificates.conf",
	"/etc/localtime",
	"/etc/timezone",
	"/etc/resolv.conf",
	"/etc/hosts",
	"/etc/host.conf",
	"/etc/nsswitch.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/passwd",
	"/etc/group",
	"/etc/os-release",
	"/etc/mime.types",
	"/etc/locale.conf",
}

// systemWritable are devices that every program may use.
var systemWritable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
