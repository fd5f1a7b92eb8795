package gate

import (
	"strings"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/redact"
)

// Bounds of what is kept about the agents of sessions.
const (
	maxAgentName   = 128  // bytes
	maxFolder      = 1024 // bytes; of a longer path the end is kept
	maxShownAgents = 256
)

// shownAgents masks what calls say about their agents. Calls of one session say the same again and again, so it
// keeps what it has masked for as long as the settings stay.
type shownAgents struct {
	mu   sync.Mutex
	by   *inspect.Inspector
	done map[mcpproxy.SessionAgent]mcpproxy.SessionAgent
}

// shown returns a as records, snapshots and readers of the API may see it: without secrets, and with "~" for the
// user's home.
func (s *shownAgents) shown(by *Settings, a mcpproxy.SessionAgent) mcpproxy.SessionAgent {
	if !a.Known() {
		return mcpproxy.SessionAgent{}
	}
	a.Name = firstBytes(a.Name, maxAgentName)
	a.Folder = lastBytes(a.Folder, maxFolder)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by != by.inspector || len(s.done) == maxShownAgents {
		s.by, s.done = by.inspector, map[mcpproxy.SessionAgent]mcpproxy.SessionAgent{}
	}
	out, ok := s.done[a]
	if !ok {
		mask := func(text string) string { return redact.Secrets(journal.Mask(by.inspector, text)) }
		out = mcpproxy.SessionAgent{
			Name:    mask(a.Name),
			Claimed: a.Claimed,
			Folder:  mask(underHome(a.Folder, by.Protected.Home)),
		}
		s.done[a] = out
	}
	return out
}

// underHome returns a folder without a separator at its end, and with "~" in place of the path of the user's home.
func underHome(folder, home string) string {
	const separators = `/\`
	if short := strings.TrimRight(folder, separators); short != "" {
		folder = short
	}
	home = strings.TrimRight(home, separators)
	rest, inside := strings.CutPrefix(folder, home)
	if home == "" || !inside || rest != "" && !strings.ContainsAny(rest[:1], separators) {
		return folder
	}
	return "~" + rest
}

// firstBytes is at most n bytes of the beginning of s, in whole characters.
func firstBytes(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// lastBytes is at most n bytes of the end of s, in whole characters.
func lastBytes(s string, n int) string { return strings.ToValidUTF8(s[max(0, len(s)-n):], "") }
