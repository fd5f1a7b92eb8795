package daemon

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ship"
)

// enrolledLook is how often the daemon looks whether the machine was enrolled at a hub.
const enrolledLook = 2 * time.Second

// shipping sends the activity log to the hub at which the machine is enrolled.
type shipping struct {
	log    *activityLog
	config func() *config.Config

	refused string // why nothing is sent; it is said once
}

// keep sends records until ctx ends.
func (s *shipping) keep(ctx context.Context) {
	for ctx.Err() == nil {
		shipper, err := s.shipper(ctx)
		switch {
		case err == nil:
			s.refused = ""
			shipper.Keep(ctx)
		case errors.Is(err, ship.ErrNotEnrolled):
			s.refused = ""
		case err.Error() != s.refused && ctx.Err() == nil:
			s.refused = err.Error()
			slog.Error("the activity log is not sent to the hub", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(enrolledLook):
		}
	}
}

// errShared is the error of a gateway that is enrolled and writes to a database.
var errShared = errors.New("this gateway writes its activity log to a database (activity.store): " +
	"let it write to the database of the hub, and do not enroll it")

// shipper returns what sends the log.
func (s *shipping) shipper(ctx context.Context) (*ship.Shipper, error) {
	c := s.config()
	if _, err := ship.ReadEnrolled(ctx, c.DataDir); err != nil {
		return nil, err
	}
	source, ok := s.log.store.(ship.Source)
	if !ok {
		return nil, errShared
	}
	signer, err := ledger.OpenSigner(LogPlace(c).Folder())
	if err != nil {
		return nil, err
	}
	return ship.New(ctx, ship.Options{
		Folder:   c.DataDir,
		Source:   source,
		Signer:   signer,
		Bare:     func() bool { return s.config().Ship.Mask == "bodies" },
		Demanded: func() string { return s.config().Ship.Hub },
		Record: func(ctx context.Context, r *mcpproxy.Record) error {
			return s.log.monitor.Append(ctx, r)
		},
	})
}
