package agent

// Tools are an agent's built-in tools, grouped by their effect. Names are written as the agent writes them. Only
// letters and digits are compared, so one of several spellings is enough.
type Tools struct {
	Reads   []string // read data on the user's machine: files, listings, output, state
	Writes  []string // write on the user's machine, or change the agent's own state
	Works   []string // start work whose effect the name does not reveal, such as a subagent
	Runs    []string // run commands or code
	Fetches []string // read from the network
	Sends   []string // send data elsewhere
	// Extensions are prefixes of the names of tools from extensions of the agent.
	Extensions []string
}

// None reports whether no tool is listed.
func (t Tools) None() bool {
	return len(t.Reads)+len(t.Writes)+len(t.Works)+len(t.Runs)+len(t.Fetches)+len(t.Sends) == 0
}
