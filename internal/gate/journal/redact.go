package journal

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/text"
)

const (
	maxNumbered = 1000   // sessions whose placeholders are stored
	maxNumbers  = 10_000 // placeholders of one session
)

// placeholders names redacted values: within a session, the same value has the same name. It stores hashes of values,
// not the values.
type placeholders struct {
	mu       sync.Mutex
	sessions map[string]map[[sha256.Size]byte]int
	order    []string // session ids, oldest first
}

// name returns the placeholder for a value, such as "[aws_access_key:1]".
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

// Mask masks secrets in a text for the operator, such as a line of the log or a server's message. A text that cannot
// be read is replaced.
func Mask(in *inspect.Inspector, s string) string {
	r := in.Text(s)
	if r.Err != nil {
		return "[a text that could not be inspected]"
	}
	return detect.MaskText(s, r.Hidden())
}

// Masked returns s, a text about a call, with the secrets of the call masked.
func Masked(seen *inspect.Inspection, s string) string { return seen.Mask(s) }

// Redactions returns edits that replace sensitive values in r by placeholders: the findings in r, and secrets of
// earlier results that the call carries.
func (j *Journal) Redactions(seen *inspect.Inspection, r inspect.Reading) []text.Edit {
	found := slices.DeleteFunc(slices.Clone(r.Found), func(f detect.Finding) bool { return !f.Signal().Sensitive() })
	show := func(f *detect.Finding) string {
		return j.names.name(seen.Call().FlowSession, f.Rule.ID, f.Value)
	}
	return append(detect.Edits(found, show), detect.NewMasker(seen.Known()).Edits(r.Doc, show)...)
}

// Redacted returns the call with its sensitive values replaced by placeholders. It returns the call itself if there
// are none.
func (j *Journal) Redacted(seen *inspect.Inspection) *mcpproxy.Call {
	if seen.Redactable() == 0 {
		return seen.Call()
	}
	call := *seen.Call()
	args, extra := seen.Arguments(), seen.Extra()
	call.Arguments = args.Doc.Rewrite(j.Redactions(seen, args))
	call.Extra = extra.Doc.Rewrite(j.Redactions(seen, extra))
	return &call
}
