package config

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy/internal/egress"
)

// observeNetwork is the value of isolation.network with which hosts are recorded and none is refused.
const observeNetwork = "observe"

// Network says what a confined server reaches of the network: all of it, nothing, or a list of hosts.
type Network struct {
	Open    bool     // all of it, and mcpproxy sees nothing of it
	Observe bool     // all of it by the proxy, which records the hosts
	Hosts   []string // if neither of the others is set: the only hosts, reached by the proxy; empty allows no host
}

// UnmarshalJSONFrom reads true, false, "observe" or a list of hosts.
func (n *Network) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*n = Network{}
	switch dec.PeekKind() {
	case '[':
		return json.UnmarshalDecode(dec, &n.Hosts)
	case '"':
		var word string
		if err := json.UnmarshalDecode(dec, &word); err != nil {
			return err
		}
		if word != observeNetwork {
			return errors.New(`network must be true, false, "observe" or a list of hosts`)
		}
		n.Observe = true
		return nil
	}
	return json.UnmarshalDecode(dec, &n.Open)
}

// MarshalJSONTo writes what UnmarshalJSONFrom reads.
func (n Network) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch {
	case n.Observe:
		return enc.WriteToken(jsontext.String(observeNetwork))
	case n.Hosts != nil:
		return json.MarshalEncode(enc, n.Hosts)
	}
	return enc.WriteToken(jsontext.Bool(n.Open))
}

// List is the list of hosts for the proxy; nil where the server has no proxy.
func (n *Network) List() (*egress.List, error) {
	switch {
	case n == nil, n.Open:
		return nil, nil
	case n.Observe:
		return egress.Observing(), nil
	case len(n.Hosts) == 0:
		return nil, nil
	}
	return egress.ParseList(n.Hosts)
}

// Closed reports whether the server reaches nothing.
func (n *Network) Closed() bool { return n != nil && !n.Open && !n.Observe && len(n.Hosts) == 0 }

func (n *Network) check(at string) error {
	if _, err := n.List(); err != nil {
		return bad(at, "%s", err)
	}
	return nil
}

// networkSchema describes the forms of isolation.network.
func networkSchema(description string) *jsonschema.Schema {
	observe := any(observeNetwork)
	return &jsonschema.Schema{
		Description: description,
		AnyOf: []*jsonschema.Schema{
			{Types: []string{"null", "boolean"}},
			{Const: &observe},
			{Type: "array", Items: &jsonschema.Schema{Type: "string"}},
		},
	}
}
