package wire

import "mcpproxy/internal/lazyregexp"

// Compiled only when the first unreadable message arrives, which is rare.
var (
	headID = lazyregexp.New(`^\s*\{[^{}\[\]]{0,200}"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?[0-9]+)`)
	tailID = lazyregexp.New(`"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?[0-9]+)[^{}\[\]]{0,200}\}\s*$`)
)

// GuessID guesses the id of an unreadable message from its first and last bytes; nil if there is
// none. It ignores inner values. Use it only to report that the message was refused.
func GuessID(head, tail []byte) []byte {
	if m := headID().FindSubmatch(head[:min(len(head), frameEnd)]); m != nil {
		return m[1]
	}
	if m := tailID().FindSubmatch(tail); m != nil {
		return m[1]
	}
	return nil
}

// ID returns the id of the skipped message; nil if it cannot be found.
func (e *TooLargeError) ID() []byte { return GuessID(e.Head, e.Tail) }
