package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ship"
)

// enrolledLook is the time between two checks whether the machine was enrolled at a hub.
const enrolledLook = 2 * time.Second

// shipping sends the activity log to the hub at which the machine is enrolled.
type shipping struct {
	log    *activityLog
	config func() *config.Config

	mu      sync.Mutex
	now     *ship.Shipper // nil if the log is not sent
	refused string        // why the log is not sent; logged once
	since   time.Time     // time of refused
}

// keep sends records until ctx ends.
func (s *shipping) keep(ctx context.Context) {
	for ctx.Err() == nil {
		shipper, err := s.shipper(ctx)
		if errors.Is(err, ship.ErrNotEnrolled) || ctx.Err() != nil {
			err = nil
		}
		if s.became(shipper, err) {
			slog.Error("the activity log is not sent to the hub", "error", err)
		}
		if shipper != nil {
			shipper.Keep(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(enrolledLook):
		}
	}
}

// became saves the current shipper, or the reason why there is none. It reports whether that reason is a new one.
func (s *shipping) became(shipper *ship.Shipper, err error) (told bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = shipper
	if err == nil {
		s.refused = ""
		return false
	}
	if s.refused == "" {
		s.since = time.Now()
	}
	told = err.Error() != s.refused
	s.refused = err.Error()
	return told
}

// facts returns up to which record the log was sent; nil if the machine is not enrolled.
func (s *shipping) facts() *api.Shipping {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		if s.refused == "" {
			return nil
		}
		return &api.Shipping{Error: s.refused, Since: s.since}
	}
	at := s.now.Cursor()
	f := &api.Shipping{Hub: s.now.Hub(), Sent: at.Seq, Last: at.Sent}
	if log, ok := s.log.store.(interface{ Heads() *ledger.HeadWriter }); ok {
		f.Unsent = max(0, log.Heads().Heads().Log.Seq-at.Seq)
	}
	if since, fault := s.now.Fault(); fault != nil {
		f.Error, f.Since = fault.Error(), since
	}
	f.Behind = f.Unsent > shippingBehind || f.Unsent > 0 && time.Since(at.Sent) > shippingLate
	return f
}

// The hub counts as behind if more records wait than a machine sends in a few seconds, or if the hub has confirmed
// none for that time.
const (
	shippingBehind = 10_000
	shippingLate   = 10 * time.Minute
)

// errShared is the error of a gateway that is enrolled although it writes its log to a database.
var errShared = errors.New("this gateway writes its activity log to a database (activity.store): " +
	"let it write to the database of the hub, and do not enroll it")

// shipper returns the shipper that sends the log.
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
