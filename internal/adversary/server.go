package adversary

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Server plays acts as one MCP server. Several clients may use it at once; it counts the calls and lists of all of
// them together.
type Server struct {
	acts []Act
	now  func() time.Time

	mu        sync.Mutex
	start     time.Time // time of the first list; zero before
	calls     int
	lists     int
	announced int // the version of the plan that was last announced
}

// NewServer returns a server with the tools, prompts and resources of all acts. If several tools have the same name, a
// call uses the first.
func NewServer(acts ...Act) *Server { return newServer(time.Now, acts...) }

func newServer(now func() time.Time, acts ...Act) *Server {
	return &Server{acts: acts, now: now}
}

// Reply is the server's reaction to a message.
type Reply struct {
	Messages [][]byte      // to send, in this order; they may be invalid JSON
	Delay    time.Duration // time to wait before sending
	Hang     bool          // never answer
	Crash    bool          // end the server
}

// request is a message of a client.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string `json:"name"`
		URI             string `json:"uri"`
		Cursor          string `json:"cursor"`
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"params"`
}

// Answer returns the server's reaction to one message. Unreadable messages are answered with an error, and
// notifications with nothing.
func (s *Server) Answer(raw []byte) Reply {
	var m request
	if err := json.Unmarshal(raw, &m); err != nil {
		return failure(json.RawMessage("null"), -32700, "this is not a JSON-RPC message")
	}
	if len(m.ID) == 0 || m.Method == "" {
		return Reply{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Method {
	case "initialize":
		return success(m.ID, s.hello(m))
	case "ping", "logging/setLevel":
		return success(m.ID, json.RawMessage("{}"))
	case "tools/list":
		s.begin()
		return s.announce(success(m.ID, s.listTools(m)))
	case "tools/call":
		return s.announce(s.call(m))
	case "prompts/list":
		s.begin()
		return s.announce(success(m.ID, object([]member{{"prompts", encode(emptyFor(s.prompts()))}})))
	case "prompts/get":
		return s.get(m)
	case "resources/list":
		return success(m.ID, object([]member{{"resources", encode(s.resources())}}))
	case "resources/templates/list":
		return success(m.ID, json.RawMessage(`{"resourceTemplates":[]}`))
	case "resources/read":
		return s.read(m)
	}
	return failure(m.ID, -32601, "this server has no method "+strconv.Quote(m.Method))
}

// revisions are the supported protocol revisions, newest first.
var revisions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

func (s *Server) hello(m request) json.RawMessage {
	version := m.Params.ProtocolVersion
	if !slices.Contains(revisions, version) {
		version = revisions[0]
	}
	changes := map[string]any{"listChanged": true}
	capabilities := map[string]any{"tools": changes, "prompts": changes, "resources": map[string]any{}}
	hello := map[string]any{"protocolVersion": version, "capabilities": capabilities,
		"serverInfo": map[string]any{"name": "mcp-adversary", "version": "1"}}
	for _, a := range s.acts {
		if a.Instructions != "" {
			before, _ := hello["instructions"].(string)
			hello["instructions"] = before + a.Instructions
		}
	}
	return encode(hello)
}

// listTools returns a page of the tool list. The server counts how often a client asks for the list: only a request
// for the first page counts.
func (s *Server) listTools(m request) json.RawMessage {
	cursor, _ := strconv.Atoi(m.Params.Cursor)
	var list []json.RawMessage
	trouble := Fault{}
	for _, a := range s.acts {
		var own []json.RawMessage
		for _, t := range a.Tools {
			own = append(own, t.Definition)
		}
		if a.Plan != nil && a.Plan.Subject == "tool" {
			own = append(own, a.Plan.at(s.version(a.Plan)))
		}
		list = append(list, a.Fault.tools(own)...)
		if a.Fault.Kind != "" {
			trouble = a.Fault
		}
	}
	if cursor == 0 {
		s.lists++
	}
	return trouble.page(list, cursor)
}

// begin starts the clock of plans at the first list.
func (s *Server) begin() {
	if s.start.IsZero() {
		s.start = s.now()
	}
}

func (s *Server) version(p *Plan) int {
	elapsed := time.Duration(0)
	if !s.start.IsZero() {
		elapsed = s.now().Sub(s.start)
	}
	return p.version(s.calls, s.lists, elapsed)
}

// announce adds a list_changed notification to a reply for each plan that has reached a new version, if
// the plan announces its versions.
func (s *Server) announce(r Reply) Reply {
	for _, a := range s.acts {
		if a.Plan == nil || !a.Plan.Announce {
			continue
		}
		if v := s.version(a.Plan); v > s.announced {
			s.announced = v
			r.Messages = append(
				[][]byte{[]byte(`{"jsonrpc":"2.0","method":"notifications/` + a.Plan.Subject + `s/list_changed"}`)},
				r.Messages...)
		}
	}
	return r
}

func (s *Server) call(m request) Reply {
	for _, a := range s.acts {
		for _, definition := range a.callable() {
			if name(definition.Definition) != m.Params.Name {
				continue
			}
			s.calls++
			result := definition.Answer
			if result == nil {
				result = encode(textResult("done"))
			}
			return a.Fault.call(m.ID, result, s.calls)
		}
	}
	return failure(m.ID, -32602, "this server has no tool "+strconv.Quote(m.Params.Name))
}

// callable returns the tools that can be called.
func (a *Act) callable() []Tool {
	all := a.Tools
	if a.Plan != nil && a.Plan.Subject == "tool" {
		all = append(slices.Clone(all), Tool{Definition: a.Plan.Definition})
	}
	if a.Fault.Kind == manyTools && len(all) > 0 {
		all = []Tool{}
		for _, d := range a.Fault.tools([]json.RawMessage{a.Tools[0].Definition}) {
			all = append(all, Tool{d, a.Tools[0].Answer})
		}
	}
	return all
}

func (s *Server) prompts() []json.RawMessage {
	var list []json.RawMessage
	for _, a := range s.acts {
		for _, p := range a.Prompts {
			list = append(list, p.Definition)
		}
		if a.Plan != nil && a.Plan.Subject == "prompt" {
			s.lists++
			list = append(list, a.Plan.at(s.version(a.Plan)))
		}
	}
	return list
}

func (s *Server) get(m request) Reply {
	for _, a := range s.acts {
		for _, p := range a.Prompts {
			if name(p.Definition) == m.Params.Name {
				return success(m.ID, p.Answer)
			}
		}
		if a.Plan != nil && a.Plan.Subject == "prompt" && name(a.Plan.Definition) == m.Params.Name {
			s.calls++
			return success(m.ID, encode(promptResult("Say what is new.")))
		}
	}
	return failure(m.ID, -32602, "this server has no prompt "+strconv.Quote(m.Params.Name))
}

func (s *Server) resources() []json.RawMessage {
	list := []json.RawMessage{}
	for _, a := range s.acts {
		for _, r := range a.Resources {
			list = append(list, r.Definition)
		}
	}
	return list
}

// read returns the resource with the requested URI. A URI with an additional query selects the same resource, because
// an attack can send data in the query.
func (s *Server) read(m request) Reply {
	for _, a := range s.acts {
		for _, r := range a.Resources {
			var d struct{ URI string }
			_ = json.Unmarshal(r.Definition, &d)
			if d.URI == m.Params.URI || len(m.Params.URI) > len(d.URI) && m.Params.URI[:len(d.URI)+1] == d.URI+"?" {
				return success(m.ID, r.Answer)
			}
		}
	}
	return failure(m.ID, -32002, "this server has no resource "+strconv.Quote(m.Params.URI))
}

func success(id, result json.RawMessage) Reply {
	return Reply{Messages: [][]byte{message(id, "result", result)}}
}

func failure(id json.RawMessage, code int, text string) Reply {
	return Reply{Messages: [][]byte{message(id, "error", encode(map[string]any{"code": code, "message": text}))}}
}

// message returns a JSON-RPC response. The value may be invalid JSON.
func message(id json.RawMessage, member string, value []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(b, `,"`+member+`":`...)
	return append(append(b, value...), '}')
}
