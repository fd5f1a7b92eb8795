package config

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy/internal/egress"
)

// observeNetwork is the value of isolation.network that records hosts and refuses none.
const observeNetwork = "observe"

// Network says what a confined server can reach: the whole network, nothing, or a list of hosts.
type Network struct {
	Open    bool     // everything, without mcpproxy's proxy
	Observe bool     // everything through the proxy, which records the hosts
	Hosts   []string // otherwise the only allowed hosts, through the proxy; empty allows none
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

// MarshalJSONTo writes the form that UnmarshalJSONFrom reads.
func (n Network) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch {
	case n.Observe:
		return enc.WriteToken(jsontext.String(observeNetwork))
	case n.Hosts != nil:
		return json.MarshalEncode(enc, n.Hosts)
	}
	return enc.WriteToken(jsontext.Bool(n.Open))
}

// List returns the list of hosts for the proxy, or nil if the server has no proxy.
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

// Closed reports whether the server cannot reach the network.
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
