package wire

import "mcpproxy/internal/lazyregexp"

// Compiled when the first message cannot be read, which few programs ever see.
var (
	headID = lazyregexp.New(`^\s*\{[^{}\[\]]{0,200}"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?[0-9]+)`)
	tailID = lazyregexp.New(`"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?[0-9]+)[^{}\[\]]{0,200}\}\s*$`)
)

// GuessID finds the id of a message that cannot be read, from its first and last
// bytes; nil when it does not show. It looks outside any inner value. Use it only
// to tell somebody that the message was refused.
func GuessID(head, tail []byte) []byte {
	if m := headID().FindSubmatch(head[:min(len(head), frameEnd)]); m != nil {
		return m[1]
	}
	if m := tailID().FindSubmatch(tail); m != nil {
		return m[1]
	}
	return nil
}

// ID is the id of the skipped message; nil when it does not show.
func (e *TooLargeError) ID() []byte { return GuessID(e.Head, e.Tail) }
