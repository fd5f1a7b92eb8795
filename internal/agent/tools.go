package agent

// Tools are an agent's built-in tools, by what they do. Names are written as
// the agent writes them. They are compared by their letters and digits alone, so one of
// several spellings is enough.
type Tools struct {
	Reads   []string // read on the user's machine: files, listings, output, state
	Writes  []string // write on the user's machine, or change the agent's own state
	Works   []string // start work whose effect the name does not tell, such as a subagent's
	Runs    []string // run commands or code
	Fetches []string // read from the network
	Sends   []string // send to somewhere else
	// Extensions begin the names of tools that come as extensions of the agent's own.
	Extensions []string
}

// None reports whether no tool is listed.
func (t Tools) None() bool {
	return len(t.Reads)+len(t.Writes)+len(t.Works)+len(t.Runs)+len(t.Fetches)+len(t.Sends) == 0
}
