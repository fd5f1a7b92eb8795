package mcpproxy

// ContradictionResult describes two claims about one call that cannot both be true (RFC-004,
// Multi-Signal Verification).
type ContradictionResult struct {
	Signal1     string   `json:"signal1"` // source of Claim1: agent_intent, server_annotation, name_heuristic, …
	Signal2     string   `json:"signal2"`
	Claim1      string   `json:"claim1"`
	Claim2      string   `json:"claim2"`
	Severity    int      `json:"severity"` // 0 to 100
	Explanation string   `json:"explanation"`
	Action      Decision `json:"action"`               // the proposed decision: warn, ask or deny; the policy may be milder
	Quarantine  bool     `json:"quarantine,omitempty"` // the server's claim is false, so its tool should wait for approval
}

// KindContradiction is the kind of the signal that reports a contradiction.
const KindContradiction = "contradiction"
