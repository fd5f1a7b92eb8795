package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// put writes files below dir, and returns dir.
func put(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// of returns the print of what a command line starts.
func of(t testing.TB, c Command) Print {
	t.Helper()
	var r Reader
	return r.Read(t.Context(), Open(c))
}

func TestWhatACommandLineStartsIsFound(t *testing.T) {
	home := put(t, t.TempDir(), map[string]string{
		"work/server.js":                               "js",
		"work/server.py":                               "py",
		"work/mod/__init__.py":                         "init",
		"work/lib/deep.py":                             "deep",
		"bin/weather":                                  "binary",
		"lib/node_modules/w/x.js":                      "x",
		"lib/node_modules/w/package.json":              `{"name": "w", "version": "1.0.0"}`,
		"jar/weather.jar":                              "jar",
		"venv/pyvenv.cfg":                              "",
		"venv/bin/weather":                             "#!python",
		"venv/bin/other":                               "#!python",
		"venv/lib/python3.12/site-packages/weather.py": "w",
		"venv/lib/python3.12/site-packages/weather-2.1.dist-info/RECORD":           "weather.py,sha256=x,1\n../../../bin/weather,,\nweather-2.1.dist-info/RECORD,,\n",
		"venv/lib/python3.12/site-packages/weather-2.1.dist-info/entry_points.txt": "[console_scripts]\nweather = weather:main\n",
	})
	work := filepath.Join(home, "work")
	for line, want := range map[string]string{
		"node server.js":                         "file node server.js work/server.js",
		"node --require dotenv server.js --port": "file node server.js work/server.js",
		"node -r dotenv/config server.js":        "file node server.js work/server.js",
		"python3 -u server.py":                   "file python3 server.py work/server.py",
		"python -Wignore -X dev server.py":       "file python server.py work/server.py",
		"python3 -m mod.sub":                     "file python3 -m mod.sub work/mod",
		"python3 -um mod":                        "file python3 -m mod work/mod",
		"python3 -m deep":                        "file python3 -m deep work/lib/deep.py",
		"uv run --with mcp server.py":            "file uv run server.py work/server.py",
		"uv --directory lib run deep.py":         "file uv run deep.py work/lib/deep.py",
		"bun run server.js":                      "file bun server.js work/server.js",
		"bash server.py":                         "file bash server.py work/server.py",
		"java -Xmx1g -jar ../jar/weather.jar":    "file java -jar ../jar/weather.jar jar/weather.jar",
		"BIN/weather --stdio":                    "file BIN/weather bin/weather",
		"node ../lib/node_modules/w/x.js":        "npm node ../lib/node_modules/w/x.js w 1.0.0",
		"VENV/bin/weather":                       "python VENV/bin/weather weather 2.1",
		"VENV/bin/other":                         "file VENV/bin/other venv/bin/other",
		"VENV/bin/python -m weather":             "file VENV/bin/python -m weather venv/lib/python3.12/site-packages/weather.py",

		"node -e 1":              "unknown: its code is in the command line",
		"node -pe 1":             "unknown: its code is in the command line",
		"node --eval=1":          "unknown: its code is in the command line",
		"python -c 1":            "unknown: its code is in the command line",
		"python -Ic 1":           "unknown: its code is in the command line",
		"sh -c weather":          "unknown: its code is in the command line",
		"node":                   "unknown: the command line names no script",
		"node gone.js":           "unknown: it was not found",
		"python3 -m absent":      "unknown: the module was not found",
		"python3 -m ../../etc":   "unknown: the command line names no module",
		"env A=b node server.js": "unknown: it starts another program",
		"docker run -i --rm w":   "unknown: mcpproxy does not know where",
		"docker compose up":      "unknown: it starts another program",
		"uv run weather":         "unknown: it starts another program",
		"npx -y github:acme/w":   "unknown: the package does not come from a registry",
		"npx -y -p a -p b c":     "unknown: the command line names several packages",
		"npx":                    "unknown: the command line names no package",
		"pipx run weather":       "unknown: mcpproxy does not know where",
		"npx -y weather":         "unknown: it was not found",
		"uvx weather":            "unknown: it was not found in the folders of uv",
	} {
		words := strings.Fields(line)
		c := Command{
			Name: words[0],
			Path: filepath.Join(home, "usr", "bin", words[0]),
			Args: words[1:],
			Env:  []string{"HOME=" + home, "PYTHONPATH=" + filepath.Join(work, "lib")},
			Dir:  work,
		}
		switch first, rest, _ := strings.Cut(words[0], "/"); first {
		case "BIN":
			c.Path = filepath.Join(home, "bin", rest)
		case "VENV":
			c.Path = filepath.Join(home, "venv", rest)
		}
		p := of(t, c)
		got := strings.TrimSpace(fmt.Sprint(p.Source, " ", p.Subject, " ", strings.TrimPrefix(p.Name, home+"/"), " ", p.Version))
		if p.Unknown != "" {
			got = "unknown: " + p.Unknown
			if p.SHA256 != "" || p.Subject == "" {
				t.Errorf("%s: %+v", line, p)
			}
			if strings.HasPrefix(got, want) {
				continue
			}
		}
		if got != want {
			t.Errorf("%s:\n got %q\nwant %q", line, got, want)
		}
	}
}

// npmHome makes a home folder in which npx has fetched a package.
func npmHome(t testing.TB, spec string, files map[string]string) Command {
	t.Helper()
	home := t.TempDir()
	put(t, filepath.Join(home, ".npm", "_npx", npmHash(spec), "node_modules", "@acme", "weather"), files)
	return Command{
		Name: "npx",
		Path: filepath.Join(home, "usr", "bin", "npx"),
		Args: []string{"-y", spec, "--stdio"},
		Env:  []string{"HOME=" + home},
		Dir:  t.TempDir(),
	}
}

func TestAPackageOfNPXIsHashedWithItsOwnFiles(t *testing.T) {
	const manifest = `{"name": "@acme/weather", "version": "1.2.3"}`
	first := map[string]string{"package.json": manifest, "dist/index.js": "honest", "node_modules/dep/index.js": "1"}
	c := npmHome(t, "@acme/weather@1.2.3", first)
	before := of(t, c)
	if before.SHA256 == "" || before.Version != "1.2.3" || !before.Pinned || before.Source != NPM {
		t.Fatalf("%+v", before)
	}
	for name, change := range map[string]struct {
		files map[string]string
		same  bool
	}{
		"the same content":        {map[string]string{}, true},
		"a package it depends on": {map[string]string{"node_modules/dep/index.js": "2"}, true},
		"its code":                {map[string]string{"dist/index.js": "hostile"}, false},
		"a file more":             {map[string]string{"dist/more.js": ""}, false},
		"a package that it brings itself": {map[string]string{
			"package.json": `{"name": "@acme/weather", "version": "1.2.3", "bundleDependencies": ["dep"]}`}, false},
	} {
		all := map[string]string{}
		for _, files := range []map[string]string{first, change.files} {
			for n, content := range files {
				all[n] = content
			}
		}
		after := of(t, npmHome(t, "@acme/weather@1.2.3", all))
		if after.SHA256 == "" || (after.SHA256 == before.SHA256) != change.same {
			t.Errorf("%s: %+v", name, after)
		}
	}
}

// This is the folder in which npm 11.19 stores a package for this spec.
func TestTheFolderOfNPXIsNamedAsNPMNamesIt(t *testing.T) {
	if got := npmHash("@modelcontextprotocol/server-memory@2026.8.31"); got != "c98ccc168155bafa" {
		t.Errorf("%q", got)
	}
}

func TestAPackageThatNPXPrefersToItsCacheIsTheOneThatIsHashed(t *testing.T) {
	cached := map[string]string{"package.json": `{"name": "@acme/weather", "version": "1.2.3"}`}
	for name, c := range map[string]struct {
		spec, project, want string
	}{
		"any version":                 {"@acme/weather", "1.0.0", "1.0.0"},
		"the version that is pinned":  {"@acme/weather@1.2.3", "1.2.3", "1.2.3"},
		"another version":             {"@acme/weather@1.2.3", "1.0.0", "1.2.3"},
		"a range, which nobody knows": {"@acme/weather@^1", "1.0.0", ""},
		"no copy beside the cache":    {"@acme/weather@^1", "", "1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			start := npmHome(t, c.spec, cached)
			if c.project != "" {
				put(t, filepath.Join(start.Dir, "node_modules", "@acme", "weather"), map[string]string{
					"package.json": `{"name": "@acme/weather", "version": "` + c.project + `"}`, "x": "x"})
			}
			if p := of(t, start); p.Version != c.want || (p.SHA256 == "") != (c.want == "") {
				t.Errorf("%+v", p)
			}
		})
	}
	for name, elsewhere := range map[string]func(*Command){
		"by its settings":   func(c *Command) { put(t, c.Dir, map[string]string{".npmrc": "cache = /elsewhere\n"}) },
		"by an option":      func(c *Command) { c.Args = append([]string{"--prefix", "/elsewhere"}, c.Args...) },
		"by a cache":        func(c *Command) { c.Args = append([]string{"--cache=/elsewhere"}, c.Args...) },
		"by a variable":     func(c *Command) { c.Env = append(c.Env, "npm_config_prefix=/elsewhere") },
		"by its own option": func(c *Command) { c.Args = append(c.Args, "--prefix", "/elsewhere") },
	} {
		start := npmHome(t, "@acme/weather@1.2.3", cached)
		elsewhere(&start)
		if p := of(t, start); (p.Unknown == "") != (name == "by its own option") {
			t.Errorf("npm looks elsewhere %s: %+v", name, p)
		}
	}
}

// uvCache makes a home folder with environments of uv that contain a distribution, by version and content.
func uvCache(t testing.TB, envs ...[2]string) Command {
	t.Helper()
	home := t.TempDir()
	for n, env := range envs {
		name := fmt.Sprint("environments-v2/key/env", n, "/lib/python3.12/site-packages/")
		info := name + "acme_weather-" + env[0] + ".dist-info/"
		put(t, filepath.Join(home, ".cache", "uv"), map[string]string{
			name + "weather/__init__.py": env[1],
			info + "RECORD":              "weather/__init__.py,sha256=x,1\nacme_weather-" + env[0] + ".dist-info/RECORD,,\n",
			info + "INSTALLER":           fmt.Sprint(n),
		})
	}
	return Command{
		Name: "uvx",
		Path: "/usr/bin/uvx",
		Args: []string{"acme-weather"},
		Env:  []string{"HOME=" + home},
	}
}

func TestADistributionOfUVXIsHashedIfItIsClearWhichOneIsStarted(t *testing.T) {
	one := of(t, uvCache(t, [2]string{"1.0", "a"}))
	if one.SHA256 == "" || one.Source != Python || one.Name != "acme-weather" || one.Version != "1.0" || one.Pinned {
		t.Fatalf("%+v", one)
	}
	if p := of(t, uvCache(t, [2]string{"1.0", "a"}, [2]string{"1.0", "a"})); p.SHA256 != one.SHA256 {
		t.Errorf("twice the same: %+v", p)
	}
	editable := uvCache(t, [2]string{"1.0", "a"})
	put(t, strings.TrimPrefix(editable.Env[0], "HOME=")+
		"/.cache/uv/environments-v2/key/env0/lib/python3.12/site-packages/acme_weather-1.0.dist-info",
		map[string]string{"direct_url.json": `{"url": "file:///src", "dir_info": {"editable": true}}`})
	if p := of(t, editable); p.SHA256 != "" || p.Unknown == "" {
		t.Errorf("code that lies elsewhere: %+v", p)
	}
	if p := of(t, uvCache(t, [2]string{"1.0", "b"})); p.SHA256 == "" || p.SHA256 == one.SHA256 {
		t.Errorf("other code: %+v", p)
	}
	if p := of(t, uvCache(t, [2]string{"1.0", "a"}, [2]string{"1.1", "b"})); p.SHA256 != "" || p.Unknown == "" {
		t.Errorf("two versions: %+v", p)
	}
	pinned := uvCache(t, [2]string{"1.0", "a"}, [2]string{"1.1", "b"})
	pinned.Args = []string{"acme-weather==1.0"}
	if p := of(t, pinned); p.SHA256 != one.SHA256 || !p.Pinned {
		t.Errorf("two versions, of which one is meant: %+v", p)
	}
}

// The hashed file is the one that existed when the program was started, even if it was replaced.
func TestTheFileThatWasStartedIsHashed(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"server.js": "hostile", "honest.js": "honest"})
	c := Command{
		Name: "node",
		Path: "/usr/bin/node",
		Args: []string{"server.js"},
		Dir:  dir,
	}
	var r Reader
	hostile := r.Read(t.Context(), Open(c))
	s := Open(c)
	if err := os.Rename(filepath.Join(dir, "honest.js"), filepath.Join(dir, "server.js")); err != nil {
		t.Fatal(err)
	}
	if p := r.Read(t.Context(), s); p.SHA256 != hostile.SHA256 && p.SHA256 != "" {
		t.Errorf("the file that took its place was hashed: %+v", p)
	}
	s = Open(c)
	if err := os.WriteFile(filepath.Join(dir, "server.js"), []byte("rewritten"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := r.Read(t.Context(), s); p.SHA256 != "" {
		t.Errorf("a file that was rewritten since it was started: %+v", p)
	}
}

// A program can reset a file's times and keep its size. Even then, the cached hash is not used.
func TestARememberedHashIsNotThatOfAnotherContent(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"server.js": "honest!"})
	path := filepath.Join(dir, "server.js")
	old := time.Now().Add(-time.Hour)
	c := Command{
		Name: "node",
		Path: "/usr/bin/node",
		Args: []string{"server.js"},
		Dir:  dir,
	}
	var r Reader
	read := func() string {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		return r.Read(t.Context(), Open(c)).SHA256
	}
	honest := read()
	time.Sleep(settled + 100*time.Millisecond)
	if got := r.Read(t.Context(), Open(c)).SHA256; got != honest || len(r.known) != 1 {
		t.Fatalf("%q, remembered %d", got, len(r.known))
	}
	if err := os.WriteFile(path, []byte("hostile"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(); got == honest || got == "" {
		t.Errorf("another content of the same size and time: %q", got)
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"server.js": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var r Reader
	p := r.Read(ctx, Open(Command{Name: "node", Args: []string{"server.js"}, Dir: dir}))
	if p.SHA256 != "" || p.Unknown == "" {
		t.Errorf("%+v", p)
	}
}
