package registry

import (
	"slices"
	"strings"
	"testing"
)

func TestACommandThatFetchesWhateverIsNewestIsNamedWithItsPinnedForm(t *testing.T) {
	sha := strings.Repeat("0123456789", 4)
	for line, want := range map[string]string{
		"npx -y weather":                                                "weather@VERSION",
		"npx -y weather@latest stdio":                                   "weather@VERSION",
		"npx weather@^1.2.3":                                            "weather@VERSION",
		"npx -y weather@1":                                              "weather@VERSION",
		"npx -y @acme/weather /folder":                                  "@acme/weather@VERSION",
		"npx -y @acme/weather@next":                                     "@acme/weather@VERSION",
		"npx --registry https://r.example weather":                      "weather@VERSION",
		"npx -y -p @acme/weather weather-stdio":                         "@acme/weather@VERSION",
		"npx --package=@acme/weather@1.2.3 -p other weather":            "other@VERSION",
		"npx -y github:acme/weather":                                    "github:acme/weather#COMMIT",
		"npx -y acme/weather#main":                                      "acme/weather#COMMIT",
		"npx -y git+https://a:b@acme.example/w.git":                     "git+https://acme.example/w.git#COMMIT",
		"/usr/local/bin/npx -y weather":                                 "weather@VERSION",
		"cmd /c npx -y weather":                                         "weather@VERSION",
		`C:\node\npx.cmd -y weather`:                                    "weather@VERSION",
		"npm exec -- weather":                                           "weather@VERSION",
		"pnpm dlx weather":                                              "weather@VERSION",
		"yarn dlx weather":                                              "weather@VERSION",
		"bunx weather":                                                  "weather@VERSION",
		"bun x weather":                                                 "weather@VERSION",
		"uvx weather":                                                   "weather==VERSION",
		"uvx weather@latest":                                            "weather==VERSION",
		"uvx --python 3.12 --with requests weather --units m":           "weather==VERSION",
		"uvx --from acme-weather[all]>=1.0 weather":                     "acme-weather[all]==VERSION",
		"uvx --from git+https://acme.example/weather weather":           "git+https://acme.example/weather@COMMIT",
		"uv tool run weather":                                           "weather==VERSION",
		"pipx run weather":                                              "weather==VERSION",
		"pipx run --spec acme-weather weather":                          "acme-weather==VERSION",
		"deno run -A npm:weather":                                       "npm:weather@VERSION",
		"deno run --allow-net=a jsr:@acme/weather@1/stdio":              "jsr:@acme/weather@VERSION/stdio",
		"docker run -i --rm acme/weather":                               "acme/weather@sha256:DIGEST",
		"docker run -it --rm -e KEY --name w acme/weather:latest stdio": "acme/weather@sha256:DIGEST",
		"docker run --rm -ie KEY localhost:5000/weather":                "localhost:5000/weather@sha256:DIGEST",
		"podman run --network=none -v /a:/b acme/weather":               "acme/weather@sha256:DIGEST",

		"npx -y weather@1.2.3":                          "",
		"npx -y @acme/weather@1.2.3-rc.1 /folder":       "",
		"npx -y -p @acme/weather@1.2.3 weather":         "",
		"npx -y ./weather":                              "",
		"npx -y /home/me/weather":                       "",
		"npx -y file:../weather":                        "",
		"npx -y github:acme/weather#" + sha:             "",
		"npx -y https://acme.example/weather-1.2.3.tgz": "",
		"npx":                "",
		"npm run weather":    "",
		"uvx weather@1.2.3":  "",
		"uvx weather==1.2.3": "",
		"uvx --from acme-weather[all]==1.2.3 weather":         "",
		"uvx --from . weather":                                "",
		"uvx --from git+https://acme.example/w@" + sha + " w": "",
		"uv run weather":                                      "",
		"pipx run weather==1.2.3":                             "",
		"deno run -A npm:weather@1.2.3":                       "",
		"deno run main.ts npm-weather":                        "",
		"docker run -i --rm acme/weather:1.2.3":               "",
		"docker run acme/weather@sha256:" + sha:               "",
		"docker run -i --rm":                                  "",
		"docker exec -i weather stdio":                        "",
		"weather":                                             "",
		"node /home/me/npx weather":                           "",
		"mcp-npx -y weather":                                  "",
	} {
		words := strings.Fields(line)
		got := ""
		if found := Unpinned(words[0], words[1:]); found != nil {
			got = found.Pinned
			if strings.Contains(found.Package, "a:b@") {
				t.Errorf("%s: the password stands in %s", line, found.Package)
			}
		}
		if got != want {
			t.Errorf("%s: %q; want %q", line, got, want)
		}
	}
}

// FuzzUnpinned reads arbitrary command lines. It must not panic, and a reported package must count as pinned once the
// placeholder is replaced by a version.
func FuzzUnpinned(f *testing.F) {
	for _, line := range []string{"npx -y @a/b", "uvx --from a[b]>=1 c", "docker run -ie K a/b:latest", "deno run npm:@a/b/c", "pipx run git+https://a:b@c/d"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		found := Unpinned(words[0], words[1:])
		if found == nil {
			return
		}
		i := slices.Index(words, found.Package)
		if i < 0 {
			return // within an option, or without its password
		}
		words[i] = strings.NewReplacer(
			"VERSION", "1.2.3", "DIGEST", strings.Repeat("0", 64), "COMMIT", strings.Repeat("0", 40),
		).Replace(found.Pinned)
		if again := Unpinned(words[0], words[1:]); again != nil && again.Package == found.Package {
			t.Fatalf("%q stays unpinned as %q", line, words)
		}
	})
}

func TestTheRunnerAndThePackageThatItFetchesAreReturned(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y weather@1.2.3 --stdio":       "npx weather@1.2.3",
		"npx -y -p @acme/weather -p other w": "npx @acme/weather other",
		"npx":                                "npx",
		"npm exec -- weather":                "npm exec weather",
		"cmd /c npx -y weather":              "npx weather",
		"uvx --from acme-weather==1 weather": "uvx acme-weather==1",
		"uv tool run weather":                "uv tool run weather",
		"deno run -A npm:weather":            "deno run npm:weather",
		"docker run -i --rm weather:1":       "docker run weather:1",
		"deno run main.ts":                   "",
		"uv run weather.py":                  "",
		"npm start":                          "",
		"weather":                            "",
	} {
		words := strings.Fields(line)
		runner, packages := Fetched(words[0], words[1:])
		if got := strings.Join(append([]string{runner}, packages...), " "); got != want {
			t.Errorf("%s: %q; want %q", line, got, want)
		}
	}
}

func TestAPackageIsReadAsNameAndVersion(t *testing.T) {
	for spec, want := range map[string][2]string{
		"weather":               {"weather", ""},
		"weather@1.2.3":         {"weather", "1.2.3"},
		"weather@v1.2.3":        {"weather", "1.2.3"},
		"weather@^1":            {"weather", ""},
		"weather@latest":        {"weather", ""},
		"@acme/weather":         {"@acme/weather", ""},
		"@acme/weather@1.2.3-a": {"@acme/weather", "1.2.3-a"},
		"github:acme/weather":   {},
		"acme/weather":          {},
		"./weather":             {},
		"https://a/w.tgz":       {},
		"alias@npm:weather":     {},
		"@../../etc/x":          {},
		"..":                    {},
	} {
		if name, version := NameOfNPM(spec); [2]string{name, version} != want {
			t.Errorf("npm: %s is %q in version %q", spec, name, version)
		}
	}
	for spec, want := range map[string][2]string{
		"acme-weather":           {"acme-weather", ""},
		"acme-weather==1.2":      {"acme-weather", "1.2"},
		"acme_weather[all]==1.2": {"acme_weather", "1.2"},
		"acme-weather@1.2":       {"acme-weather", "1.2"},
		"acme-weather>=1.2":      {"acme-weather", ""},
		"acme-weather@latest":    {"acme-weather", ""},
		"git+https://a/w@main":   {},
		"/home/me/weather":       {},
		"./weather-1.2-py3.whl":  {},
	} {
		if name, version := NameOfPyPI(spec); [2]string{name, version} != want {
			t.Errorf("PyPI: %s is %q in version %q", spec, name, version)
		}
	}
}

func TestTheVersionThatRunsIsTheOneToPin(t *testing.T) {
	for version, want := range map[string]string{
		"1.4.2":            "@acme/weather@1.4.2",
		"2.0.0-rc.1+build": "@acme/weather@2.0.0-rc.1+build",
		"":                 "@acme/weather@VERSION",
		"1.0 && rm -rf /":  "@acme/weather@VERSION",
		"latest":           "@acme/weather@VERSION",
	} {
		floating := Unpinned("npx", []string{"-y", "@acme/weather"})
		if got := floating.At(version); got.Pinned != want || floating.Pinned != "@acme/weather@VERSION" {
			t.Errorf("%q: %q, want %q", version, got.Pinned, want)
		}
	}
}
