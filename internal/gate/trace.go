package gate

import (
	"encoding/hex"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// traced is where a call stands in a distributed trace: in its caller's, or else
// in that of the call that made it, or else in one of its own. All follows from
// the activity ids, which are random enough, so nothing has to be kept.
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
