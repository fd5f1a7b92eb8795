package registry

import (
	"slices"
	"strings"
	"testing"
)

// of returns an entry with one package.
func of(p Package) Entry {
	return Entry{Name: "io.github.acme/weather", Version: "1.0.2", Packages: []Package{p}}
}

func at(address string, headers ...Input) Entry {
	return Entry{
		Name:    "io.github.acme/weather",
		Version: "1.0.2",
		Remotes: []Remote{{Type: "streamable-http", URL: address, Headers: headers}},
	}
}

var secretWithDefault = Input{
	Name:     "KEY",
	Required: true,
	Secret:   true,
	Default:  "x",
}

// entries are possible entries of strangers with the expected result: a command line, an address, or the reason for a
// refusal.
var entries = map[string]struct {
	entry  Entry
	choice Choice
	want   string
}{
	"npm": {
		entry: of(Package{Type: npm, Identifier: "@acme/weather", Version: "1.0.2"}),
		want:  "npx -y @acme/weather@1.0.2",
	},
	"PyPI": {
		entry: of(Package{Type: pypi, Identifier: "acme-weather", Version: "1.0.2rc1"}),
		want:  "uvx acme-weather@1.0.2rc1",
	},
	"an image with its tag beside it": {
		entry: of(Package{Type: oci, Identifier: "acme/weather", Version: "1.0.2"}),
		want:  "docker run -i --rm acme/weather:1.0.2",
	},
	"an image with its tag in the name": {
		entry: of(Package{Type: oci, Identifier: "ghcr.io/acme/weather:1.0.2"}),
		want:  "docker run -i --rm ghcr.io/acme/weather:1.0.2",
	},
	"an image by its digest": {
		entry: of(Package{Type: oci, Identifier: "acme/weather@sha256:" + strings.Repeat("a", 64)}),
		want:  "docker run -i --rm acme/weather@sha256:" + strings.Repeat("a", 64),
	},
	"variables of an image reach it by name only": {
		entry: of(Package{
			Type:        oci,
			Identifier:  "acme/weather:1",
			Environment: []Input{{Name: "KEY", Required: true}, {Name: "UNITS", Default: "m", Required: true}},
		}),
		choice: Choice{Env: map[string]string{"KEY": "${env:KEY}"}},
		want:   "docker run -i --rm -e KEY -e UNITS acme/weather:1",
	},
	"arguments of the publisher come before those of the user": {
		entry: of(Package{
			Type:       npm,
			Identifier: "weather",
			Version:    "1.0.2",
			PackageArgs: []Argument{
				{Type: "named", Input: Input{Name: "--units", Value: "m"}},
				{Type: "positional", Input: Input{Default: "stdio"}},
				{Type: "positional", Hint: "folder"},
			},
		}),
		choice: Choice{Args: []string{"/here"}},
		want:   "npx -y weather@1.0.2 --units=m stdio /here",
	},
	"an address": {
		entry: at("https://acme.example/mcp"),
		want:  "https://acme.example/mcp",
	},
	"an address that is chosen": {
		entry: Entry{
			Name:     "a/b",
			Packages: []Package{{Type: npm, Identifier: "b", Version: "1.0.0"}},
			Remotes:  []Remote{{Type: "sse", URL: "https://acme.example/sse"}},
		},
		choice: Choice{Way: RemoteWay},
		want:   "https://acme.example/sse",
	},

	"a range of versions": {
		entry: of(Package{Type: npm, Identifier: "weather", Version: "1.x"}),
		want:  "its version is not named",
	},
	"a name that moves": {
		entry: of(Package{Type: npm, Identifier: "weather", Version: "latest"}),
		want:  "its version is not named",
	},
	"a version that is missing": {
		entry: of(Package{Type: pypi, Identifier: "weather"}),
		want:  "its version is not named",
	},
	"an image of the day": {
		entry: of(Package{Type: oci, Identifier: "acme/weather:latest"}),
		want:  "its version is not named",
	},
	"an option in place of a name": {
		entry: of(Package{Type: npm, Identifier: "--call=id", Version: "1.0.2"}),
		want:  "characters that such names do not have",
	},
	"an address in place of a name": {
		entry: of(Package{Type: npm, Identifier: "https://acme.example/x.tgz", Version: "1.0.2"}),
		want:  "characters that such names do not have",
	},
	"a shell that starts it": {
		entry: of(Package{Type: npm, Identifier: "weather", Runtime: "/bin/sh"}),
		want:  `started by "/bin/sh"`,
	},
	"a shell among the arguments": {
		entry: of(Package{
			Type:        oci,
			Identifier:  "acme/weather:1",
			PackageArgs: []Argument{{Type: "positional", Input: Input{Value: "/bin/Bash.exe"}}},
		}),
		want: "runs a shell",
	},
	"options for the program that fetches it": {
		entry: of(Package{
			Type:        oci,
			Identifier:  "acme/weather:1",
			RuntimeArgs: []Argument{{Type: "named", Input: Input{Name: "--privileged"}}},
		}),
		want: "options for docker",
	},
	"a source of packages of its own": {
		entry: of(Package{Type: npm, Identifier: "weather", Source: "https://npm.acme.example"}),
		want:  "another source",
	},
	"an image whose name lacks its source": {
		entry: of(Package{Type: oci, Identifier: "acme/weather:1", Source: "https://ghcr.io"}),
		want:  "another source",
	},
	"a variable that loads code": {
		entry: of(Package{
			Type:        npm,
			Identifier:  "weather",
			Version:     "1.0.2",
			Environment: []Input{{Name: "NODE_OPTIONS", Value: "--require /tmp/x.js"}},
		}),
		want: "decides what is run",
	},
	"a reference to a secret of the user": {
		entry: of(Package{
			Type:        npm,
			Identifier:  "weather",
			Version:     "1.0.2",
			Environment: []Input{{Name: "X", Value: "${keyring:github}"}},
		}),
		want: "a reference or a template",
	},
	"a command of ours in an argument": {
		entry: of(Package{
			Type:        npm,
			Identifier:  "weather",
			Version:     "1.0.2",
			PackageArgs: []Argument{{Type: "positional", Input: Input{Value: "${cmd:id}"}}},
		}),
		want: "a reference or a template",
	},
	"a secret that nobody gave": {
		entry: of(Package{
			Type:        npm,
			Identifier:  "weather",
			Version:     "1.0.2",
			Environment: []Input{secretWithDefault},
		}),
		want: "--env 'KEY=${env:KEY}'",
	},
	"a secret in plain text": {
		entry: of(Package{
			Type:        npm,
			Identifier:  "weather",
			Version:     "1.0.2",
			Environment: []Input{{Name: "KEY", Secret: true}},
		}),
		choice: Choice{Env: map[string]string{"KEY": "abc"}},
		want:   "--env 'KEY=${keyring:KEY}'",
	},
	"a kind that cannot be started": {
		entry: of(Package{Type: "mcpb", Identifier: "https://acme.example/x.mcpb"}),
		want:  "packages of this kind cannot be started here",
	},
	"a program that listens": {
		entry: of(Package{Type: npm, Identifier: "w", Transport: Remote{Type: "sse", URL: "http://127.0.0.1/"}}),
		want:  "started by hand",
	},
	"an address in plain http": {
		entry: at("http://acme.example/mcp"),
		want:  "plain http",
	},
	"an address with a password": {
		entry: at("https://a:b@acme.example/mcp"),
		want:  "not an https address",
	},
	"an address to fill in": {
		entry: at("https://{tenant}.acme.example/mcp"),
		want:  "parts that you fill in",
	},
	"a header that nobody gave": {
		entry: at("https://acme.example/mcp", Input{Name: "Authorization", Required: true, Secret: true}),
		want:  "--header 'Authorization: ${env:NAME}'",
	},
	"a header whose name is two": {
		entry: at("https://acme.example/mcp", Input{Name: "A: b\r\nC", Value: "x"}),
		want:  "not a name",
	},
	"an address in place of a package that was refused": {
		entry: Entry{
			Name:     "a/b",
			Packages: []Package{{Type: npm, Identifier: "b", Version: "1.x"}},
			Remotes:  []Remote{{Type: "sse", URL: "https://acme.example/sse"}},
		},
		want: "its version is not named",
	},
	"nothing": {
		entry: Entry{Name: "a/b"},
		want:  "a/b lists neither a package nor an address",
	},
	"one that was taken out": {
		entry: Entry{Name: "a/b", Version: "1", Status: "deleted"},
		want:  "taken out",
	},
}

func TestAnEntryBecomesOneVersionOfOnePackageOrIsRefused(t *testing.T) {
	for name, test := range entries {
		t.Run(name, func(t *testing.T) {
			test.choice.IsPlain = func(value string) bool { return !strings.HasPrefix(value, "${") }
			plan, err := test.entry.Plan(test.choice)
			got := ""
			switch {
			case err != nil:
				if got = err.Error(); strings.Contains(got, test.want) {
					return
				}
			case plan.URL != "":
				got = plan.URL
			default:
				got = strings.Join(slices.Concat([]string{plan.Command}, plan.Args), " ")
			}
			if got != test.want {
				t.Errorf("%s; want %s", got, test.want)
			}
		})
	}
}
