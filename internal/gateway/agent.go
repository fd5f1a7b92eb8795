package gateway

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

const (
	maxFolder = 4096             // bytes of a header or root that names a folder; what is longer is ignored
	rootsWait = 30 * time.Second // for a client to say where it works
)

// agent is what the client says about itself and where it works. Nothing confirms it.
func (c *caller) agent() mcpproxy.SessionAgent {
	a := mcpproxy.SessionAgent{Name: c.clientName(), Folder: c.folder()}
	a.Claimed = a.Known()
	return a
}

// folder is the folder in which the client works: the one that the stdio bridge was started in, or the first root
// that the client has named. It is "" if the client has named none.
func (c *caller) folder() string {
	if h := c.header.Get(wire.HeaderFolder); h != "" && len(h) <= maxFolder {
		if dir, err := url.PathUnescape(h); err == nil {
			return dir
		}
	}
	if c.session == nil {
		return ""
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.session.folder
}

// askRoots asks a client that has announced roots for them, once, and does not wait for the answer. It is called
// when the client opens its standing stream, so that no call waits for it.
func (s *session) askRoots() {
	if wire.Member(s.hello, "capabilities", capabilityFor(rootsMethod)) == nil {
		return
	}
	s.mu.Lock()
	asked := s.rooted
	s.rooted = true
	s.mu.Unlock()
	if asked {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(s.life, rootsWait)
		defer cancel()
		_, _ = s.ask(ctx, nil, wire.NewRequest([]byte("0"), rootsMethod, nil)) // which learns from the answer
	}()
}

// rootsMethod is the request by which a client is asked in which folders it works.
const rootsMethod = "roots/list"

// learnRoots takes the folder of a client from its answer to roots/list, whoever has asked.
func (s *session) learnRoots(result []byte) {
	dir := rootFolder(result)
	if dir == "" {
		return
	}
	s.mu.Lock()
	s.folder, s.rooted = dir, true
	s.mu.Unlock()
}

// rootFolder is the path of the first root in an answer to roots/list that is a folder of this machine; "" if there
// is no such root.
func rootFolder(result []byte) string {
	var answer struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if json.Unmarshal(result, &answer) != nil {
		return ""
	}
	for _, root := range answer.Roots {
		u, err := url.Parse(root.URI)
		if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || len(u.Path) > maxFolder {
			continue
		}
		if windows := strings.TrimPrefix(u.Path, "/"); len(windows) > 1 && windows[1] == ':' {
			return windows
		}
		return u.Path
	}
	return ""
}
