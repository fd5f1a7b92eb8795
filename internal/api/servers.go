package api

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpproxy"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// Server is one configured server with its state and its classification.
type Server struct {
	upstream.Status
	Class mcpproxy.Class `json:"classification"`
	Tools int            `json:"tools"`
	// Held counts the definitions that agents do not see. Quarantine holds all definitions of the
	// server.
	Held       int                `json:"held" doc:"Definitions that agents can neither see nor use"`
	Quarantine *trust.ServerState `json:"quarantine,omitempty" doc:"Why the whole server is held, when it is"`
}

func (s *server) servers(context.Context, *struct{}) (*answer[[]Server], error) {
	out := []Server{}
	for _, st := range s.statuses() {
		class, _ := s.Classify(st.Name, "", nil)
		one := Server{Status: st, Class: class, Tools: len(s.Catalog.Of(st.Name))}
		one.Held, one.Quarantine = s.held(st.Name)
		out = append(out, one)
	}
	return success(out)
}

// Tool is one tool with its classification.
type Tool struct {
	Server      string             `json:"server"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Class       mcpproxy.Class     `json:"classification"`
	Operation   mcpproxy.Operation `json:"operation"`
	InputSchema json.RawMessage    `json:"input_schema,omitempty"`
	Score       float64            `json:"score,omitempty"`
	Definition  json.RawMessage    `json:"definition,omitempty"` // as the server declared it; only on request
	Trust       *Trust             `json:"trust,omitempty" doc:"State of the definition, in the list of one server"`
}

func (s *server) tool(t *mcpproxy.Tool) Tool {
	class, op := s.Classify(t.Server, t.Name, t)
	return Tool{
		Server:      t.Server,
		Name:        t.Name,
		Description: t.Description,
		Class:       class,
		Operation:   op,
		InputSchema: t.InputSchema,
	}
}

// Named is the path parameter that names a server.
type Named struct {
	Name string `path:"name" doc:"Name of a server"`
}

// known refuses the names of unknown servers.
func (s *server) known(name string) error {
	if _, ok := s.Servers.Get(name); !ok {
		return newError(404, fmt.Sprintf("there is no server %q", name))
	}
	return nil
}

func (s *server) logs(_ context.Context, in *Named) (*answer[[]upstream.LogLine], error) {
	server, ok := s.Servers.Get(in.Name)
	if !ok {
		return nil, newError(404, fmt.Sprintf("there is no server %q", in.Name))
	}
	lines := append([]upstream.LogLine{}, server.Logs()...)
	for i := range lines {
		if s.Mask != nil {
			lines[i].Text = s.Mask(lines[i].Text)
		}
	}
	return success(lines)
}

// Restarted names a server that is reconnecting.
type Restarted struct {
	Server string `json:"server"`
}

// restart closes the links to a server and reconnects it.
func (s *server) restart(_ context.Context, in *Named) (*answer[Restarted], error) {
	if err := s.known(in.Name); err != nil {
		return nil, err
	}
	s.Servers.Reopen(in.Name)
	return success(Restarted{in.Name})
}

type searched struct {
	Query string `query:"q" doc:"What the tool should do; all tools when empty"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (s *server) search(_ context.Context, in *searched) (*answer[[]Tool], error) {
	out := []Tool{}
	if in.Query == "" {
		for _, t := range s.Catalog.All() {
			out = append(out, s.tool(t))
		}
		return success(out[:min(len(out), in.Limit)])
	}
	for _, h := range s.Catalog.Search(in.Query, in.Limit) {
		t := s.tool(h.Tool)
		t.Score = h.Score
		out = append(out, t)
	}
	return success(out)
}
