package upstream_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"mcpproxy/internal/program"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// The manager reports each start of a program, with the program as it was started. If the receiver returns an error,
// links for calls are closed, and the link that reads definitions is kept.
func TestEachStartOfAProgramIsReported(t *testing.T) {
	t.Parallel()
	m := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
	t.Cleanup(func() { m.Close(context.Background()) })
	var reader program.Reader
	var refuses atomic.Bool
	prints := make(chan program.Print, 100)
	held := errors.New("its program has changed")
	m.Started(func(ctx context.Context, s *upstream.Server, p *program.Started) error {
		if s.Name() != "fake" {
			t.Errorf("the server is %s", s.Name())
		}
		prints <- reader.Read(ctx, p)
		if refuses.Load() {
			return held
		}
		return nil
	})
	spec := stdioSpec(t, "plain")
	m.Apply([]upstream.Spec{spec})
	s, _ := m.Get("fake")
	works(t, s)
	first := <-prints
	if first.Subject != spec.Command || first.SHA256 == "" {
		t.Errorf("%+v", first)
	}
	own := func(session string, common bool) error {
		hello := upstream.Hello(nil, wire.Stateful)
		hello.Common = common
		_, done, err := s.Own(t.Context(), upstream.Owner{Principal: "p", Session: session}, hello,
			func(*upstream.Link, *wire.Message) {})
		if err == nil {
			done()
		}
		return err
	}
	if err := own("a", false); err != nil {
		t.Fatal(err)
	}
	if again := <-prints; again != first {
		t.Errorf("%+v, and then %+v", first, again)
	}
	refuses.Store(true)
	for session, common := range map[string]bool{"b": false, "c": true} {
		if err := own(session, common); !errors.Is(err, held) {
			t.Errorf("a link of a program that is held: %v", err)
		}
	}
	m.Reopen("fake")
	works(t, s)
	if len(prints) < 2 {
		t.Errorf("%d further starts were told of", len(prints))
	}
}
