package gateway

import (
	"errors"

	"mcpproxy"
)

// readable is err as the agent that made a call may read it: what this proxy says
// of a server can quote the server.
func (g *Gateway) readable(call *mcpproxy.Call, err error) error {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok {
		return err
	}
	shown := *e
	shown.Message = g.gate.ErrorText(call, e.Message)
	return &shown
}
