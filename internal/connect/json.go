package connect

import (
	"bytes"
	"encoding/json"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/settings"
)

// jsonForm is the format of nearly all agents: an object whose members are the servers.
type jsonForm struct{}

func (jsonForm) enter(p Place, raw []byte, w Way) ([]byte, error) {
	e, err := entryOf(p.agent, w)
	if err != nil {
		return nil, err
	}
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil, err
	}
	keys := p.keys
	if p.second(f) {
		keys = append(keys[:1:1], "servers")
	}
	object := f.Object
	for depth, key := range keys {
		inner, err := f.Child(object, key, '{')
		if err != nil {
			return nil, err
		}
		if inner == nil {
			inner = f.Add(object, depth, key, json.RawMessage("{}"))
		}
		object = inner.(*hujson.Object)
	}
	if i := f.Index(object, Name); i >= 0 {
		if have := members(object)[i]; says(have.entry, e.object()) {
			return raw, nil
		}
		f.Remove(object, i)
	}
	f.Add(object, len(keys), Name, e)
	return f.Bytes(), nil
}

// object returns an entry as it is read.
func (e entry) object() (object map[string]any) {
	raw, err := json.Marshal(e)
	if err == nil {
		err = json.Unmarshal(raw, &object)
	}
	if err != nil {
		panic("connect: " + err.Error()) // it has only strings and lists of strings
	}
	return object
}

func (jsonForm) remove(p Place, raw []byte) ([]byte, error) {
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil, err
	}
	list, err := p.listIn(f)
	if err != nil || list == nil {
		return raw, err
	}
	i := f.Index(list, Name)
	if i < 0 {
		return raw, nil
	}
	f.Remove(list, i)
	if parent, i := p.parent(f); len(list.Members) == 0 && parent != nil && !settings.Commented(parent.Members[i]) {
		f.Remove(parent, i)
	}
	return f.Bytes(), nil
}

// listIn returns the list of servers in a file; nil if there is none.
func (p Place) listIn(f *settings.File) (*hujson.Object, error) {
	object := f.Object
	for _, key := range p.keys {
		inner, err := f.Child(object, key, '{')
		if inner == nil || err != nil {
			return nil, err
		}
		object = inner.(*hujson.Object)
	}
	if p.second(f) {
		inner, err := f.Child(object, "servers", '{')
		if inner == nil || err != nil {
			return nil, err
		}
		object = inner.(*hujson.Object)
	}
	return object, nil
}

// parent returns the object that contains the list of servers, and the index of the list in it. It returns nil if the
// list is nested deeper.
func (p Place) parent(f *settings.File) (*hujson.Object, int) {
	if len(p.keys) != 1 || p.second(f) {
		return nil, 0
	}
	i := f.Index(f.Object, p.keys[0])
	if i < 0 {
		return nil, 0
	}
	return f.Object, i
}

// second reports whether a file has the form of opencode 2, in which the servers are one object deeper. opencode 2
// also reads the older form.
func (p Place) second(f *settings.File) bool {
	if len(p.keys) != 1 || p.keys[0] != "mcp" {
		return false
	}
	i := f.Index(f.Object, "mcp")
	if i < 0 {
		return false
	}
	deeper, ok := settings.Member(f.Object.Members[i].Value, "servers").(*hujson.Object)
	return ok && settings.Member(hujson.Value{Value: deeper}, "type") == nil
}

func (jsonForm) list(p Place, raw []byte) ([]named, error) {
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil, err
	}
	list, err := p.listIn(f)
	if err != nil || list == nil {
		return nil, err
	}
	return members(list), nil
}

// members returns the entries of an object. An entry that is not an object itself has no members.
func members(list *hujson.Object) []named {
	var all []named
	for _, m := range list.Members {
		n := named{name: m.Name.Value.(hujson.Literal).String()}
		v := m.Value.Clone()
		v.Standardize()
		dec := json.NewDecoder(bytes.NewReader(v.Pack()))
		dec.UseNumber()
		_ = dec.Decode(&n.entry)
		all = append(all, n)
	}
	return all
}
