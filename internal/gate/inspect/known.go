package inspect

import (
	"sync"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

// Limits of the cache for tools and texts.
const (
	MaxKnown     = 2048 // tools, and texts
	maxKnownName = 256  // bytes of a name or a text
)

// known caches what follows from the configuration and is the same for many calls. It belongs to one version of the
// [Settings]. It is bounded: when it is full, it is emptied.
type known struct {
	classifier *classify.Classifier

	mu    sync.Mutex
	tools map[toolKey]*tool
	plain map[string]bool // texts without sensitive content
}

// toolKey identifies a definition of a tool. Definitions never change, and a new definition has a different pointer,
// so an entry is never used for another definition.
type toolKey struct {
	server, tool string
	def          *mcpproxy.Tool
}

// tool holds the properties of a tool that do not depend on its arguments.
type tool struct {
	*classify.Subject
	class mcpproxy.Class
}

func newKnown(c *classify.Classifier) *known {
	return &known{classifier: c, tools: map[toolKey]*tool{}, plain: map[string]bool{}}
}

// tool returns the properties of a server's tool. def is nil if the server has not described it.
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

// isPlain reports whether a text is recorded as free of sensitive content.
func (k *known) isPlain(s []byte) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.plain[string(s)]
}

// notePlain records that a text is free of sensitive content.
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
