package config

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Servers are the configured MCP servers, in the order of the file.
type Servers []Server

// UnmarshalJSONFrom reads the array form, or the object form that Claude and
// Cursor write: {"name": {"command": …}}.
func (s *Servers) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return json.UnmarshalDecode(dec, (*[]Server)(s))
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	*s = nil
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		server := Server{Name: tok.String()}
		name := server.Name
		if err := json.UnmarshalDecode(dec, &server); err != nil {
			return err
		}
		server.Name = name
		*s = append(*s, server)
	}
	_, err := dec.ReadToken()
	return err
}
