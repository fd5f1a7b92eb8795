package mcpproxy

// ContradictionResult is two claims about one call of which one is untrue
// (RFC-004, Multi-Signal Verification).
type ContradictionResult struct {
	Signal1     string   `json:"signal1"` // who claims: agent_intent, server_annotation, name_heuristic, …
	Signal2     string   `json:"signal2"`
	Claim1      string   `json:"claim1"`
	Claim2      string   `json:"claim2"`
	Severity    int      `json:"severity"` // 0 to 100
	Explanation string   `json:"explanation"`
	Action      Decision `json:"action"`               // what it deserves: warn, ask or deny; policy may say less
	Quarantine  bool     `json:"quarantine,omitempty"` // the server lied: its tool should wait for approval
}

// KindContradiction is the kind of signals about contradictions.
const KindContradiction = "contradiction"
