package upstream

import (
	"context"
	"encoding/json"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// maxPages limits the pages of one listing.
const maxPages = 1000

// ListTools returns all tools of the server. If that fails, the server's status says so until it
// succeeds.
func (s *Server) ListTools(ctx context.Context) ([]json.RawMessage, error) {
	tools, err := s.list(ctx, "tools")
	s.setUnlisted(err)
	return tools, err
}

// setUnlisted stores in the status of a ready server why its tools could not be listed, or clears
// that error.
func (s *Server) setUnlisted(err error) {
	why := ""
	if err != nil {
		why = "its tools cannot be listed: " + err.Error()
	}
	s.mu.Lock()
	news := s.status.State == Ready && s.status.Error != why
	if news {
		s.status.Error = why
	}
	s.mu.Unlock()
	if news {
		if why != "" {
			s.logs.note("mcpproxy: " + why)
		}
		s.change(s)
	}
}

// ListPrompts returns all prompts of the server. It does not ask a server without the prompts
// capability.
func (s *Server) ListPrompts(ctx context.Context) ([]json.RawMessage, error) {
	link, err := s.settledLink(ctx)
	if err != nil || wire.Member(link.Hello, "capabilities", "prompts") == nil {
		return nil, err
	}
	return s.list(ctx, "prompts")
}

// Instructions returns the instructions that the server declares; "" if there are none.
func (s *Server) Instructions(ctx context.Context) (string, error) {
	link, err := s.settledLink(ctx)
	if err != nil {
		return "", err
	}
	return wire.String(link.Hello, "instructions"), nil
}

// list returns all definitions of a kind, "tools" or "prompts".
func (s *Server) list(ctx context.Context, kind string) ([]json.RawMessage, error) {
	link, err := s.settledLink(ctx)
	if err != nil {
		return nil, err
	}
	return link.list(ctx, kind)
}

// list returns all definitions of a kind, which it requests on this link.
func (l *Link) list(ctx context.Context, kind string) ([]json.RawMessage, error) {
	s := l.server
	var all []json.RawMessage
	var cursor []byte
	for range maxPages {
		var params []byte
		if cursor != nil {
			params = wire.Set(nil, cursor, "cursor")
		}
		if l.Era == wire.Stateless {
			params = WithClientMeta(params, Hello(nil, wire.Stateless).Params)
		}
		resp, err := l.exchange(ctx, wire.NewRequest([]byte("0"), kind+"/list", params), CallOptions{}, s.timeout())
		if err != nil {
			return nil, err
		}
		if wire.Code(resp) == wire.CodeMethodNotFound {
			return nil, nil // a server without this capability
		}
		if resp.Result == nil {
			return nil, mcpproxy.Errorf(
				mcpproxy.CodeUpstream,
				nil,
				"server %q refused to list its %s: %s",
				s.Name(),
				kind,
				wire.String(resp.Error, "message"),
			)
		}
		// Members refuses a name such as "Tools", which a client that ignores the case of names could read instead of
		// "tools".
		page, err := wire.Members(resp.Result, kind, "nextCursor")
		var part []json.RawMessage
		if err == nil && page[kind] != nil {
			err = json.Unmarshal(page[kind], &part)
		}
		if err != nil {
			return nil, mcpproxy.Errorf(
				mcpproxy.CodeMalformed,
				err,
				"server %q sent a list of %s that is not valid",
				s.Name(),
				kind,
			)
		}
		all = append(all, part...)
		next := page["nextCursor"]
		if len(next) == 0 || string(next) == "null" || string(next) == `""` {
			return all, nil
		}
		cursor = next
	}
	return nil, mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "server %q lists %s without end", s.Name(), kind)
}
