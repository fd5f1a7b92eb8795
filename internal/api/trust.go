package api

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/trust"
)

// Trust is the approval state of a definition.
type Trust struct {
	Kind     trust.Kind      `json:"kind"`
	State    trust.State     `json:"state"`
	Reason   string          `json:"reason"`
	By       string          `json:"by"`
	Since    time.Time       `json:"since"`
	Hash     string          `json:"hash" doc:"Hash of the present form"`
	Approved string          `json:"approved_hash,omitempty" doc:"Hash of the approved form"`
	Held     bool            `json:"held" doc:"Whether agents can neither see nor use it"`
	Listed   bool            `json:"listed" doc:"Whether the server still declares it"`
	Findings []trust.Finding `json:"findings"`
}

// Declared is one definition exactly as its server sent it.
type Declared struct {
	Tool
	Fingerprint trust.Fingerprint `json:"fingerprint"`
	Definition  json.RawMessage   `json:"definition"`
	Approved    json.RawMessage   `json:"approved_definition,omitempty"`
}

// Comparison compares a definition with its approved form.
type Comparison struct {
	Server      string             `json:"server"`
	Name        string             `json:"name"`
	Trust       Trust              `json:"trust"`
	Differences []trust.Difference `json:"differences"`
	Approved    bool               `json:"has_approved_form" doc:"Whether there is anything to compare with"`
}

func (s *server) trustOf(i trust.Item) Trust {
	t := Trust{
		Kind:     i.Kind,
		State:    i.State,
		Reason:   trust.Visible(i.Reason),
		By:       i.By,
		Since:    i.Since,
		Hash:     i.Fingerprint.CombinedHash,
		Held:     s.Trust.Holds(i),
		Listed:   i.Listed,
		Findings: append([]trust.Finding{}, i.Findings...),
	}
	if i.Approval != nil {
		t.Approved = i.Approval.Hash
	}
	return t
}

// declared returns a definition in a list.
func (s *server) declared(i trust.Item) Tool {
	out := Tool{Server: i.Server, Name: i.Name}
	if t, err := catalog.Parse(i.Server, i.Raw); err == nil && i.Kind == trust.Tool {
		out = s.tool(t)
	}
	if i.Kind != trust.Tool {
		var says struct{ Description, Instructions, Subject string }
		_ = json.Unmarshal(i.Raw, &says) // missing members stay empty
		out.Description = says.Description + says.Instructions + says.Subject
	}
	state := s.trustOf(i)
	out.Trust = &state
	return out
}

// OfKind is the query parameter that selects a kind of definition.
type OfKind struct {
	Kind string `query:"kind" enum:"tool,prompt,instructions,program" default:"tool" doc:"Kind of definition"`
}

type listed struct {
	Named
	Kind        string `query:"kind" enum:"tool,prompt,instructions,program,all" default:"tool" doc:"Kind to list; all means everything that the server declares, so not its program"`
	Definitions bool   `query:"definitions" doc:"With each definition as its server sent it, hidden characters and all"`
}

// tools lists the definitions of a server, whether held or not, and removed definitions that
// somebody has decided about.
func (s *server) tools(_ context.Context, in *listed) (*answer[[]Tool], error) {
	if err := s.known(in.Name); err != nil {
		return nil, err
	}
	out := []Tool{}
	for _, i := range s.Trust.Items(in.Name) {
		if in.Kind == "all" && i.Kind != trust.ProgramKind || string(i.Kind) == in.Kind {
			shown := s.declared(i)
			if in.Definitions {
				shown.Definition = i.Raw
			}
			out = append(out, shown)
		}
	}
	return success(out)
}

// held counts a server's definitions that agents do not see.
func (s *server) held(name string) (n int, q *trust.ServerState) {
	for _, i := range s.Trust.Items(name) {
		if i.Listed && s.Trust.Holds(i) {
			n++
		}
	}
	if state, ok := s.Trust.Quarantined()[name]; ok {
		q = &state
	}
	return n, q
}

type oneTool struct {
	Named
	OfKind
	Tool string `path:"tool" doc:"Its name, or the beginning of its hash; anything for instructions and the program"`
}

func (s *server) find(server, kind, word string) (trust.Item, error) {
	if err := s.known(server); err != nil {
		return trust.Item{}, err
	}
	i, err := s.Trust.Find(server, trust.Kind(kind), word)
	if err != nil {
		return i, newError(404, err.Error())
	}
	return i, nil
}

func (s *server) definition(_ context.Context, in *oneTool) (*answer[Declared], error) {
	i, err := s.find(in.Name, in.Kind, in.Tool)
	if err != nil {
		return nil, err
	}
	out := Declared{Tool: s.declared(i), Fingerprint: i.Fingerprint, Definition: i.Raw}
	if i.Approval != nil {
		out.Approved = i.Approval.Raw
	}
	return success(out)
}

func (s *server) diff(_ context.Context, in *oneTool) (*answer[Comparison], error) {
	i, err := s.find(in.Name, in.Kind, in.Tool)
	if err != nil {
		return nil, err
	}
	out := Comparison{
		Server:      i.Server,
		Name:        i.Name,
		Trust:       s.trustOf(i),
		Differences: []trust.Difference{},
	}
	if i.Approval == nil {
		return success(out)
	}
	out.Approved = true
	if d, err := trust.Diff(i.Approval.Raw, i.Raw); err != nil {
		return nil, newError(500, "the two forms cannot be compared", err)
	} else if d != nil {
		out.Differences = d
	}
	return success(out)
}

// Decision selects definitions and says why they are approved or blocked.
type Decision struct {
	Tools  []string   `json:"tools,omitempty" doc:"Names, or the beginnings of hashes"`
	Kind   trust.Kind `json:"kind,omitempty" enum:"tool,prompt,instructions,program" doc:"Kind of definition; tool when empty"`
	Hash   string     `json:"hash,omitempty" doc:"Hash of the form to approve, or its beginning: if the definition now has another form, nothing is approved"`
	All    bool       `json:"all,omitempty" doc:"Approve everything that waits, of every kind, except what a scan found dangerous"`
	New    bool       `json:"new,omitempty" doc:"Approve everything that is new, of every kind, except what a scan found dangerous"`
	Reason string     `json:"reason,omitempty" doc:"Why, for the log" maxLength:"500"`
}

type decided struct {
	Named
	Body Decision
}

// LocalUser is the name in records for a person who used the owner's socket, or a command while the
// daemon did not run.
const LocalUser = "local user"

// who returns the person behind a request, as far as known.
func who(ctx context.Context) string {
	switch id := auth.From(ctx); {
	case id.IsPerson():
		return id.Principal
	case id.Local:
		return LocalUser
	case id.Page != "":
		return "user of the page"
	}
	return "holder of the API key"
}

// each applies a decision to every named definition. If one of them is unknown, it applies none.
func (s *server) each(
	ctx context.Context,
	in *decided,
	do func(trust.Item) (trust.Change, error),
) (*answer[trust.Sweep], error) {
	kind := trust.Kind(in.Body.Kind)
	if kind == "" {
		kind = trust.Tool
	}
	words := in.Body.Tools
	if !kind.Named() {
		words = []string{""}
	}
	if len(words) == 0 {
		return nil, newError(400, "name at least one definition in tools")
	}
	if in.Body.Hash != "" && len(words) > 1 {
		return nil, newError(400, "a hash needs exactly one definition in tools")
	}
	var items []trust.Item
	for _, word := range words {
		i, err := s.find(in.Name, string(kind), word)
		if err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	out := trust.Sweep{Approved: []trust.Key{}, Skipped: []trust.Skip{}}
	for _, i := range items {
		switch c, err := do(i); {
		case errors.Is(err, trust.ErrOther):
			return nil, newError(409, err.Error())
		case errors.Is(err, trust.ErrHash):
			return nil, newError(400, err.Error())
		case err != nil:
			return nil, newError(500, err.Error())
		case c.To == trust.Approved:
			out.Approved = append(out.Approved, i.Key)
		case c.To == trust.Unknown:
			out.Skipped = append(out.Skipped, trust.Skip{Key: i.Key, Why: c.Reason})
		default:
			out.Blocked = append(out.Blocked, i.Key)
		}
	}
	s.after(in.Name)
	return success(out)
}

func (s *server) after(name string) {
	if s.Decided != nil {
		s.Decided(name)
	}
}

func (s *server) approve(ctx context.Context, in *decided) (*answer[trust.Sweep], error) {
	if !in.Body.All && !in.Body.New {
		return s.each(ctx, in, func(i trust.Item) (trust.Change, error) {
			hash := in.Body.Hash
			if hash == "" { // the hash that was just read, not that of a later change
				hash = i.Fingerprint.CombinedHash
			}
			return s.Trust.Approve(i.Key, who(ctx), hash)
		})
	}
	if err := s.known(in.Name); err != nil {
		return nil, err
	}
	if len(in.Body.Tools) > 0 {
		return nil, newError(400, "give either tools, or one of all and new")
	}
	var unread error
	if s.Read != nil {
		unread = s.Read(ctx, in.Name)
	}
	sweep, err := s.Trust.Baseline(in.Name, who(ctx), in.Body.All)
	if err != nil {
		return nil, newError(500, err.Error())
	}
	// Report that the definitions could not be read, not that none is waiting.
	if unread != nil && len(sweep.Approved)+len(sweep.Skipped) == 0 {
		return nil, newError(503, mcpproxy.AgentMessage(unread))
	}
	s.after(in.Name)
	return success(sweep)
}

func (s *server) block(ctx context.Context, in *decided) (*answer[trust.Sweep], error) {
	if in.Body.All || in.Body.New || in.Body.Hash != "" {
		return nil, newError(400, "name the definitions to block in tools; all, new and hash do not apply")
	}
	return s.each(
		ctx,
		in,
		func(i trust.Item) (trust.Change, error) { return s.Trust.Block(i.Key, who(ctx), in.Body.Reason) },
	)
}

type becauseOf struct {
	Named
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"Why, for agents and the log" maxLength:"500"`
	} `required:"false"`
}

func (s *server) quarantine(ctx context.Context, in *becauseOf) (*answer[trust.Change], error) {
	why := ""
	if in.Body != nil {
		why = in.Body.Reason
	}
	return s.serverState(
		in.Name,
		func() (trust.Change, error) { return s.Trust.QuarantineServer(in.Name, who(ctx), why) },
	)
}

func (s *server) unquarantine(ctx context.Context, in *Named) (*answer[trust.Change], error) {
	return s.serverState(in.Name, func() (trust.Change, error) { return s.Trust.ReleaseServer(in.Name, who(ctx)) })
}

func (s *server) serverState(name string, do func() (trust.Change, error)) (*answer[trust.Change], error) {
	if err := s.known(name); err != nil {
		return nil, err
	}
	c, err := do()
	if err != nil {
		return nil, newError(500, err.Error())
	}
	s.after(name)
	return success(c)
}
