// Package source reads definitions of tools, prompts and instructions from files. It records the line of each value,
// so that a finding can name it.
package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"mcpproxy/internal/scan/definition"
)

// Read returns the definitions in a JSON file: in a result of tools/list or prompts/list (also within its JSON-RPC
// message), the instructions of an initialize result, a list of tools, or one tool.
func Read(name, server string) ([]Subject, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if server == "" {
		server = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	if strings.HasSuffix(name, ".jsonl") {
		return nil, fmt.Errorf("%s holds JSON Lines: scan it with --input %[1]s", name)
	}
	f := &definitionFile{name: name, server: server, lines: linesOf(raw)}
	// A repeated member is reported for its definition, not for the file.
	if plain, err := hujson.Standardize(bytes.Clone(raw)); err == nil && isConfiguration(plain) {
		return nil, fmt.Errorf("%s %w", name, errConfiguration)
	}
	if !jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, fmt.Errorf("%s is not JSON from line %d on", name, f.lines.last())
	}
	if err := f.read("", raw); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	if len(f.out) == 0 {
		return nil, fmt.Errorf("%s declares no tools", name)
	}
	return f.out, nil
}

// definitionFile is a file whose definitions are being collected.
type definitionFile struct {
	name, server string
	lines        lines
	out          []Subject
}

var errForm = errors.New(
	"holds no definitions: it should be the answer to tools/list ({\"tools\": […]}), a list of tools, or one tool ({\"name\": …})",
)

var errConfiguration = errors.New(
	"is a configuration: it names servers, but not their tools. Start the servers with `mcpproxy serve`, and then run `mcpproxy scan`",
)

// isConfiguration reports whether a document names servers.
func isConfiguration(raw []byte) bool {
	var named struct {
		Servers json.RawMessage `json:"mcpServers"`
	}
	return json.Unmarshal(raw, &named) == nil && named.Servers != nil
}

// read collects the definitions at a JSON pointer.
func (f *definitionFile) read(at string, raw json.RawMessage) error {
	if kind := jsontext.Value(bytes.TrimSpace(raw)).Kind(); kind == '[' {
		return f.list(at, raw, definition.FromTool)
	} else if kind != '{' {
		return errForm
	}
	members, err := membersOf(raw)
	if err != nil {
		return err
	}
	if _, ok := members["mcpServers"]; ok {
		return errConfiguration
	}
	if result, ok := members["result"]; ok && members["jsonrpc"] != nil {
		return f.read(at+"/result", result)
	}
	known := false
	for _, list := range []struct {
		member string
		view   func(string, json.RawMessage) (definition.ToolView, error)
	}{{"tools", definition.FromTool}, {"prompts", definition.FromPrompt}} {
		if raw, ok := members[list.member]; ok {
			known = true
			if err := f.list(at+"/"+list.member, raw, list.view); err != nil {
				return err
			}
		}
	}
	if raw, ok := members["instructions"]; ok &&
		(known || members["protocolVersion"] != nil || members["serverInfo"] != nil) {
		known = true
		var words string
		if err := json.Unmarshal(raw, &words); err == nil && words != "" {
			f.add(at, definition.FromInstructions(f.server, words), nil, string(definition.KindInstructions))
		}
	}
	if _, ok := members["name"]; ok && !known {
		view, err := definition.FromTool(f.server, raw)
		f.add(at, view, err, nameIn(raw))
		return nil
	}
	if !known {
		return errForm
	}
	return nil
}

// membersOf returns the members of an object that contains definitions. A repeated member is an error, because it is
// not known which one a client reads.
func membersOf(raw []byte) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, errForm
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, errForm
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, errForm
		}
		if _, twice := out[key]; twice && slices.Contains(containers, key) {
			return nil, fmt.Errorf("has two members %q in one object, and a client may use either", key)
		}
		out[key] = json.RawMessage(value.Clone())
	}
	return out, nil
}

// containers are the members that hold definitions.
var containers = []string{"tools", "prompts", "instructions", "result"}

// list collects the definitions of a list.
func (f *definitionFile) list(
	at string,
	raw json.RawMessage,
	view func(string, json.RawMessage) (definition.ToolView, error),
) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return errForm
	}
	for i, item := range items {
		v, err := view(f.server, item)
		f.add(at+"/"+strconv.Itoa(i), v, err, nameIn(item))
	}
	return nil
}

func (f *definitionFile) add(at string, v definition.ToolView, err error, name string) {
	f.out = append(f.out, Subject{
		View:    v,
		Err:     err,
		Server:  f.server,
		Name:    name,
		File:    f.name,
		Pointer: at,
		lines:   f.lines,
	})
}

// lines holds the line of a file on which each value begins.
type lines map[string]int

// maxLineDepth is the maximum depth of a value whose own line is recorded.
const maxLineDepth = 64

// linesOf reads a file once. For a file that is not valid JSON it records the lines before the error.
func linesOf(raw []byte) lines {
	var ends []int
	for i, c := range raw {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	out := lines{"": 1}
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := d.ReadToken(); err != nil {
			return out
		}
		if d.StackDepth() > maxLineDepth {
			continue
		}
		at := string(d.StackPointer())
		if _, ok := out[at]; !ok { // a member's name comes before its value
			out[at] = 1 + sort.SearchInts(ends, max(int(d.InputOffset())-1, 0))
		}
	}
}

// last returns the last recorded line.
func (l lines) last() int { return slices.Max(slices.Collect(maps.Values(l))) }

// at returns the line of the value at a pointer, or of the nearest enclosing value.
func (l lines) at(pointer string) int {
	for {
		if n, ok := l[pointer]; ok {
			return n
		}
		i := strings.LastIndexByte(pointer, '/')
		if i < 0 {
			return 1
		}
		pointer = pointer[:i]
	}
}
