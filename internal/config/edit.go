package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// ErrNoServer says that the configuration has no server of that name.
var ErrNoServer = errors.New("the configuration has no server of that name")

// AddServer adds a server that the user has named to the configuration file; see [AddServers].
// References to commands are allowed and not run.
func AddServer(path string, s Server) error { return addServers(path, []Server{s}, Lookup) }

// AddServers adds servers to the configuration file, all or none. Comments and the formatting of
// the other servers are kept. If the result is not a valid configuration, AddServers returns an
// error and writes nothing. It refuses references to commands, because other people may have
// written the servers, for example in a project's file.
func AddServers(path string, all []Server) error { return addServers(path, all, lookupOfOthers) }

func addServers(path string, all []Server, lookup func(kind, name string) (string, error)) error {
	if err := resolve(path, all, lookup); err != nil {
		return err
	}
	return edit(path, func(servers *hujson.Value) error { return add(servers, all) })
}

// resolve returns an error if a reference of the new servers cannot be resolved. The references of
// existing servers are not checked.
func resolve(path string, all []Server, lookup func(kind, name string) (string, error)) error {
	for _, s := range all {
		for _, text := range texts(s) {
			if _, err := expand(text, lookup); err != nil {
				return &Error{path, 0, err.Error()}
			}
		}
	}
	return nil
}

// texts returns the strings of a server that may contain references.
func texts(s Server) []string {
	out := slices.Concat(
		[]string{s.Protocol, s.Command, s.WorkingDir, s.URL},
		s.Args,
		slices.Sorted(maps.Values(s.Env)),
		slices.Sorted(maps.Values(s.Headers)),
	)
	if s.OAuth != nil {
		out = append(out, s.OAuth.Issuer, s.OAuth.ClientID, s.OAuth.ClientSecret)
	}
	return out
}

// lookupOfOthers is [Lookup] for servers that other people have written.
func lookupOfOthers(kind, name string) (string, error) {
	if kind == commandKind {
		return "", errors.New("a command is taken only from your own configuration: enter the server by hand")
	}
	return Lookup(kind, name)
}

// Trial checks whether servers could be added to a configuration file.
type Trial struct {
	path string
	raw  []byte
}

// NewTrial reads a configuration file. If the file does not exist, it uses the one that would be
// created.
func NewTrial(path string) (*Trial, error) {
	raw, err := ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		raw, err = []byte(starter), nil
	}
	if err != nil {
		return nil, err
	}
	return &Trial{path, raw}, nil
}

// Add returns an error if the server could not be added; see [AddServers]. It writes nothing.
func (t *Trial) Add(s Server) error {
	if err := resolve(t.path, []Server{s}, lookupOfOthers); err != nil {
		return err
	}
	_, err := edited(t.path, t.raw, func(servers *hujson.Value) error { return add(servers, []Server{s}) })
	return err
}

// add appends servers to the value of mcpServers.
func add(servers *hujson.Value, all []Server) error {
	for _, s := range all {
		name := s.Name
		switch list := servers.Value.(type) {
		case *hujson.Object:
			if slices.ContainsFunc(list.Members, func(m hujson.ObjectMember) bool { return nameOf(m.Name) == name }) {
				return taken(name)
			}
			s.Name = ""
			v, err := written(s)
			if err != nil {
				return err
			}
			v.BeforeExtra = []byte(" ")
			list.Members = append(list.Members, hujson.ObjectMember{
				Name: hujson.Value{BeforeExtra: behind(&list.AfterExtra, "  "), Value: hujson.String(name)}, Value: v})
		case *hujson.Array:
			if slices.ContainsFunc(list.Elements, func(e hujson.Value) bool { return nameIn(e) == name }) {
				return taken(name)
			}
			v, err := written(s)
			if err != nil {
				return err
			}
			v.BeforeExtra = behind(&list.AfterExtra, "  ")
			list.Elements = append(list.Elements, v)
		}
	}
	return nil
}

// RemoveServer removes a server from the configuration file; see [AddServer].
func RemoveServer(path, name string) error {
	return edit(path, func(servers *hujson.Value) error {
		left := 0
		switch list := servers.Value.(type) {
		case *hujson.Object:
			left = len(list.Members)
			list.Members = slices.DeleteFunc(
				list.Members,
				func(m hujson.ObjectMember) bool { return nameOf(m.Name) == name },
			)
			left -= len(list.Members)
		case *hujson.Array:
			left = len(list.Elements)
			list.Elements = slices.DeleteFunc(list.Elements, func(e hujson.Value) bool { return nameIn(e) == name })
			left -= len(list.Elements)
		}
		if left == 0 {
			return fmt.Errorf("%q: %w", name, ErrNoServer)
		}
		return nil
	})
}

// edit changes the servers in a configuration file, and writes it if it still holds.
func edit(path string, change func(servers *hujson.Value) error) error {
	return rewrite(path, func(raw []byte) ([]byte, error) { return edited(path, raw, change) })
}

// edited returns a configuration with changed servers if it is valid.
func edited(path string, raw []byte, change func(servers *hujson.Value) error) ([]byte, error) {
	v, err := hujson.Parse(whole(raw))
	if err != nil {
		return nil, locate(path, raw, err)
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, &Error{path, 0, "the file must be a JSON object"}
	}
	if err := change(serversIn(object)); err != nil {
		return nil, err
	}
	out := v.Pack()
	return out, holds(path, out)
}

// serversIn returns the value of mcpServers and creates it if necessary.
func serversIn(object *hujson.Object) *hujson.Value {
	for i := range object.Members {
		if nameOf(object.Members[i].Name) == "mcpServers" {
			return &object.Members[i].Value
		}
	}
	object.Members = append(
		object.Members,
		hujson.ObjectMember{
			Name:  hujson.Value{BeforeExtra: behind(&object.AfterExtra, ""), Value: hujson.String("mcpServers")},
			Value: hujson.Value{BeforeExtra: []byte(" "), Value: &hujson.Object{}},
		},
	)
	return &object.Members[len(object.Members)-1].Value
}

func nameOf(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok {
		return l.String()
	}
	return ""
}

// nameIn returns the name of an element in the array form.
func nameIn(v hujson.Value) string {
	if o, ok := v.Value.(*hujson.Object); ok {
		for _, m := range o.Members {
			if nameOf(m.Name) == "name" {
				return nameOf(m.Value)
			}
		}
	}
	return ""
}

// written returns the text of a server for the file, on one line. It contains the settings that the
// command line supports.
func written(s Server) (hujson.Value, error) {
	raw, err := json.Marshal(struct {
		Name        string            `json:"name,omitempty"`
		Protocol    string            `json:"protocol,omitempty"`
		Command     string            `json:"command,omitempty"`
		Args        []string          `json:"args,omitempty"`
		Env         map[string]string `json:"env,omitempty"`
		WorkingDir  string            `json:"working_dir,omitempty"`
		URL         string            `json:"url,omitempty"`
		Headers     map[string]string `json:"headers,omitempty"`
		OAuth       *OAuth            `json:"oauth,omitzero"`
		TimeoutSecs int               `json:"timeout_secs,omitzero"`
		Isolation   *Isolation        `json:"isolation,omitzero"`
	}{s.Name, s.Protocol, s.Command, s.Args, s.Env, s.WorkingDir, s.URL, s.Headers, s.OAuth, s.TimeoutSecs,
		s.Isolation}, json.Deterministic(true))
	if err != nil {
		return hujson.Value{}, err
	}
	v, err := hujson.Parse(raw)
	if err != nil {
		return hujson.Value{}, err
	}
	spaced(&v)
	return v, nil
}

// spaced puts spaces after colons and commas.
func spaced(v *hujson.Value) {
	switch list := v.Value.(type) {
	case *hujson.Object:
		for i := range list.Members {
			m := &list.Members[i]
			m.Value.BeforeExtra = []byte(" ")
			if i > 0 {
				m.Name.BeforeExtra = []byte(" ")
			}
			spaced(&m.Value)
		}
	case *hujson.Array:
		for i := range list.Elements {
			if i > 0 {
				list.Elements[i].BeforeExtra = []byte(" ")
			}
			spaced(&list.Elements[i])
		}
	}
}

// behind returns the white space and comments for a new last element: what followed the previous
// last element, such as a comment, and a line break with indentation. The closing bracket stays on
// its own line, indented as given.
func behind(after *hujson.Extra, indent string) hujson.Extra {
	before := append(bytes.TrimRight(*after, " \t\r\n"), "\n  "+indent...)
	*after = hujson.Extra("\n" + indent)
	return before
}

func taken(name string) error {
	return fmt.Errorf("there is a server %q already: `mcpproxy upstream remove %s` removes it", name, name)
}

// EnableServer sets whether mcpproxy connects to a server of the configuration file; see
// [AddServer]. It reports false if the file already has that value.
func EnableServer(path, name string, on bool) (changed bool, err error) {
	err = edit(path, func(servers *hujson.Value) error {
		server := find(servers, name)
		if server == nil {
			return fmt.Errorf("%q: %w", name, ErrNoServer)
		}
		changed = enable(server, on)
		return nil
	})
	return changed, err
}

// find returns the object of a server, or nil if the file does not name it.
func find(servers *hujson.Value, name string) *hujson.Object {
	switch list := servers.Value.(type) {
	case *hujson.Object:
		for i := range list.Members {
			if nameOf(list.Members[i].Name) == name {
				object, _ := list.Members[i].Value.Value.(*hujson.Object)
				return object
			}
		}
	case *hujson.Array:
		for i := range list.Elements {
			if nameIn(list.Elements[i]) == name {
				object, _ := list.Elements[i].Value.(*hujson.Object)
				return object
			}
		}
	}
	return nil
}

// enable sets the member enabled of a server and reports whether the value changed. A server
// without the member is enabled.
func enable(server *hujson.Object, on bool) bool {
	for i := range server.Members {
		if nameOf(server.Members[i].Name) != "enabled" {
			continue
		}
		value := &server.Members[i].Value
		if literal, ok := value.Value.(hujson.Literal); ok && literal.Bool() == on {
			return false
		}
		value.Value = hujson.Bool(on)
		return true
	}
	if on {
		return false
	}
	// Use the white space of the last member: its own line, or one space.
	before := hujson.Extra(" ")
	if n := len(server.Members); n > 0 {
		last := server.Members[n-1].Name.BeforeExtra
		if line := bytes.LastIndexByte(last, '\n'); line >= 0 {
			before = slices.Clone(last[line:])
		}
	}
	server.Members = append(server.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.String("enabled")},
		Value: hujson.Value{BeforeExtra: []byte(" "), Value: hujson.Bool(on)},
	})
	return true
}
