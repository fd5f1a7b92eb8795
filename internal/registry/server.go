package registry

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// Official is the address of the official registry.
const Official = "https://registry.modelcontextprotocol.io"

const (
	npm   = "npm"
	pypi  = "pypi"
	oci   = "oci"
	stdio = "stdio"
)

// RemoteWay is the value of [Choice] that selects an address instead of a package.
const RemoteWay = "remote"

// most is the maximum number of packages, variables or arguments of an entry.
const most = 100

var (
	versionForm = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z.!+_-]{0,99}$`)
	hashForm    = lazyregexp.New(`^[0-9a-f]{64}$`)
	nameOfEnv   = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	nameOfField = lazyregexp.New(`^[A-Za-z0-9-]{1,100}$`)
	// loaders are environment variables that make a program load other code, or fetch code from another place.
	loaders = lazyregexp.New(`(?i)^(PATH|HOME|LD_.*|DYLD_.*|NODE_(OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|` +
		`npm_config_.*|PYTHON.*|PIP_.*|UV_.*|BASH_ENV|ENV|SHELL|DOCKER_.*|(HTTPS?|ALL)_PROXY)$`)
)

// fetcher describes how packages of one kind are fetched and started.
type fetcher struct {
	runtimes []string              // programs that may fetch the package; the first one is used
	sources  []string              // address of the registry from which that program fetches it
	named    func() *regexp.Regexp // valid names; they must not begin with a dash, which would make them options
	versions func() *regexp.Regexp // exact versions; other values are ranges, or tags that can change
}

var fetchers = map[string]fetcher{
	npm: {
		runtimes: []string{"npx", ""},
		sources:  []string{"", "https://registry.npmjs.org"},
		named:    lazyregexp.New(`^(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*$`),
		versions: lazyregexp.New(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`),
	},
	pypi: {
		runtimes: []string{"uvx", ""},
		sources:  []string{"", "https://pypi.org"},
		named:    lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`),
		versions: lazyregexp.New(`^([0-9]+!)?[0-9]+(\.[0-9]+)*([a-z0-9.+_-]*[a-z0-9])?$`),
	},
	oci: {
		runtimes: []string{"docker", "podman", ""},
		sources:  []string{"", "https://docker.io"},
		named:    lazyregexp.New(`^[a-z0-9][A-Za-z0-9._/:@-]*$`),
		versions: lazyregexp.New(`^[0-9A-Za-z_][0-9A-Za-z._-]{0,127}$`),
	},
}

// shells are programs that run any text as code.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh"}

// Choice is what a user specifies about a server in addition to its name.
type Choice struct {
	Way     string            // npm, pypi, oci or [RemoteWay]; if empty, the first that works
	Env     map[string]string // environment variables of a program
	Headers map[string]string // headers for an address
	Args    []string          // arguments after those of the publisher
	// IsPlain reports whether a value contains plain text besides references to stored secrets.
	IsPlain func(value string) bool
}

// Plan is a server made from an entry of the registry.
type Plan struct {
	Name      string            `json:"name"` // the part of the entry's name after the slash
	Way       string            `json:"way"`
	Package   string            `json:"package,omitempty"` // pinned to its version
	SHA256    string            `json:"sha256,omitempty"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	URL       string            `json:"url,omitempty"`
	Transport string            `json:"transport"`
	Env       map[string]string `json:"env,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Inputs    []Input           `json:"inputs,omitempty"` // values that the server accepts
}

// Plan makes a server from an entry of the registry, or returns the reason why that is impossible.
func (e *Entry) Plan(c Choice) (*Plan, error) {
	if e.Status == "deleted" {
		return nil, fmt.Errorf("%s %s was taken out of the registry", e.Name, e.Version)
	}
	if len(e.Packages) > most || len(e.Remotes) > most {
		return nil, fmt.Errorf("%s has more than %d packages or addresses", e.Name, most)
	}
	var whyNot error
	for _, p := range e.Packages {
		if c.Way != "" && c.Way != p.Type {
			continue
		}
		plan, err := p.plan(c)
		if err == nil {
			plan.Name = e.Name[strings.LastIndex(e.Name, "/")+1:]
			return plan, nil
		}
		whyNot = errors.Join(whyNot, fmt.Errorf("%s %s: %w", p.Type, p.Pinned(), err))
	}
	for _, r := range e.Remotes {
		if c.Way != "" && c.Way != RemoteWay || whyNot != nil {
			continue // an address does not replace a package that needs values
		}
		plan, err := r.plan(c)
		if err == nil {
			plan.Name = e.Name[strings.LastIndex(e.Name, "/")+1:]
			return plan, nil
		}
		whyNot = errors.Join(whyNot, fmt.Errorf("%s %s: %w", r.Type, r.URL, err))
	}
	switch {
	case whyNot == nil && len(e.Packages)+len(e.Remotes) == 0:
		whyNot = fmt.Errorf("%s lists neither a package nor an address: its publisher describes elsewhere how to install it", e.Name)
	case whyNot == nil:
		whyNot = fmt.Errorf("%s is not offered as %q, only as: %s", e.Name, c.Way, strings.Join(e.Ways(), ", "))
	}
	return nil, whyNot
}

// startable returns the reason why a package cannot be started here; nil if it can.
func (p *Package) startable(f fetcher) error {
	switch {
	case f.named == nil:
		return errors.New("packages of this kind cannot be started here: get it, check its hash and add it by hand")
	case orStdio(p.Transport.Type) != stdio:
		return errors.New("it has to be started by hand, and then added by its address")
	case !slices.Contains(f.runtimes, p.Runtime):
		return fmt.Errorf("it is to be started by %.60q, which can be any program: add it by hand", p.Runtime)
	case len(p.RuntimeArgs) > 0:
		return fmt.Errorf("it has options for %s, the program that fetches it: read them, and add it by hand", f.runtimes[0])
	case !f.named().MatchString(p.Identifier):
		return errors.New("the package's name has characters that such names do not have")
	case !p.isOf(f.sources):
		return errors.New("the package comes from another source than the usual one: add it by hand")
	case p.SHA256 != "" && !hashForm().MatchString(p.SHA256):
		return errors.New("its hash is not a SHA-256")
	case !p.isPinned(f):
		return errors.New("its version is not named: what is fetched could change from one start to the next")
	case len(p.Environment) > most || len(p.PackageArgs) > most:
		return fmt.Errorf("it has more than %d variables or arguments", most)
	}
	return nil
}

// isOf reports whether a package comes from one of the sources. The name of an image contains its source.
func (p *Package) isOf(sources []string) bool {
	from := strings.TrimRight(p.Source, "/")
	host, https := strings.CutPrefix(from, "https://")
	return slices.Contains(sources, from) || p.Type == oci && https && strings.HasPrefix(p.Identifier, host+"/")
}

// isPinned reports whether a package's name fixes its content by an exact version, a digest or a commit.
func (p *Package) isPinned(f fetcher) bool {
	if p.Type == oci && hasTag(p.Identifier) {
		return !strings.HasSuffix(p.Identifier, ":latest")
	}
	return p.Version != "latest" && f.versions().MatchString(p.Version)
}

func (p *Package) plan(c Choice) (*Plan, error) {
	f := fetchers[p.Type]
	if err := p.startable(f); err != nil {
		return nil, err
	}
	if len(c.Headers) > 0 {
		return nil, errors.New("a program takes no headers")
	}
	plan := &Plan{
		Way:       p.Type,
		Package:   p.Pinned(),
		SHA256:    p.SHA256,
		Command:   f.runtimes[0],
		Transport: stdio,
		Inputs:    p.Environment,
	}
	var err error
	if plan.Env, err = given(p.Environment, c.Env, c, "--env", nameOfEnv().MatchString); err != nil {
		return nil, err
	}
	switch p.Type {
	case npm:
		plan.Args = []string{"-y", plan.Package}
	case pypi:
		plan.Args = []string{plan.Package}
	case oci:
		plan.Args = []string{"run", "-i", "--rm"}
		for _, name := range slices.Sorted(maps.Keys(plan.Env)) {
			plan.Args = append(plan.Args, "-e", name) // its value comes from the environment
		}
		plan.Args = append(plan.Args, plan.Package)
	}
	args, err := arguments(p.PackageArgs, c.Args)
	plan.Args = append(plan.Args, args...)
	return plan, err
}

func (r *Remote) plan(c Choice) (*Plan, error) {
	protocol := map[string]string{"streamable-http": "http", "sse": "sse"}[r.Type]
	u, err := url.Parse(r.URL)
	switch {
	case protocol == "":
		return nil, errors.New("its transport is not supported")
	case strings.ContainsAny(r.URL, "{}"):
		return nil, errors.New("its address has parts that you fill in: add it with --url")
	case err == nil && u.Scheme == "http":
		return nil, errors.New("its address is plain http: others on the network can read and change what is sent")
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil:
		return nil, errors.New("its address is not an https address")
	case len(r.Headers) > most:
		return nil, fmt.Errorf("it has more than %d headers", most)
	case len(c.Env) > 0 || len(c.Args) > 0:
		return nil, errors.New("a server at an address takes neither variables nor arguments")
	}
	headers, err := given(r.Headers, c.Headers, c, "--header", nameOfField().MatchString)
	if err != nil {
		return nil, err
	}
	return &Plan{
		Way:       RemoteWay,
		URL:       r.URL,
		Transport: protocol,
		Headers:   headers,
		Inputs:    r.Headers,
	}, nil
}

// given determines the values of variables or headers. Its error names all missing values.
func given(
	all []Input,
	by map[string]string,
	c Choice,
	flag string,
	isName func(string) bool,
) (map[string]string, error) {
	out := maps.Clone(by)
	if out == nil {
		out = map[string]string{}
	}
	var missing []string
	for _, in := range all {
		mine, named := by[in.Name]
		fixed := in.Value
		if fixed == "" && in.Required && !in.Secret {
			fixed = in.Default
		}
		switch {
		case !isName(in.Name):
			return nil, fmt.Errorf("it takes %.60q, which is not a name", in.Name)
		case named && in.Secret && c.IsPlain(mine):
			return nil, fmt.Errorf(
				"%s is a secret, which must not stand in the configuration: refer to it, as in %s",
				in.Name,
				example(flag, in.Name, "keyring"),
			)
		case named:
		case fixed != "" && flag == "--env" && loaders().MatchString(in.Name):
			return nil, fmt.Errorf("it sets %s, which decides what is run: add it by hand", in.Name)
		case fixed != "" && !harmless(fixed):
			return nil, fmt.Errorf("it sets %s to a reference or a template: give it with %s", in.Name, example(flag, in.Name, "env"))
		case fixed != "":
			out[in.Name] = fixed
		case in.Required:
			missing = append(missing, example(flag, in.Name, "env"))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("it needs to be given: %s", strings.Join(missing, " "))
	}
	return out, nil
}

// example returns a flag with a reference to a stored secret.
func example(flag, name, kind string) string {
	if flag == "--env" {
		return fmt.Sprintf("%s '%s=${%s:%[2]s}'", flag, name, kind)
	}
	return fmt.Sprintf("%s '%s: ${%s:NAME}'", flag, name, kind)
}

// harmless reports whether a publisher's value is literal: it contains neither a reference, as in our configuration,
// nor a variable of the registry.
func harmless(value string) bool { return !strings.ContainsAny(value, "{}\x00\r\n") }

// arguments returns the arguments of the publisher, followed by those of the user.
func arguments(all []Argument, own []string) ([]string, error) {
	var out []string
	for _, a := range all {
		value := a.Value
		if value == "" {
			value = a.Default
		}
		switch {
		case !harmless(value + a.Name):
			return nil, fmt.Errorf("its argument %s is a reference or a template: add it by hand", a.label())
		case slices.Contains(shells, ProgramName(value)):
			return nil, fmt.Errorf("its argument %s runs a shell: add it by hand", a.label())
		case value == "" && a.Required && len(own) == 0:
			return nil, fmt.Errorf("it needs the argument %s: give its arguments with --arg", a.label())
		case a.Type == "named" && value != "":
			out = append(out, a.Name+"="+value)
		case value != "":
			out = append(out, value)
		}
	}
	return append(out, own...), nil
}

// ProgramName returns the name of a program, without its folder, .exe and .cmd.
func ProgramName(path string) string {
	path = strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	return strings.TrimSuffix(strings.TrimSuffix(path, ".exe"), ".cmd")
}

func (a *Argument) label() string {
	for _, name := range []string{a.Name, a.Hint, a.Description} {
		if name != "" {
			return fmt.Sprintf("%.60q", name)
		}
	}
	return "without a name"
}

// Address checks the address of a registry.
func Address(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the address of a registry, such as %s", address, Official)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	here := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !here) {
		return nil, fmt.Errorf("%q: a registry says what is run, so its address is https", address)
	}
	return u, nil
}
