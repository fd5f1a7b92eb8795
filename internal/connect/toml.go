package connect

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"mcpproxy/internal/lazyregexp"
)

// tomlForm is the format of Codex: a table for each server. It changes lines of the text, and then
// parses the result: if anything except our table has changed, the file is not written.
type tomlForm struct{}

// header matches the header of our table and of the tables inside it.
var header = lazyregexp.New(`^\s*\[\s*mcp_servers\s*\.\s*(?:mcpproxy|"mcpproxy"|'mcpproxy')\s*[.\]]`)

func (t tomlForm) enter(p Place, raw []byte, w Way) ([]byte, error) {
	doc, err := parseTOML(p.Path, raw)
	if err != nil {
		return nil, err
	}
	e, err := entryOf(p.agent, w)
	if err != nil {
		return nil, err
	}
	ours, snippet := map[string]any{}, "[mcp_servers."+Name+"]\n"
	if e.URL != "" {
		ours["url"] = e.URL
		snippet += "url = " + quoted(e.URL) + "\n"
		if value, ok := e.Headers["Authorization"]; ok {
			ours["http_headers"] = map[string]any{"Authorization": value}
			snippet += "http_headers = { Authorization = " + quoted(value) + " }\n"
		}
	} else {
		args, words := []any{}, []string{}
		for _, a := range e.Args {
			args, words = append(args, a), append(words, quoted(a))
		}
		ours["command"], ours["args"] = e.Command, args
		snippet += "command = " + quoted(e.Command.(string)) + "\nargs = [" + strings.Join(words, ", ") + "]\n"
	}
	if have, ok := table(doc)[Name].(map[string]any); ok && says(have, ours) {
		return raw, nil
	}
	out, err := t.remove(p, raw)
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(raw, []byte("\r\n")) {
		newline, snippet = "\r\n", strings.ReplaceAll(snippet, "\n", "\r\n")
	}
	out = slices.Clone(out)
	if len(out) > 0 {
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, newline...)
		}
		if !bytes.HasSuffix(out, []byte(newline+newline)) {
			out = append(out, newline...)
		}
	}
	out = append(out, snippet...)
	return out, sameBut(p, doc, out, ours)
}

func (tomlForm) remove(p Place, raw []byte) ([]byte, error) {
	doc, err := parseTOML(p.Path, raw)
	if err != nil {
		return nil, err
	}
	if _, there := table(doc)[Name]; !there {
		return raw, nil
	}
	var out, held []string // held may belong to the end of our table, or precede the next one
	in, open := false, ""
	for l := range strings.Lines(string(raw)) {
		text, inside := strings.TrimSpace(l), open != ""
		open = longText(l, open)
		switch {
		case inside && in:
			out, held = append(out, remarks(held)...), nil
		case inside:
			out = append(out, l)
		case header().MatchString(l):
			if !in && len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "" {
				out = out[:len(out)-1] // the blank line that separated it
			}
			out, held = append(out, remarks(held)...), nil
			in = true
		case in && strings.HasPrefix(text, "["):
			out, held = append(append(out, held...), l), nil
			in = false
		case in && (text == "" || strings.HasPrefix(text, "#")):
			held = append(held, l)
		case in:
			out, held = append(out, remarks(held)...), nil
		default:
			out = append(out, l)
		}
	}
	out = append(out, remarks(held)...)
	removed := []byte(strings.Join(out, ""))
	return removed, sameBut(p, doc, removed, nil)
}

// longText returns the delimiter of a multi-line string that continues after a line, or "". Before is the result for
// the previous line.
func longText(line, before string) string {
	if before == "" && strings.HasPrefix(strings.TrimSpace(line), "#") {
		return ""
	}
	for mark := before; ; {
		if mark != "" {
			_, rest, ends := strings.Cut(line, mark)
			if !ends {
				return mark
			}
			line = rest
		}
		i := strings.Index(line, `"""`)
		j := strings.Index(line, "'''")
		switch {
		case i < 0 && j < 0:
			return ""
		case j < 0 || i >= 0 && i < j:
			mark, line = `"""`, line[i+3:]
		default:
			mark, line = "'''", line[j+3:]
		}
	}
}

// remarks returns the lines that are comments.
func remarks(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// sameBut returns an error unless a changed file equals doc except for our table, which must be as
// given; nil means that there must be no such table.
func sameBut(p Place, doc map[string]any, changed []byte, ours map[string]any) error {
	after, err := parseTOML(p.Path, changed)
	if err == nil {
		have, there := table(after)[Name]
		if there != (ours != nil) || there && !reflect.DeepEqual(have, any(ours)) ||
			!reflect.DeepEqual(without(doc), without(after)) {
			err = errors.New("")
		}
	}
	if err != nil {
		return fmt.Errorf(
			"%s: its tables under mcp_servers are written in a form that mcpproxy cannot edit; edit mcp_servers.%s by hand",
			p.Path,
			Name,
		)
	}
	return nil
}

// without returns a document without our table, and without the list if it had no other table.
func without(doc map[string]any) map[string]any {
	out := maps.Clone(doc)
	list := maps.Clone(table(doc))
	delete(list, Name)
	delete(out, "mcp_servers")
	if len(list) > 0 {
		out["mcp_servers"] = list
	}
	return out
}

// table returns the list of servers, or nil.
func table(doc map[string]any) map[string]any {
	list, _ := doc["mcp_servers"].(map[string]any)
	return list
}

func parseTOML(path string, raw []byte) (map[string]any, error) {
	doc := map[string]any{}
	err := toml.Unmarshal(raw, &doc)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return nil, fmt.Errorf("%s:%d: %s; nothing was changed", path, line, strings.TrimPrefix(e.Error(), "toml: "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	return doc, nil
}

// quoted returns a string as TOML writes it.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (tomlForm) list(p Place, raw []byte) ([]named, error) {
	doc, err := parseTOML(p.Path, raw)
	if err != nil {
		return nil, err
	}
	return tables(table(doc)), nil
}

// tables returns the entries of a table, sorted by name, because the parser does not keep the order of the file.
func tables(list map[string]any) []named {
	var all []named
	for _, name := range slices.Sorted(maps.Keys(list)) {
		e, _ := list[name].(map[string]any)
		all = append(all, named{name, e})
	}
	return all
}
