package upstream

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// On macOS, the launcher has sandbox-exec(1) confine the server by a profile. This file generates
// the profile's text on every system, so that it is tested on every system; isolation_darwin.go uses
// it. In a profile, the last rule that matches decides.

// seatbeltReadable are folders and files of macOS that nearly every program needs to start.
var seatbeltReadable = []string{
	"/usr", "/bin", "/sbin", "/System", "/Library", "/opt/homebrew", "/opt/local", "/private/etc", "/private/var/db/dyld",
	"/private/var/db/timezone", "/private/var/select",
}

// seatbeltDevices are devices that every program may use.
var seatbeltDevices = []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper", "/dev/fd"}

// seatbeltServices are services that act for whoever asks: they open programs, read the clipboard,
// or give out keys of the user's keychain.
var seatbeltServices = []string{
	"com.apple.SecurityServer", "com.apple.pasteboard.1", "com.apple.coreservices.launchservicesd",
	"com.apple.coreservices.appleevents", "com.apple.coreservices.quarantine-resolver", "com.apple.xpc.smd",
}

// systemLinks are links of macOS into /private. [forms] returns them for a path below, but a profile
// must not close them: it is applied to resolved paths, and programs follow these links all the time.
var systemLinks = []string{"/tmp", "/var", "/etc"}

// resolverSocket is the Unix socket by which programs look names up.
const resolverSocket = "/private/var/run/mDNSResponder"

const (
	readFiles = "file-read* file-map-executable"
	allFiles  = "file*"
)

// seatbelt is a profile under construction.
type seatbelt struct {
	text  strings.Builder
	fault error // about the first path that cannot be written into a profile
}

// profile returns the profile of an order.
func (o *order) profile() (string, error) {
	i := &o.Isolation
	p := &seatbelt{}
	p.rule("version 1")
	p.rule("allow default")
	// Other programs: no signals, memory, environments or events, and none that starts outside.
	for _, operation := range []string{"signal", "process-info*"} {
		p.rule("deny " + operation)
		p.rule("allow " + operation + " (target same-sandbox)")
	}
	for _, operation := range []string{"mach-priv-task-port", "appleevent-send", "lsopen", "job-creation", "file-mount", "pseudo-tty"} {
		p.rule("deny " + operation)
	}
	p.rule(`deny sysctl-read (sysctl-name-prefix "kern.procargs")`)
	if i.Standard || i.files() {
		p.rule("deny user-preference-write")
	}
	if i.closes() {
		p.each("deny mach-lookup", "global-name", seatbeltServices)
	}
	o.filesOf(p)
	if err := o.networkOf(p); err != nil {
		return "", err
	}
	return p.text.String(), p.fault
}

// filesOf adds the rules about files.
func (o *order) filesOf(p *seatbelt) {
	private := opened(grant{Path: "/"}, allForms(o.Isolation.Private))
	if o.Isolation.files() {
		p.rule("deny " + allFiles)
		p.rule("allow file-read-metadata")
		p.rule(`allow file-read* (literal "/")`)
		p.each("allow "+readFiles, "subpath", seatbeltReadable)
		p.each("allow "+allFiles, "subpath", seatbeltDevices)
	}
	pinned := slices.Clone(private)
	for _, g := range o.Grants {
		switch {
		case g.Path == "/" && g.Write: // the default
		case g.Write:
			p.each("allow "+allFiles, "subpath", []string{g.Path})
		default:
			p.each("allow "+readFiles, "subpath", []string{g.Path})
		}
		p.each("deny "+allFiles, "subpath", opened(g, g.Kept))
		p.each("allow "+readFiles, "subpath", opened(g, g.Kept))
		p.each("deny "+allFiles, "subpath", opened(g, g.Hidden))
		pinned = slices.Concat(pinned, opened(g, g.Kept), opened(g, g.Hidden))
	}
	p.rule(`deny file-read* file-write* (regex #"^/dev/(tty|pty|ptmx)")`)
	p.each("deny "+allFiles, "subpath", private)
	// A rule names a path. If the server could rename or clone a folder above, the same files would
	// have a path that no rule names.
	p.each("deny file-write-unlink file-clone", "literal", foldersAbove(pinned))
}

// networkOf adds the rules about the network and Unix sockets.
func (o *order) networkOf(p *seatbelt) error {
	i := &o.Isolation
	switch {
	case i.Hosts != nil && o.Port == 0:
		return errors.New("the port of the proxy is not known")
	case i.Hosts != nil:
		p.rule("deny network*")
		p.rule(`allow network-outbound (remote ip "localhost:` + strconv.Itoa(o.Port) + `")`)
	case i.NoNetwork:
		p.rule("deny network*")
	case i.closes():
		p.rule("deny network-outbound (remote unix-socket)")
		p.rule(`allow network-outbound (remote unix-socket (path-literal "` + resolverSocket + `"))`)
	}
	if i.UnixSockets && (i.NoNetwork || i.Hosts != nil) {
		p.rule("allow network-outbound (remote unix-socket)")
		p.rule("allow network-bind (local unix-socket)")
		p.rule("allow network-inbound (local unix-socket)")
	}
	for _, path := range opened(grant{Path: "/"}, allForms(i.Private)) {
		p.rule("deny network-outbound (remote unix-socket (subpath " + p.quote(path) + "))")
	}
	return nil
}

// rule adds one rule.
func (p *seatbelt) rule(s string) { p.text.WriteString("(" + s + ")\n") }

// each adds one rule about several paths or names; without any, it adds nothing, since a rule
// without a filter would concern everything.
func (p *seatbelt) each(rule, filter string, values []string) {
	if len(values) == 0 {
		return
	}
	for _, v := range values {
		rule += "\n  (" + filter + " " + p.quote(v) + ")"
	}
	p.rule(rule)
}

// quote returns a string of the profile's language.
func (p *seatbelt) quote(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		p.fault = errors.Join(p.fault, fmt.Errorf("a path with such characters cannot be confined: %q", s))
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// opened returns those of paths that a grant would open, each once and without the system's links.
func opened(g grant, paths []string) (out []string) {
	for _, path := range paths {
		if within(g.Path, path) && !slices.Contains(out, path) && !slices.Contains(systemLinks, path) {
			out = append(out, path)
		}
	}
	return out
}

// foldersAbove returns the folders above paths, each once, without the root.
func foldersAbove(paths []string) (out []string) {
	for _, path := range paths {
		for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
