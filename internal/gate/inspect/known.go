package inspect

import (
	"sync"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

// Bounds of what is remembered about tools and texts.
const (
	MaxKnown     = 2048 // tools, and texts
	maxKnownName = 256  // bytes of a name or a text
)

// known is what follows from configuration and from what calls have in common, so
// that it need not be found out for each. It lives as long as its [Settings] do, and
// is bounded: when it is full it begins anew.
type known struct {
	classifier *classify.Classifier

	mu    sync.Mutex
	tools map[toolKey]*tool
	plain map[string]bool // texts in which nothing is sensitive
}

// toolKey is a tool as a server defines it. A definition is never changed, and one
// that is held here is never taken for another: a new one is another key.
type toolKey struct {
	server, tool string
	def          *mcpproxy.Tool
}

// tool is where a tool stands, whatever it is called with.
type tool struct {
	*classify.Subject
	class mcpproxy.Class
}

func newKnown(c *classify.Classifier) *known {
	return &known{classifier: c, tools: map[toolKey]*tool{}, plain: map[string]bool{}}
}

// tool is what is known of a tool of a server; def is nil when the server has not
// described it.
func (k *known) tool(server, name string, def *mcpproxy.Tool) *tool {
	key := toolKey{server, name, def}
	k.mu.Lock()
	t := k.tools[key]
	k.mu.Unlock()
	if t != nil {
		return t
	}
	s := classify.Describe(name, def)
	t = &tool{s, k.classifier.Class(server, name, s)}
	if len(server)+len(name) <= maxKnownName {
		k.mu.Lock()
		defer k.mu.Unlock()
		if len(k.tools) >= MaxKnown {
			clear(k.tools)
		}
		k.tools[key] = t
	}
	return t
}

// isPlain reports whether it was noted that nothing in a text is sensitive.
func (k *known) isPlain(s []byte) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.plain[string(s)]
}

// notePlain notes that nothing in a text is sensitive.
func (k *known) notePlain(s []byte) {
	if len(s) > maxKnownName {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.plain) >= MaxKnown {
		clear(k.plain)
	}
	k.plain[string(s)] = true
}
