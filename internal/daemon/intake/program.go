package intake

import (
	"context"
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/program"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// Started compares the code of a server's newly started program with the known code. If a change
// would hold the server, Started waits for the comparison, and its error says why no call may reach
// the program. Otherwise the comparison runs in the background. Ctx is the server's life.
func (in *Intake) Started(ctx context.Context, s *upstream.Server, p *program.Started) error {
	rules := in.trust.Rules()
	switch {
	case rules.Program == trust.ProgramOff:
		p.Close()
	case rules.Program == trust.ProgramQuarantine && rules.Enabled:
		in.compare(ctx, s, p)
		if why := in.trust.ProgramHolds(s.Name()); why != "" {
			return mcpproxy.Errorf(mcpproxy.CodeDenied, nil, "%s", why)
		}
	default:
		go in.compare(ctx, s, p)
	}
	return nil
}

// compare hashes a program and compares it with the server's known program.
func (in *Intake) compare(ctx context.Context, s *upstream.Server, p *program.Started) {
	server := s.Name()
	print := in.code.Read(ctx, p)
	if ctx.Err() != nil {
		return // the server was removed
	}
	s.Runs(print.Version)
	held := in.trust.ProgramHolds(server)
	if err := in.trust.ObserveProgram(server, trust.Program(print)); err != nil {
		slog.Error("the program of a server could not be saved", "server", server, "error", err)
	}
	if held != in.trust.ProgramHolds(server) && in.trust.Read(server) {
		in.Offer(server)
	}
}
