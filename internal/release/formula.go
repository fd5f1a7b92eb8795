package main

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed formula.tmpl
var formulaText string

var formula = template.Must(template.New("formula").Parse(formulaText))

// formula writes the Homebrew formula, which installs the archives for macOS and Linux.
func (r *release) formula() error {
	digests, err := r.digests()
	if err != nil {
		return err
	}
	type archive struct{ URL, SHA256 string }
	of := map[string]map[string]archive{}
	for _, p := range platforms {
		if p.system == "windows" {
			continue
		}
		if of[p.system] == nil {
			of[p.system] = map[string]archive{}
		}
		name := r.archiveName(p)
		of[p.system][p.machine] = archive{strings.TrimSuffix(r.base, "/") + "/" + name, digests[name]}
	}
	var b strings.Builder
	err = formula.Execute(&b, map[string]any{"Version": r.number(), "Of": of, "Summary": strings.ToUpper(summary[:1]) + summary[1:]})
	if err != nil {
		return err
	}
	return r.write("mcpproxy.rb", []byte(b.String()))
}
