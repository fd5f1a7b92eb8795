package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
)

// logMask masks secrets in log messages; nil until a gate exists.
var logMask atomic.Pointer[func(string) string]

// maskedLog is a log handler that masks secrets in messages and attributes. An error can contain secrets because it
// quotes what a server has written.
type maskedLog struct{ slog.Handler }

func (l maskedLog) Handle(ctx context.Context, r slog.Record) error {
	mask := logMask.Load()
	if mask == nil {
		return l.Handler.Handle(ctx, r)
	}
	masked := slog.NewRecord(r.Time, r.Level, (*mask)(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		switch v := a.Value.Resolve(); v.Kind() {
		case slog.KindString, slog.KindAny:
			a.Value = slog.StringValue((*mask)(fmt.Sprint(v.Any())))
		}
		masked.AddAttrs(a)
		return true
	})
	return l.Handler.Handle(ctx, masked)
}

func (l maskedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return maskedLog{l.Handler.WithAttrs(attrs)}
}

func (l maskedLog) WithGroup(name string) slog.Handler { return maskedLog{l.Handler.WithGroup(name)} }

// LogTo makes the program log to w, with secrets masked, from the given level: debug, info, warn or
// error.
func LogTo(w io.Writer, level string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("invalid --log-level %q: must be debug, info, warn or error", level)
	}
	slog.SetDefault(slog.New(maskedLog{slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})}))
	return nil
}
