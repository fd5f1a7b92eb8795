package registry

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

// Floating is a package that a command fetches without a fixed version. Its publisher can change the code that is run
// at every start.
type Floating struct {
	Package string `json:"package" doc:"As the command names it"`
	Pinned  string `json:"pinned" doc:"With the version that runs, or a placeholder for it, a digest or a commit"`
}

// At returns f with the version that was found on this machine as the one to pin. It returns f itself if the version
// is unknown or contains other characters than versions do: a package says itself which version it is.
func (f Floating) At(version string) Floating {
	if plainVersion().MatchString(version) {
		f.Pinned = strings.Replace(f.Pinned, "VERSION", version, 1)
	}
	return f
}

// runner is a command that fetches a package and runs it.
type runner struct {
	names  []string // the program, followed by its verbs
	valued []string // options before the package whose value is the next word
	from   []string // options whose value is the package; without them, the first word is the package
	pin    func(name string) string
	flags  []string // if set: the options without a value; all other options take the next word
	prefix []string // if set: prefixes of the package, which may follow unknown options
}

var (
	npxValues = []string{"-c", "--call", "-w", "--workspace", "--registry", "--userconfig", "--cache", "--prefix"}
	npxFrom   = []string{"-p", "--package"}
	uvValues  = []string{"--with", "--with-editable", "--with-requirements", "-p", "--python", "--index", "-i", "--index-url", "--default-index",
		"--extra-index-url", "-f", "--find-links", "-c", "--constraints", "--overrides", "-P", "--upgrade-package", "--refresh-package",
		"--reinstall-package", "--exclude-newer", "--resolution", "--prerelease", "--link-mode", "--python-preference", "--env-file",
		"--cache-dir", "--config-file", "--directory", "--project", "--color", "--keyring-provider", "--index-strategy"}
	pipxValues = []string{"--python", "--pip-args", "-i", "--index-url"}
	imageFlags = []string{"--rm", "--init", "--interactive", "--tty", "--detach", "--privileged", "--read-only", "--publish-all",
		"--no-healthcheck", "--sig-proxy", "--oom-kill-disable", "--quiet", "--disable-content-trust", "--replace"}

	exactNPM     = lazyregexp.New(`^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	plainVersion = lazyregexp.New(`^[0-9][0-9A-Za-z.!+_-]{0,63}$`)
	exactPyPI    = lazyregexp.New(`^[A-Za-z0-9._-]+(\[[^]]*\])?(@|={2,3}) *v?[0-9][0-9A-Za-z.!+_-]*$`)
	commit       = lazyregexp.New(`[@#][0-9a-f]{40}([#&?].*)?$`)
	nameOfPyPI   = lazyregexp.New(`^[A-Za-z0-9._-]+(\[[^]]*\])?`)
	plainNPM     = lazyregexp.New(`^(@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$`)
	githubShort  = lazyregexp.New(`^(github|gitlab|bitbucket):|^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+(#.*)?$`)
)

var runners = []runner{
	{
		names:  []string{"npx", "npm exec", "npm x", "pnpx", "pnpm dlx", "yarn dlx", "bunx", "bun x"},
		valued: npxValues,
		from:   npxFrom,
		pin:    pinNPM,
	},
	{
		names:  []string{"uvx", "uv tool run"},
		valued: uvValues,
		from:   []string{"--from"},
		pin:    pinPyPI,
	},
	{
		names:  []string{"pipx run"},
		valued: pipxValues,
		from:   []string{"--spec"},
		pin:    pinPyPI,
	},
	{
		names:  []string{"deno run"},
		prefix: []string{"npm:", "jsr:"},
		pin:    pinDeno,
	},
	{
		names: []string{"docker run", "podman run", "nerdctl run"},
		flags: imageFlags,
		pin:   pinImage,
	},
}

// Unpinned returns the first package that a command fetches without a fixed version; nil if there is none. It reads
// the command lines of programs that fetch packages from npm, PyPI and JSR, or images. It does not look into shell
// commands and scripts. Paths on this machine are not fetched.
func Unpinned(command string, args []string) *Floating {
	words := append([]string{ProgramName(command)}, args...)
	for len(words) > 2 && words[0] == "cmd" && strings.EqualFold(words[1], "/c") {
		words = append([]string{ProgramName(words[2])}, words[3:]...) // Windows starts npx in this way
	}
	for _, r := range runners {
		for _, name := range r.packages(r.behind(words)) {
			if pinned := r.pin(name); pinned != "" {
				return &Floating{withoutUser(name), pinned}
			}
		}
	}
	return nil
}

// Fetched returns the runner that a command line starts, such as "npx" or "npm exec", and the packages that it names.
// If the command fetches nothing, the runner is "".
func Fetched(command string, args []string) (runner string, packages []string) {
	words := append([]string{ProgramName(command)}, args...)
	for len(words) > 2 && words[0] == "cmd" && strings.EqualFold(words[1], "/c") {
		words = append([]string{ProgramName(words[2])}, words[3:]...)
	}
	for _, r := range runners {
		for _, name := range r.names {
			verbs := strings.Fields(name)
			if len(words) < len(verbs) || !slices.Equal(words[:len(verbs)], verbs) {
				continue
			}
			packages = r.packages(words[len(verbs):])
			if r.prefix != nil && len(packages) == 0 {
				return "", nil // a script on this machine
			}
			return name, packages
		}
	}
	return "", nil
}

// NameOfNPM returns the name of an npm package and its exact version in a package spec. The name is "" if the package
// does not come from a registry. The version is "" if the spec allows more than one.
func NameOfNPM(spec string) (name, version string) {
	if isPath(spec) || strings.Contains(spec, ":") || !strings.HasPrefix(spec, "@") && githubShort().MatchString(spec) {
		return "", ""
	}
	name = spec
	if at := strings.LastIndex(spec, "@"); at > 0 {
		name = spec[:at]
		if exactNPM().MatchString(spec[at+1:]) {
			version = strings.TrimPrefix(spec[at+1:], "v")
		}
	}
	if !plainNPM().MatchString(name) {
		return "", ""
	}
	return name, version
}

// NameOfPyPI does the same as NameOfNPM for a Python package.
func NameOfPyPI(spec string) (name, version string) {
	if isPath(spec) || strings.Contains(spec, "://") {
		return "", ""
	}
	bare := nameOfPyPI().FindString(spec)
	name, _, _ = strings.Cut(bare, "[")
	if exactPyPI().MatchString(spec) {
		version = strings.TrimLeft(spec[len(bare):], "@=")
		version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	}
	return name, version
}

// behind returns the words after a runner's name, or nil if the command line starts another program.
func (r *runner) behind(words []string) []string {
	for _, name := range r.names {
		verbs := strings.Fields(name)
		if len(words) > len(verbs) && slices.Equal(words[:len(verbs)], verbs) {
			return words[len(verbs):]
		}
	}
	return nil
}

// packages returns the packages on a command line. Words are the words after the runner's name.
func (r *runner) packages(words []string) []string {
	var chosen []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		option, value, joined := strings.Cut(word, "=")
		switch {
		case r.prefix != nil:
			if slices.ContainsFunc(r.prefix, func(p string) bool { return strings.HasPrefix(word, p) }) {
				return []string{word}
			}
		case word == "--":
		case slices.Contains(r.from, option) && joined:
			chosen = append(chosen, value)
		case slices.Contains(r.from, option) && i+1 < len(words):
			i++
			chosen = append(chosen, words[i])
		case r.takesNext(word):
			i++
		case strings.HasPrefix(word, "-"):
		case chosen == nil:
			return []string{word}
		default:
			return chosen
		}
	}
	return chosen
}

// takesNext reports whether a word is an option whose value is the next word.
func (r *runner) takesNext(word string) bool {
	switch {
	case !strings.HasPrefix(word, "-") || strings.Contains(word, "="):
		return false
	case r.flags == nil:
		return slices.Contains(r.valued, word)
	case !strings.HasPrefix(word, "--"):
		// If one-letter options are combined, only the last may take a value: -ite X.
		return strings.Trim(word[1:], "itdPq") != "" && strings.Trim(word[1:len(word)-1], "itdPq") == ""
	}
	return !slices.Contains(r.flags, word)
}

// isPath reports whether a package is a file or a folder on this machine.
func isPath(name string) bool {
	return name == "" || strings.ContainsAny(name[:1], `./~\`) || strings.HasPrefix(name, "file:") ||
		len(name) > 1 && name[1] == ':' // a Windows drive
}

func pinNPM(name string) string {
	at := strings.LastIndex(name, "@")
	switch {
	case isPath(name):
		return ""
	case strings.HasPrefix(name, "git") && strings.Contains(name, "://"):
		return pinCommit(name, "#")
	case !strings.HasPrefix(name, "@") && githubShort().MatchString(name):
		return pinCommit(name, "#")
	case strings.Contains(name, "://"):
		return "" // an archive at an address, which cannot be pinned
	case at <= 0:
		return name + "@VERSION"
	case exactNPM().MatchString(name[at+1:]):
		return ""
	}
	return name[:at] + "@VERSION"
}

func pinPyPI(name string) string {
	switch bare := nameOfPyPI().FindString(name); {
	case isPath(name):
		return ""
	case strings.Contains(name, "git+"):
		return pinCommit(name, "@")
	case strings.Contains(name, "://"), exactPyPI().MatchString(name):
		return ""
	default:
		return cmp.Or(bare, name) + "==VERSION"
	}
}

func pinDeno(name string) string {
	kind, name, _ := strings.Cut(name, ":")
	scope := ""
	if rest, scoped := strings.CutPrefix(name, "@"); scoped {
		owner, within, _ := strings.Cut(rest, "/")
		scope, name = "@"+owner+"/", within
	}
	name, path, _ := strings.Cut(name, "/") // inside the package
	if path != "" {
		path = "/" + path
	}
	bare, version, _ := strings.Cut(name, "@")
	if exactNPM().MatchString(version) {
		return ""
	}
	return kind + ":" + scope + bare + "@VERSION" + path
}

func pinImage(name string) string {
	if isPath(name) || strings.Contains(name, "@sha256:") || hasTag(name) && !strings.HasSuffix(name, ":latest") {
		return ""
	}
	return strings.TrimSuffix(name, ":latest") + "@sha256:DIGEST"
}

// pinCommit returns the address of a repository with a placeholder for a commit.
func pinCommit(name, before string) string {
	if commit().MatchString(name) {
		return ""
	}
	name = withoutUser(name)
	if before == "#" {
		name, _, _ = strings.Cut(name, "#")
	}
	return name + before + "COMMIT"
}

// withoutUser removes the user and the password from an address.
func withoutUser(name string) string {
	u, err := url.Parse(name)
	if err != nil || u.User == nil {
		return name
	}
	u.User = nil
	return u.String()
}
