package gate

import (
	"strings"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/redact"
)

// Limits of what is stored about the agents of sessions.
const (
	maxAgentName   = 128  // bytes
	maxFolder      = 1024 // bytes; of a longer path the end is kept
	maxShownAgents = 256
)

// shownAgents masks what calls claim about their agents. Calls of one session repeat the same claims, so it caches
// the masked result until the settings change.
type shownAgents struct {
	mu   sync.Mutex
	by   *inspect.Inspector
	done map[mcpproxy.SessionAgent]mcpproxy.SessionAgent
}

// shown returns a in the form for records, snapshots and the API: without secrets, and with "~" for the user's home.
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

// underHome returns a folder without a separator at its end, and with "~" instead of the user's home.
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

// firstBytes returns at most n bytes of the beginning of s, without cutting a character.
func firstBytes(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// lastBytes returns at most n bytes of the end of s, without cutting a character.
func lastBytes(s string, n int) string { return strings.ToValidUTF8(s[max(0, len(s)-n):], "") }
