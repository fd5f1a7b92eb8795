package config

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"mcpproxy"
	"mcpproxy/internal/token"
)

// Schema returns the JSON Schema (draft 2020-12) of the configuration file.
func Schema() ([]byte, error) {
	list, err := jsonschema.For[[]Server](nil)
	if err != nil {
		return nil, fmt.Errorf("describing the servers: %w", err)
	}
	one, err := jsonschema.For[Server](nil)
	if err != nil {
		return nil, fmt.Errorf("describing a server: %w", err)
	}
	one.Required = nil
	for _, server := range []*jsonschema.Schema{one, list.Items} {
		narrow(server.Properties["oauth"], "store", oauthStores)
		isolation := server.Properties["isolation"].Properties
		isolation["network"] = networkSchema(isolation["network"].Description)
	}
	list.Items.Required = []string{"name"}
	list.Type, list.Types = "array", nil
	opts := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Servers](): {
			AnyOf: []*jsonschema.Schema{list, {Type: "object", AdditionalProperties: one}},
		},
		reflect.TypeFor[mcpproxy.Decision]():  enum(decisions),
		reflect.TypeFor[mcpproxy.Side]():      enum(sides),
		reflect.TypeFor[mcpproxy.Severity]():  enum(mcpproxy.Severities),
		reflect.TypeFor[mcpproxy.Operation](): enum(token.Operations),
	}}
	s, err := jsonschema.For[Config](opts)
	if err != nil {
		return nil, fmt.Errorf("describing the configuration: %w", err)
	}
	optional(s)
	security := s.Properties["security"].Properties
	rule := security["policies"].Items
	rule.Required = []string{"name", "when", "then"}
	security["suppressions"].Items.Required = []string{"rule"}
	security["pii_detection"].Properties["custom_patterns"].Items.Required = []string{"name", "regex", "severity"}
	narrow(security["flow_policy"], "session_taint", settling)
	narrow(security["flow_policy"], "opaque_payload", settling)
	narrow(security["exfiltration"], "action", settling)
	narrow(security["tool_policy"], "contradiction", settling)
	narrow(s.Properties["telemetry"].Properties["syslog"], "network", syslogNetworks)
	narrow(s.Properties["telemetry"].Properties["syslog"], "format", syslogFormats)
	narrow(s.Properties["activity"], "on_failure", onFailure)
	narrow(s.Properties["state"], "on_outage", onOutage)
	narrow(s.Properties["ship"], "mask", masks)
	narrow(security["tool_quarantine"], "program_change", programChange)
	narrow(s.Properties["tls"], "client_auth", clientAuth)
	if d, err := json.Marshal(Default()); err == nil {
		withDefaults(s, d)
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "mcpproxy configuration"
	return json.MarshalIndent(s, "", "  ")
}

func enum[T ~string](values []T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// narrow restricts a property of s to these values.
func narrow[T ~string](s *jsonschema.Schema, name string, values []T) {
	p := *s.Properties[name] // copied, because other properties may share it
	p.Enum = enum(values).Enum
	s.Properties[name] = &p
}

// optional makes every key optional, because every key has a default.
func optional(s *jsonschema.Schema) {
	s.Required = nil
	for _, p := range s.Properties {
		optional(p)
	}
	for _, inner := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if inner != nil && inner.Not == nil {
			optional(inner)
		}
	}
}

// withDefaults adds the default values to their keys.
func withDefaults(s *jsonschema.Schema, value json.RawMessage) {
	var members map[string]json.RawMessage
	if len(s.Properties) == 0 || json.Unmarshal(value, &members) != nil {
		return
	}
	for name, p := range s.Properties {
		if len(p.Properties) > 0 {
			withDefaults(p, members[name])
		} else if v := members[name]; v != nil && string(v) != "null" && name != "data_dir" {
			p.Default = v
		}
	}
}
