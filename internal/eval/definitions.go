package eval

import (
	"encoding/json"
	"strings"

	"mcpproxy/internal/scan/definition"
)

// Definition is one row of a corpus of definitions that are scanned without being measured.
type Definition struct {
	Place
	Server string
	Name   string
	Raw    json.RawMessage // as a server would declare it
	View   definition.ToolView
	Err    error                 // why there is no View
	Peers  []definition.ToolView // the tools of other servers
}

// unlabelled is a row whose label is optional.
type unlabelled struct {
	toolRow
}

func (u unlabelled) check() error {
	if u.Label == "" {
		u.Label = "benign"
	}
	return u.toolRow.check()
}

// Definitions reads the rows that [Tools] measures, without requiring labels.
func Definitions(o Options) ([]Definition, error) {
	rows, err := read[unlabelled](o)
	if err != nil {
		return nil, err
	}
	out := make([]Definition, len(rows))
	for i := range rows {
		r := &rows[i].data.toolRow
		d := Definition{
			Place:  rows[i].Place,
			Server: r.Server,
			Name:   r.Name,
			Raw:    r.definition(),
			Peers:  r.peers(),
		}
		d.View, d.Err = r.view(d.Raw)
		if r.Kind == definition.KindInstructions && strings.TrimSpace(d.Name) == "" {
			d.Name = string(definition.KindInstructions)
		}
		out[i] = d
	}
	return out, nil
}
