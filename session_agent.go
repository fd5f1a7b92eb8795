package mcpproxy

// SessionAgent is the agent of a session and the folder in which it works. It helps people recognise the session.
// Decisions never use it, because an agent can claim any name.
type SessionAgent struct {
	Name    string `json:"name,omitempty" doc:"The agent, such as claude-code; over MCP the name that the client gives itself"`
	Claimed bool   `json:"claimed,omitempty" doc:"Whether name and folder are only what an MCP client says about itself"`
	Folder  string `json:"folder,omitempty" doc:"The agent's working directory, masked; ~ is the home of the user who runs mcpproxy"`
}

// Known reports whether anything is known about the agent.
func (a SessionAgent) Known() bool { return a.Name != "" || a.Folder != "" }

// Recorded returns the agent for a record, or nil if nothing is known about it.
func (a SessionAgent) Recorded() *SessionAgent {
	if !a.Known() {
		return nil
	}
	return &a
}

// Seen returns the agent of a session after a call that claims to come from next. A hook's report replaces the claim
// of an MCP client. The folder of the first report from a hook stays: the agent was started there, and its shell may
// change to other folders.
func (a SessionAgent) Seen(next SessionAgent) SessionAgent {
	switch {
	case !next.Known() || a.Known() && !a.Claimed && next.Claimed:
		return a
	case !a.Known() || a.Claimed && !next.Claimed:
		return next
	case a.Claimed: // clients without a session of their own share one; the last client is shown
		if next.Folder == "" && next.Name == a.Name {
			next.Folder = a.Folder
		}
		return next
	}
	if a.Name == "" {
		a.Name = next.Name
	}
	if a.Folder == "" {
		a.Folder = next.Folder
	}
	return a
}

// OfCall returns the agent for the record of a call. a is the known agent of the session, and next is the agent from
// which the call claims to come.
func (a SessionAgent) OfCall(next SessionAgent) SessionAgent {
	if next.Known() && !next.Claimed {
		return next
	}
	return a.Seen(next)
}
