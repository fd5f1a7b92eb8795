package upstream

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mcpproxy/internal/wire"
)

// inbound parses one message from a server and routes it. A malformed message still ends the call
// that it answers, if that call can be identified; otherwise it has no effect. inbound reports
// whether the message was a valid answer.
func (l *Link) inbound(raw []byte, from *call, status int) (answered bool) {
	begin := time.Now()
	msg, err := wire.Parse(raw)
	if err != nil || !msg.IsResponse() {
		defer l.rest(begin)
	}
	if limit := l.server.sizes.single(); err == nil && !msg.IsResponse() && len(raw) > limit {
		slog.Warn("a server sent a message over the limit", "server", l.server.Name(), "limit", limit)
		return false
	}
	if err == nil {
		if large := l.server.sizes.check(msg); large != nil {
			l.abort(msg.ID, large)
			return true
		}
		msg.HTTPStatus = status
		l.receive(msg, from)
		return msg.IsResponse()
	}
	err = fmt.Errorf("%w: %w", errMalformed, err)
	if n := l.garbled.Add(1); n&(n-1) == 0 { // some servers write each line of a text separately
		slog.Warn("a server sent a message that is not valid", "server", l.server.Name(), "error", err, "so far", n)
		l.server.logs.note(fmt.Sprintf("mcpproxy: %v (%d so far)", err, n))
	}
	if loose, looseErr := wire.ParseLenient(raw); looseErr == nil && loose.IsResponse() {
		l.abort(loose.ID, err)
	} else if from != nil {
		from.finish(nil, err)
	} else {
		l.abort(wire.GuessID(raw, nil), err)
	}
	return false
}

// oversized ends the call that a too large frame seems to answer.
func (l *Link) oversized(err error, from *call) bool {
	large, ok := errors.AsType[*wire.TooLargeError](err)
	if !ok {
		return false
	}
	slog.Warn("a server sent a message over the limit", "server", l.server.Name(), "limit", large.Limit)
	if from != nil {
		from.finish(nil, err)
	} else {
		l.abort(large.ID(), err)
	}
	return true
}

func (l *Link) abort(id []byte, err error) {
	l.mu.Lock()
	c := l.pending[string(id)]
	delete(l.pending, string(id))
	l.mu.Unlock()
	if c != nil {
		c.finish(nil, err)
	}
}
