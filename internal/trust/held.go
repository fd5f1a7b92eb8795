package trust

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
)

// Held says why a call must not reach its server, or "" if trust does not object. The text is for
// agents and people and says what a person can do.
func (s *Store) Held(c *mcpproxy.Call) string {
	if c.Server == "" {
		return ""
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	k, named := keyOf(c)
	if i := s.items[k]; named && i != nil && i.State == Blocked {
		return s.reason(i)
	}
	if i := s.programHolds(c.Server); i != nil && (named || !greets(c)) {
		return s.reason(i)
	}
	if !s.rules.Enabled {
		return ""
	}
	if q := s.servers[c.Server]; q != nil && (named || !greets(c)) {
		return fmt.Sprintf(
			"The server %s is in quarantine: %s. The user can release it with: mcpproxy trust unquarantine %s",
			c.Server,
			strings.TrimSuffix(q.Reason, "."),
			Quote(c.Server),
		)
	}
	if !named {
		return ""
	}
	i := s.items[k]
	switch {
	case i == nil:
		return s.undeclared(k)
	case i.Trusted() && i.seen:
		return ""
	case i.Trusted():
		return fmt.Sprintf(
			"What the server %s declares has not been read since mcpproxy was started, so %s cannot be compared with what was approved. Try again in a moment.",
			c.Server,
			Visible(k.Name),
		)
	}
	return s.reason(i)
}

// keyOf returns the key of the definition that a call uses.
func keyOf(c *mcpproxy.Call) (Key, bool) {
	switch c.Kind {
	case mcpproxy.KindTool:
		return Key{c.Server, Tool, c.Tool}, true
	case mcpproxy.KindPrompt:
		return Key{c.Server, Prompt, c.Tool}, true
	case mcpproxy.KindCompletion: // completes a prompt's arguments
		var of struct {
			Ref struct{ Type, Name string }
		}
		if json.Unmarshal(c.Arguments, &of) == nil && of.Ref.Type == "ref/prompt" {
			return Key{c.Server, Prompt, of.Ref.Name}, true
		}
	}
	return Key{}, false
}

// greetings are the methods that a quarantined server still receives, because its lists are
// filtered.
var greetings = []string{"initialize", "ping", "server/discover", "tools/list", "prompts/list",
	"notifications/initialized", "notifications/cancelled", "subscriptions/listen"}

func greets(c *mcpproxy.Call) bool {
	return c.Kind == mcpproxy.KindMethod && slices.Contains(greetings, c.Tool)
}

// undeclared returns the reason for a name that the server has not declared. Even if new definitions are
// approved unseen, the name of a tool must be in a list that was read. Otherwise a disguised name
// could bypass the hold on the real tool.
func (s *Store) undeclared(k Key) string {
	read := s.listed[Key{k.Server, k.Kind, ""}]
	if !s.rules.QuarantineNew && (k.Kind != Tool || !read) {
		return ""
	}
	if !read {
		return fmt.Sprintf(
			"What the server %s declares has not been read yet, so nobody can have approved %s. Try again in a moment.",
			k.Server,
			Visible(k.Name),
		)
	}
	return fmt.Sprintf(
		"The server %s does not declare a %s named %q, so nobody can have approved it. To see what it declares, the user can run: mcpproxy trust list %s",
		k.Server,
		k.Kind,
		Visible(k.Name),
		Quote(k.Server),
	)
}

// reason returns why an item is held.
func (s *Store) reason(i *Item) string {
	look := "show"
	if i.State == RugPull {
		look = "diff"
	}
	if i.Kind == ProgramKind {
		return fmt.Sprintf(
			"Everything of the server %s is held because of its program: %s. The user can look at it with: %s — and allow it with: %s",
			Visible(i.Server),
			strings.TrimSuffix(i.Reason, "."),
			Command(look, i.Key, i.Fingerprint.CombinedHash),
			Command("approve", i.Key, i.Fingerprint.CombinedHash),
		)
	}
	state := map[State]string{Quarantined: "waits for approval", RugPull: "is held", Blocked: "is blocked"}[i.State]
	return fmt.Sprintf(
		"The %s %s %s: %s. The user can look at it with: %s — and allow it with: %s",
		i.Kind,
		Visible(i.Server+":"+i.Name),
		state,
		strings.TrimSuffix(
			i.Reason,
			".",
		),
		Command(look, i.Key, i.Fingerprint.CombinedHash),
		Command("approve", i.Key, i.Fingerprint.CombinedHash),
	)
}

// Holds reports whether agents can neither see nor use the definition of i.
func (s *Store) Holds(i Item) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return !s.open(&i)
}

// Known reports whether a server declares a tool that agents may not see.
func (s *Store) Known(server, tool string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := s.items[Key{server, Tool, tool}]
	return i != nil && !s.open(i)
}

var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$`)

// Quote returns s as one word of a shell command line.
func Quote(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Command returns a working mcpproxy trust command for one definition. If the name cannot be
// displayed, the command uses the hash.
func Command(verb string, k Key, hash string) string {
	words := []string{"mcpproxy", "trust", verb, Quote(k.Server)}
	switch {
	case !k.Kind.Named():
		words = append(words, "--kind", string(k.Kind))
	case Visible(k.Name) != k.Name || strings.ContainsAny(k.Name, "\n\t") || len(k.Name) > 64 || strings.HasPrefix(k.Name, "-"):
		words = append(words, hash[:min(len(hash), 16)])
	default:
		words = append(words, Quote(k.Name))
	}
	if k.Kind == Prompt {
		words = append(words, "--kind", string(Prompt))
	}
	return strings.Join(words, " ")
}

// Find returns the definition that a person names: by its name, or by the beginning of its combined
// hash.
func (s *Store) Find(server string, kind Kind, word string) (Item, error) {
	if !kind.Named() {
		word = ""
	}
	if i, ok := s.Item(Key{server, kind, word}); ok {
		return i, nil
	}
	for _, i := range s.Items(server) {
		if i.Kind == kind && len(word) >= minHash && strings.HasPrefix(i.Fingerprint.CombinedHash, word) {
			return i, nil
		}
	}
	return Item{}, fmt.Errorf(
		"%s: %w; `mcpproxy trust list %s` shows what there is",
		Visible(Key{server, kind, word}.String()),
		ErrUnknown,
		Quote(server),
	)
}
