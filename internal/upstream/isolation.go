package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/egress"
)

// Isolation confines a stdio server and every process that it starts.
//
// Whatever else it says, such a server reaches none of the paths in Private and no terminal, signals no other
// program, and makes none of the system calls with which a process leaves its confinement. The rest is open unless
// Standard, Read, Write, NoNetwork, Hosts or a limit closes it. Where files or the network are confined, so are the
// Unix sockets of other programs, which lead around both.
type Isolation struct {
	Standard    bool     // hide the user's keys and settings (see standard.go), and leave other files open
	Read, Write []string // all that the server reaches; with Standard, what it reaches although it is hidden
	NoNetwork   bool
	Hosts       *egress.List // what it reaches through a proxy, and nothing else of the network; nil for no such list
	UnixSockets bool         // those of other programs stay open
	MemoryMB    int          // of each process
	CPUSecs     int          // of each process
	Processes   int          // beside those that the user has when the server starts
	Required    bool         // do not start the server where anything of it is missing

	// Private are this program's own files and folders: its configuration, its keys and its socket. No path in Read
	// or Write opens them.
	Private []string
}

// files reports whether the files are named that the server may reach.
func (i *Isolation) files() bool { return !i.Standard && len(i.Read)+len(i.Write) > 0 }

// closes reports whether the sockets of other programs are closed.
func (i *Isolation) closes() bool {
	return (i.NoNetwork || i.Hosts != nil || i.files() || i.Standard) && !i.UnixSockets
}

// holdsPrivate reports whether a folder, open to a server, would open to it the
// user's own folder or one of this program's.
func (i *Isolation) holdsPrivate(dir string) bool {
	private := i.Private
	if home, err := os.UserHomeDir(); err == nil {
		private = append([]string{home}, private...)
	}
	return covers(plain(dir), private)
}

// covers reports whether a resolved path is one of others, or above one.
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
	Profile  string   `json:"profile,omitempty" doc:"standard where the configuration says so"`
	Network  string   `json:"network,omitempty" doc:"hosts where the server reaches a list of hosts only, observe where it reaches all of them through the same proxy"`
	Missing  []string `json:"missing,omitempty" doc:"What was asked for and is not enforced"`
	Open     []string `json:"open,omitempty" doc:"What is open because the configuration says so, and leads further than it may seem"`
}

// launcherVerb is the hidden verb by which this program becomes the launcher of
// a confined server.
const launcherVerb = "launch-confined-server"

// order is what the launcher is told.
type order struct {
	Isolation Isolation
	Grants    []grant
	Proxied   bool     // give the network namespace in which this runs a way out; see egress.go
	Probe     bool     // end after that
	Program   string   // absolute
	Args      []string // with the program's own name
}

// grant opens a resolved path, with what is below it, to a server.
type grant struct {
	Path   string
	Write  bool
	Hidden []string // paths below that stay closed
	Kept   []string // paths below that are not opened for writing
}

// Self returns the path by which this program can be started again. Where the system has a path
// that refers to the running program even after its file was replaced, Self returns that one.
func Self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// launcher is the command line that starts program, confined: this program once
// more, which confines itself and then becomes the server.
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

// arguments is the command line that tells the launcher.
func (o *order) arguments() ([]string, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("telling the launcher: %w", err)
	}
	return []string{"mcpproxy", launcherVerb, string(raw)}, nil
}

// grants returns what the server may reach: the whole file system except hidden paths, or the
// configured folders and the system's programs. It refuses paths that lead elsewhere than before,
// or through a link that the server itself may have made.
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

// around is what a server may read because its program is there: the program's
// folder, or only the program if the folder also holds private files.
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

// confinement is what this system can do of what is wanted.
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
		if fault := offline(); fault != nil {
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
	if i.UnixSockets {
		c.Open = append(c.Open, "unix_sockets: whatever listens on one, mcpproxy among them, takes the server for you")
	}
	return c
}

// refusal is why a server is not started where isolation is required.
func (c *Confinement) refusal() error {
	return fmt.Errorf("isolation.required is set, and this system cannot enforce: %s", strings.Join(c.Missing, "; "))
}

// systemReadable are folders and files without which hardly any program starts.
// None of them holds what is the user's own: of /proc, the environments of other
// processes would be.
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
