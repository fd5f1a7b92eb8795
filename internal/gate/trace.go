package gate

import (
	"encoding/hex"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// traced returns the position of a call in a distributed trace: in its caller's trace, else in the trace of the call
// that made it, else in a trace of its own. All ids are derived from the activity ids, which are random enough, so
// nothing needs to be stored.
func traced(c *mcpproxy.Call) mcpproxy.Trace {
	t := c.Trace
	own, err := ulid.ParseStrict(c.ID)
	if err != nil {
		return t
	}
	if t.ID == "" {
		root := own
		if parent, err := ulid.ParseStrict(c.ParentID); err == nil {
			root, t.Parent = parent, hex.EncodeToString(parent[8:])
		}
		t.ID, t.Flags = hex.EncodeToString(root[:]), 1
	}
	if t.Remote {
		t.Outgoing = hex.EncodeToString(own[:])
	}
	t.Span = hex.EncodeToString(own[8:])
	return t
}
