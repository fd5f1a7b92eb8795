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
	maxFolder = 4096             // maximum bytes of a header or root that names a folder; longer ones are ignored
	rootsWait = 30 * time.Second // timeout of a roots/list request to a client
)

// agent returns what the client reports about itself and its working folder. The report is not verified.
func (c *caller) agent() mcpproxy.SessionAgent {
	a := mcpproxy.SessionAgent{Name: c.clientName(), Folder: c.folder()}
	a.Claimed = a.Known()
	return a
}

// folder returns the folder in which the client works: the folder in which the stdio bridge was
// started, or the client's first root. It is "" if neither is known.
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

// askRoots sends roots/list once to a client that has announced roots, and does not wait for the
// answer. It is called when the client opens its GET stream, so that no call has to wait.
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
		_, _ = s.ask(ctx, nil, wire.NewRequest([]byte("0"), rootsMethod, nil)) // learnRoots reads the answer
	}()
}

// rootsMethod is the request for the folders in which a client works.
const rootsMethod = "roots/list"

// learnRoots stores the folder from a client's answer to roots/list, whether this proxy or a server
// sent the request.
func (s *session) learnRoots(result []byte) {
	dir := rootFolder(result)
	if dir == "" {
		return
	}
	s.mu.Lock()
	s.folder, s.rooted = dir, true
	s.mu.Unlock()
}

// rootFolder returns the path of the first root in an answer to roots/list that is a folder on this
// machine, or "".
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
