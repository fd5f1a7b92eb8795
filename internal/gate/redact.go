package gate

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

const (
	maxNumbered = 1000   // sessions whose placeholders are remembered
	maxNumbers  = 10_000 // placeholders of one session
)

// placeholders name redacted values: the same value has the same name within a
// session. Values are not kept, only their hashes.
type placeholders struct {
	mu       sync.Mutex
	sessions map[string]map[[sha256.Size]byte]int
	order    []string // of sessions, oldest first
}

// name is the placeholder of a value, such as "[aws_access_key:1]".
func (p *placeholders) name(session, kind, value string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	numbers := p.sessions[session]
	if numbers == nil {
		if p.sessions == nil {
			p.sessions = map[string]map[[sha256.Size]byte]int{}
		}
		if len(p.order) == maxNumbered {
			delete(p.sessions, p.order[0])
			p.order = slices.Delete(p.order, 0, 1)
		}
		numbers = map[[sha256.Size]byte]int{}
		p.sessions[session], p.order = numbers, append(p.order, session)
	}
	hash := sha256.Sum256([]byte(kind + "\x00" + value))
	n, ok := numbers[hash]
	if !ok {
		if len(numbers) >= maxNumbers {
			return "[" + kind + "]"
		}
		numbers[sha256.Sum256([]byte(kind))]++ // counts the values of the kind
		n = numbers[sha256.Sum256([]byte(kind))]
		numbers[hash] = n
	}
	return fmt.Sprintf("[%s:%d]", kind, n)
}

// Mask hides what is secret in a text of the operator's: a line of the log, or of
// a server's own. A text that cannot be read is not shown.
func (g *Gate) Mask(s string) string {
	r := g.read(g.settings.Load(), text.Quote(s), "")
	if r.err != nil {
		return "[a text that could not be inspected]"
	}
	return detect.MaskText(s, r.hidden())
}

// redactions replace what is sensitive in r by placeholders: what was found
// there, and what the call carries from earlier results.
func (g *Gate) redactions(p *Pass, r reading) []text.Edit {
	found := slices.DeleteFunc(slices.Clone(r.found), func(f detect.Finding) bool { return !f.Signal().Sensitive() })
	show := func(f *detect.Finding) string { return g.names.name(p.Call.FlowSession, f.Rule.ID, f.Value) }
	return append(detect.Edits(found, show), detect.NewMasker(p.known).Edits(r.doc, show)...)
}

// sendable is the call as it may be sent.
func (g *Gate) sendable(p *Pass) *mcpproxy.Call {
	if p.Verdict.Decision != mcpproxy.Redact || p.sensitive() == 0 {
		return p.Call
	}
	call := *p.Call
	call.Arguments = p.args.doc.Rewrite(g.redactions(p, p.args))
	call.Extra = p.extra.doc.Rewrite(g.redactions(p, p.extra))
	return &call
}
