package upstream

import (
	"context"
	"encoding/json"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// maxPages bounds the pages of one listing.
const maxPages = 1000

// ListTools asks the server for all its tools, page by page.
func (s *Server) ListTools(ctx context.Context) ([]json.RawMessage, error) {
	link, err := s.Shared(ctx)
	if err != nil {
		return nil, err
	}
	var tools []json.RawMessage
	var cursor []byte
	for range maxPages {
		var params []byte
		if cursor != nil {
			params = wire.Set(nil, cursor, "cursor")
		}
		if link.Era == wire.Stateless {
			params = WithClientMeta(params, Hello(nil, wire.Stateless).Params)
		}
		resp, err := link.Call(ctx, wire.NewRequest([]byte("0"), "tools/list", params), nil)
		if err != nil {
			return nil, err
		}
		if wire.Code(resp) == wire.CodeMethodNotFound {
			return nil, nil // a server without tools
		}
		if resp.Result == nil {
			return nil, mcpproxy.Errorf(mcpproxy.CodeUpstream, nil, "server %q refused to list its tools: %s", s.Name(), wire.String(resp.Error, "message"))
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor json.RawMessage   `json:"nextCursor"`
		}
		if err := json.Unmarshal(resp.Result, &page); err != nil {
			return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, err, "server %q sent a list of tools that is not valid", s.Name())
		}
		tools = append(tools, page.Tools...)
		if len(page.NextCursor) == 0 || string(page.NextCursor) == "null" || string(page.NextCursor) == `""` {
			return tools, nil
		}
		cursor = page.NextCursor
	}
	return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "server %q lists tools without end", s.Name())
}
