package connect

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// yamlForm is the form of Goose, which is read and never written.
type yamlForm struct{}

func (yamlForm) enter(p Place, _ []byte, w Way) ([]byte, error) {
	_, err := entryOf(p.agent, w)
	return nil, err
}

func (yamlForm) remove(_ Place, raw []byte) ([]byte, error) { return raw, nil }

// builtIn are the types of extensions that are parts of Goose itself.
var builtIn = map[any]bool{
	"builtin":       true,
	"platform":      true,
	"frontend":      true,
	"inline_python": true,
}

func (yamlForm) list(p Place, raw []byte) ([]named, error) {
	var doc struct {
		Extensions yaml.Node `yaml:"extensions"`
	}
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	var all []named
	for i := 0; i+1 < len(doc.Extensions.Content); i += 2 {
		n := named{name: doc.Extensions.Content[i].Value}
		if doc.Extensions.Content[i+1].Decode(&n.entry) != nil || builtIn[n.entry["type"]] {
			continue
		}
		all = append(all, n)
	}
	return all, nil
}
