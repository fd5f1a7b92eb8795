package registry

import (
	"encoding/json"
	"strings"
)

// Entry is one version of one server, as its publisher describes it. All texts are untrusted.
type Entry struct {
	Name        string    `json:"name"` // such as io.github.owner/name
	Description string    `json:"description"`
	Version     string    `json:"version"`
	Status      string    `json:"status"` // active, deprecated or deleted; empty if the registry does not say
	Packages    []Package `json:"packages"`
	Remotes     []Remote  `json:"remotes"`
}

// Package is a package from which a server can be run as a program.
type Package struct {
	Type        string     `json:"registryType"` // npm, pypi, oci, mcpb, nuget or cargo
	Source      string     `json:"registryBaseUrl,omitempty"`
	Identifier  string     `json:"identifier"`
	Version     string     `json:"version,omitempty"`
	SHA256      string     `json:"fileSha256,omitempty"`  // of the package's file, in hexadecimal
	Runtime     string     `json:"runtimeHint,omitempty"` // the program that should fetch the package, such as npx
	Transport   Remote     `json:"transport"`
	RuntimeArgs []Argument `json:"runtimeArguments,omitempty"`
	PackageArgs []Argument `json:"packageArguments,omitempty"`
	Environment []Input    `json:"environmentVariables,omitempty"`
}

// Remote is an address of a server.
type Remote struct {
	Type    string  `json:"type"` // stdio, streamable-http or sse
	URL     string  `json:"url,omitempty"`
	Headers []Input `json:"headers,omitempty"`
}

// Input is a value that a server needs: an environment variable or a header.
type Input struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Value       string `json:"value,omitempty"` // fixed by the publisher
	Default     string `json:"default,omitempty"`
	Required    bool   `json:"isRequired,omitempty"`
	Secret      bool   `json:"isSecret,omitempty"`
}

// Argument is an argument of a program.
type Argument struct {
	Input
	Type string `json:"type"` // positional or named
	Hint string `json:"valueHint,omitempty"`
}

// UnmarshalJSON reads an entry in the form in which the registry sends it: the publisher's description, and next to it
// the registry's own information.
func (e *Entry) UnmarshalJSON(raw []byte) error {
	type plain Entry
	var sent struct {
		Server plain `json:"server"`
		Meta   struct {
			Official struct {
				Status string `json:"status"`
			} `json:"io.modelcontextprotocol.registry/official"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &sent); err != nil {
		return err
	}
	*e = Entry(sent.Server)
	if status := sent.Meta.Official.Status; status != "" {
		e.Status = status
	}
	return nil
}

// valid reports whether the name and the version of an entry have a valid form.
func (e *Entry) valid() bool { return IsName(e.Name) && versionForm().MatchString(e.Version) }

// Ways lists the packages and addresses of the server for people, such as "npm x@1.0.0 (stdio)".
func (e *Entry) Ways() []string {
	var all []string
	for _, p := range e.Packages {
		all = append(all, p.Type+" "+p.Pinned()+" ("+orStdio(p.Transport.Type)+")")
	}
	for _, r := range e.Remotes {
		all = append(all, r.Type+" "+r.URL)
	}
	return all
}

func orStdio(transport string) string {
	if transport == "" {
		return stdio
	}
	return transport
}

// Pinned returns the name of a package with its version, in the notation of its kind.
func (p *Package) Pinned() string {
	switch {
	case p.Type == oci && (p.Version == "" || hasTag(p.Identifier)), p.Type == "mcpb", p.Version == "":
		return p.Identifier
	case p.Type == oci:
		return p.Identifier + ":" + p.Version
	}
	return p.Identifier + "@" + p.Version
}

// hasTag reports whether the name of an image has a tag or a digest.
func hasTag(image string) bool {
	return strings.Contains(image[strings.LastIndex(image, "/")+1:], ":") || strings.Contains(image, "@")
}
