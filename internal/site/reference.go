package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The reference is made as Markdown from the program and from the description of its API. It is then rendered like all
// other pages.

// referenceFolder is the folder of the reference in the site.
const referenceFolder = "docs/reference/"

// reference returns the pages of the reference: the commands and the configuration of a built mcpproxy, and the API in
// web/openapi.json. CI checks that this file describes the program's API.
func reference(ctx context.Context, root, program string) ([]*page, error) {
	commands, err := output(ctx, program, "man", "--markdown")
	if err != nil {
		return nil, err
	}
	raw, err := output(ctx, program, "config", "schema")
	if err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, fmt.Errorf("reading the schema of the configuration: %w", err)
	}
	raw, err = os.ReadFile(filepath.Join(root, "web", "openapi.json"))
	if err != nil {
		return nil, fmt.Errorf("reading the description of the API: %w", err)
	}
	var api document
	if err := json.Unmarshal(raw, &api); err != nil {
		return nil, fmt.Errorf("reading the description of the API: %w", err)
	}
	return []*page{
		parse(referenceFolder+"commands.md", commands),
		parse(referenceFolder+"configuration.md", configuration(&schema)),
		parse(referenceFolder+"api.md", api.markdown()),
	}, nil
}

// output runs the program without the user's settings, and returns its output.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"HOME=/nonexistent"}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, said.String())
	}
	return out.Bytes(), nil
}

// configuration returns the page with all keys of the configuration.
func configuration(s *jsonschema.Schema) []byte {
	var b bytes.Buffer
	b.WriteString("# Reference: configuration\n\nEvery key of the configuration file, made from the program itself. " +
		"[Configure it](../configure.md) says how they are used, and `mcpproxy config schema` prints them for editors. " +
		"`NAME` stands for a name of your own, and `[]` for each element of a list.\n\n")
	for _, name := range named(s) {
		fmt.Fprintf(&b, "## %s\n\n| key | value | default | |\n|---|---|---|---|\n", name)
		keys(&b, name, s.Properties[name])
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// named returns the sorted names of an object's members.
func named(s *jsonschema.Schema) []string { return slices.Sorted(maps.Keys(s.Properties)) }

// keys writes a row for a key and for each key below it.
func keys(b *bytes.Buffer, path string, s *jsonschema.Schema) {
	below := s
	for _, form := range s.AnyOf { // if a value has several forms, the first one that has keys is shown
		if form.Items != nil || len(form.Properties) > 0 {
			below = form
			break
		}
	}
	if len(below.Properties) == 0 || s.Description != "" {
		value := ""
		if s.Default != nil {
			value = code(string(s.Default))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, valueOf(s), value, escaped(s.Description))
	}
	for _, name := range named(below) {
		keys(b, path+"."+name, below.Properties[name])
	}
	if below.Items != nil && len(below.Items.Properties) > 0 {
		keys(b, path+"[]", below.Items)
	}
	if more := below.AdditionalProperties; more != nil && more.Not == nil && len(more.Properties) > 0 {
		keys(b, path+".NAME", more)
	}
}

// valueOf returns the values that a schema allows, in words.
func valueOf(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		var all []string
		for _, v := range s.Enum {
			all = append(all, code(fmt.Sprint(v)))
		}
		return strings.Join(all, ", ")
	}
	var kinds []string
	for _, form := range append([]*jsonschema.Schema{s}, slices.Concat(s.AnyOf, s.OneOf)...) {
		for _, kind := range append([]string{form.Type}, form.Types...) {
			if kind != "" && kind != "null" && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return strings.Join(kinds, " or ")
}

// document is the part of an OpenAPI document that the reference shows.
type document struct {
	Paths map[string]map[string]operation `json:"paths"`
}

type operation struct {
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	Body        *struct {
		Content map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Description string `json:"description"`
		Content     map[string]struct {
			Example json.RawMessage `json:"example"`
		} `json:"content"`
	} `json:"responses"`
}

type parameter struct {
	Name        string             `json:"name"`
	In          string             `json:"in"`
	Description string             `json:"description"`
	Required    bool               `json:"required"`
	Schema      *jsonschema.Schema `json:"schema"`
}

// markdown returns the page about the API.
func (d document) markdown() []byte {
	var b bytes.Buffer
	b.WriteString("# Reference: API\n\nEvery route, made from the program itself; `GET /openapi.json` is the whole " +
		"description, with schemas. [The activity log](../activity.md) says how to send the key.\n\n")
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			summary := escaped(strings.TrimSuffix(o.Summary, "."))
			fmt.Fprintf(&b, "## %s %s\n\n%s.\n\n", strings.ToUpper(method), escaped(path), summary)
			if o.Description != "" {
				b.WriteString(escaped(o.Description) + "\n\n")
			}
			o.markdown(&b)
		}
	}
	return b.Bytes()
}

// markdown writes the parameters and answers of a route.
func (o operation) markdown(b *bytes.Buffer) {
	if len(o.Parameters) > 0 {
		b.WriteString("| parameter | in | value | |\n|---|---|---|---|\n")
	}
	for _, p := range o.Parameters {
		in, value := p.In, ""
		if p.Required {
			in += ", required"
		}
		if p.Schema != nil {
			value = valueOf(p.Schema)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Name, in, value, escaped(p.Description))
	}
	b.WriteByte('\n')
	if o.Body != nil {
		example(b, "The body, for example:", o.Body.Content["application/json"].Example)
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		answer := o.Responses[status]
		if strings.HasPrefix(status, "2") {
			example(b, "The answer ("+status+"), for example:", answer.Content["application/json"].Example)
		}
	}
	b.WriteString("| status | |\n|---|---|\n")
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		fmt.Fprintf(b, "| %s | %s |\n", status, escaped(o.Responses[status].Description))
	}
	b.WriteByte('\n')
}

// example writes an example as a block of code.
func example(b *bytes.Buffer, what string, value json.RawMessage) {
	var lines bytes.Buffer
	if len(value) == 0 || json.Indent(&lines, value, "    ", "  ") != nil {
		return
	}
	fmt.Fprintf(b, "%s\n\n    %s\n\n", what, lines.Bytes())
}

// code returns a text as code for a table cell.
func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", `\|`, "\n", " ").Replace(text) + "`"
}

// escaped returns a text in which every character with a meaning in Markdown is escaped.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>()#+-!|&~$=.:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
