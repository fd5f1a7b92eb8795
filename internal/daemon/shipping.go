package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ship"
)

// enrolledLook is the time between two checks whether the machine was enrolled at a hub.
const enrolledLook = 2 * time.Second

// sender sends the activity log to one place.
type sender interface {
	Keep(ctx context.Context)
	To() string
	Sent() (seq int64, at time.Time)
	Fault() (since time.Time, fault error)
}

// errNowhere says that no destination for the log is configured, which is not a failure.
var errNowhere = errors.New("the activity log is sent nowhere")

// shipping sends the activity log to the hub at which the machine is enrolled, or to a bucket.
type shipping struct {
	log  *activityLog
	what string                                    // hub or bucket, for messages
	open func(ctx context.Context) (sender, error) // opens the sender, or fails with errNowhere

	mu      sync.Mutex
	now     sender    // nil if the log is not sent
	refused string    // why the log is not sent; logged once
	since   time.Time // time of refused
}

// keep sends records until ctx ends.
func (s *shipping) keep(ctx context.Context) {
	for ctx.Err() == nil {
		now, err := s.open(ctx)
		if errors.Is(err, errNowhere) || ctx.Err() != nil {
			err = nil
		}
		if s.became(now, err) {
			slog.Error("the activity log is not sent to the "+s.what, "error", err)
		}
		if now != nil {
			now.Keep(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(enrolledLook):
		}
	}
}

// became stores the current sender, or the reason why there is none. It reports whether that reason is new.
func (s *shipping) became(now sender, err error) (told bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
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

// facts returns the number of the last record that was sent; nil if the log is not sent.
func (s *shipping) facts() *api.Shipping {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		if s.refused == "" {
			return nil
		}
		return &api.Shipping{Error: s.refused, Since: s.since}
	}
	seq, at := s.now.Sent()
	f := &api.Shipping{Hub: s.now.To(), Sent: seq, Last: at}
	if log, ok := s.log.store.(interface{ Heads() *ledger.HeadWriter }); ok {
		f.Unsent = max(0, log.Heads().Heads().Log.Seq-seq)
	}
	if since, fault := s.now.Fault(); fault != nil {
		f.Error, f.Since = fault.Error(), since
	}
	f.Behind = f.Unsent > shippingBehind || f.Unsent > 0 && time.Since(at) > shippingLate
	return f
}

// The hub counts as behind if more records wait than a machine sends in a few seconds, or if the hub has confirmed
// none for that time.
const (
	shippingBehind = 10_000
	shippingLate   = 10 * time.Minute
)

// Errors for gateways that write their log to a database and are configured to send it.
var (
	errShared = errors.New("this gateway writes its activity log to a database (activity.store): " +
		"let it write to the database of the hub, and do not enroll it")
	errSharedBucket = errors.New("this gateway writes its activity log to a database (activity.store), and only a log on the " +
		"machine's own disk can be sent to a bucket: remove ship.bucket")
)

// shippers are the parts that send the log of a daemon.
type shippers struct {
	log    *activityLog
	config func() *config.Config
}

// toHub returns the part that sends the log to the hub at which the machine is enrolled.
func (s shippers) toHub(ctx context.Context) (sender, error) {
	c := s.config()
	if _, err := ship.ReadEnrolled(ctx, c.DataDir); errors.Is(err, ship.ErrNotEnrolled) {
		return nil, errNowhere
	} else if err != nil {
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
	shipper, err := ship.New(ctx, ship.Options{
		Folder:   c.DataDir,
		Source:   source,
		Signer:   signer,
		Bare:     s.bare,
		Demanded: func() string { return s.config().Ship.Hub },
		Record:   s.record,
	})
	if err != nil {
		return nil, err
	}
	return shipper, nil
}

// toBucket returns the part that sends the log to the bucket of the configuration.
func (s shippers) toBucket(ctx context.Context) (sender, error) {
	c := s.config()
	if c.Ship.Place() == (bucket.Place{}) {
		return nil, errNowhere
	}
	source, ok := s.log.store.(ship.Source)
	if !ok {
		return nil, errSharedBucket
	}
	signer, err := ledger.OpenSigner(LogPlace(c).Folder())
	if err != nil {
		return nil, err
	}
	uploader, err := ship.NewUploader(ctx, ship.BucketOptions{
		Folder: c.DataDir,
		Source: source,
		Signer: signer,
		Place:  func() bucket.Place { return s.config().Ship.Place() },
		Bare:   s.bare,
		Record: s.record,
	})
	if err != nil {
		return nil, err
	}
	return uploader, nil
}

// bare reports whether arguments and responses are removed from records before they are sent.
func (s shippers) bare() bool { return s.config().Ship.Mask == "bodies" }

// record writes a record to the log.
func (s shippers) record(ctx context.Context, r *mcpproxy.Record) error {
	return s.log.monitor.Append(ctx, r)
}
