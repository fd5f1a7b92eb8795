package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Isolation confines a stdio server and every process that it starts. What is
// not named is not confined; but where files or the network are, so are the Unix
// sockets of other programs, which lead around both.
type Isolation struct {
	Read, Write []string // paths; files are confined when either is named
	NoNetwork   bool
	UnixSockets bool // those of other programs stay open
	MemoryMB    int  // of each process
	CPUSecs     int  // of each process
	Processes   int  // beside those that the user has when the server starts
	Required    bool // do not start the server where anything of it is missing

	// Private are folders of this program's own, which hold its keys. They are never
	// open only because the server's program lies in or above them.
	Private []string
}

// files reports whether the file system is confined.
func (i *Isolation) files() bool { return len(i.Read)+len(i.Write) > 0 }

// closes reports whether sockets are confined.
func (i *Isolation) closes() bool { return i.NoNetwork || i.files() && !i.UnixSockets }

// holdsPrivate reports whether a folder, open to a server, would open to it the
// user's own folder or one of this program's.
func (i *Isolation) holdsPrivate(dir string) bool {
	private := i.Private
	if home, err := os.UserHomeDir(); err == nil {
		private = append([]string{home}, private...)
	}
	for _, p := range private {
		for _, form := range forms(p) {
			for _, d := range forms(dir) {
				if within(d, form) {
					return true
				}
			}
		}
	}
	return false
}

// forms are a path as it is written, and as it is without symbolic links.
func forms(path string) []string {
	out := []string{filepath.Clean(path)}
	if plain, err := filepath.EvalSymlinks(path); err == nil && plain != out[0] {
		out = append(out, plain)
	}
	return out
}

// within reports whether path is dir, or below it.
func within(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// Confinement is what became of a server's isolation, as people see it.
type Confinement struct {
	Landlock int      `json:"landlock_abi" doc:"Version of Landlock that the kernel has; 0 for none"`
	Missing  []string `json:"missing,omitempty" doc:"What was asked for and is not enforced"`
	Open     []string `json:"open,omitempty" doc:"What is open because the configuration says so, and leads further than it may seem"`
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
	o.Readable = spec.Isolation.around(program)
	if target, err := filepath.EvalSymlinks(program); err == nil {
		o.Readable = append(o.Readable, spec.Isolation.around(target)...)
	}
	if spec.Dir != "" && !spec.Isolation.holdsPrivate(spec.Dir) {
		o.Readable = append(o.Readable, spec.Dir)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return "", nil, fmt.Errorf("telling the launcher: %w", err)
	}
	return path, []string{"mcpproxy", launcherVerb, string(raw)}, nil
}

// around is what a server may read because its program is there: the program's
// folder, or the program alone where the folder holds what is none of its business.
func (i *Isolation) around(program string) []string {
	if dir := filepath.Dir(program); !i.holdsPrivate(dir) {
		return []string{dir}
	}
	return []string{program}
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
	for key, paths := range map[string][]string{"read": i.Read, "write": i.Write} {
		for _, p := range paths {
			if i.holdsPrivate(p) {
				c.Open = append(c.Open, key+": "+p+" holds your whole home folder or mcpproxy's own keys")
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
var systemReadable = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys/devices/system/cpu",
	"/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/loadavg", "/proc/uptime", "/proc/sys",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
	"/etc/ca-certificates.conf", "/etc/localtime", "/etc/timezone", "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf",
	"/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/os-release", "/etc/mime.types", "/etc/locale.conf"}

// systemWritable are devices that every program may use.
var systemWritable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
