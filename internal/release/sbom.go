package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bom is a software bill of materials in the format CycloneDX 1.6 (ECMA-424).
type bom struct {
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	Serial       string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     bomMetadata `json:"metadata"`
	Components   []component `json:"components"`
	Dependencies []depends   `json:"dependencies"`
}

type bomMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

// component is one component of the program.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []bomHash  `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type depends struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// bundled are the npm packages whose code is part of the web page: the runtime of svelte and the two packages that it
// imports.
var bundled = []string{"clsx", "esm-env", "svelte"}

// bomName returns the file name of the bill of materials for a platform.
func (r *release) bomName(p platform) string {
	return "mcpproxy_" + r.number() + "_" + p.String() + ".cdx.json"
}

// bom writes the bill of materials of a program: the modules in its build information, Go's standard library, and the
// npm packages in the web page.
func (r *release) bom(p platform, program string) error {
	modules, err := r.linked(program)
	if err != nil {
		return err
	}
	page, err := r.page()
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	self := component{
		Type:       "application",
		Ref:        "mcpproxy",
		Name:       "mcpproxy",
		Version:    r.version,
		Hashes:     []bomHash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Properties: []property{{"mcpproxy:platform", p.system + "/" + p.machine}, {"mcpproxy:commit", r.commit}},
	}
	list := bom{
		Format:      "CycloneDX",
		SpecVersion: "1.6",
		Serial:      "urn:uuid:" + uuidOf(sum),
		Version:     1,
		Metadata: bomMetadata{
			Timestamp: r.time.Format("2006-01-02T15:04:05Z"),
			Component: self,
		},
		Components: slices.Concat(modules, page),
	}
	on := depends{Ref: self.Ref}
	for _, c := range list.Components {
		on.On = append(on.On, c.Ref)
	}
	list.Dependencies = []depends{on}
	out, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return r.write(r.bomName(p), append(out, '\n'))
}

// uuidOf returns a UUID that is derived from a hash (RFC 9562, version 8).
func uuidOf(sum [32]byte) string {
	b := sum[:16]
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// linked returns the modules in a program's build information, and Go's standard library.
func (r *release) linked(program string) ([]component, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	out := []component{{
		Type:    "library",
		Ref:     "pkg:golang/std@" + version,
		Name:    "std",
		Version: version,
		PURL:    "pkg:golang/std@" + version,
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		purl := "pkg:golang/" + strings.ReplaceAll(m.Path, "~", "%7E") + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
		out = append(out, component{
			Type:       "library",
			Ref:        purl,
			Name:       m.Path,
			Version:    m.Version,
			PURL:       purl,
			Properties: []property{{"go:sum", m.Sum}}, // the hash in go.sum, which is not the hash of a file
		})
	}
	return out, nil
}

// page returns the npm packages in the web page, with the versions in the lock file.
func (r *release) page() ([]component, error) {
	raw, err := os.ReadFile(filepath.Join(r.root, "web", "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("web/package-lock.json: %w", err)
	}
	var out []component
	for _, name := range bundled {
		p, known := lock.Packages["node_modules/"+name]
		if !known {
			return nil, fmt.Errorf("web/package-lock.json does not have %s, which the list of parts names", name)
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil {
			return nil, fmt.Errorf("web/package-lock.json: the hash of %s: %w", name, err)
		}
		purl := "pkg:npm/" + name + "@" + p.Version
		out = append(out, component{
			Type:    "library",
			Ref:     purl,
			Name:    name,
			Version: p.Version,
			PURL:    purl,
			Hashes:  []bomHash{{"SHA-512", hex.EncodeToString(sum)}},
		})
	}
	return out, nil
}

// requirements returns the modules in go.sum as resolved dependencies of the build.
func requirements(goSum []byte) []map[string]any {
	var out []map[string]any
	for lines := bufio.NewScanner(bytes.NewReader(goSum)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") {
			continue
		}
		out = append(out, map[string]any{
			"uri":         "pkg:golang/" + f[0] + "@" + f[1],
			"annotations": map[string]string{"go:sum": f[2]},
		})
	}
	return out
}
