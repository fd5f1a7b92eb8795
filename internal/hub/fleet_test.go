package hub_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ship"
)

// chain is an activity log in memory.
type chain struct {
	all []ledger.Sealed
}

func newChain(t testing.TB, n int) *chain {
	t.Helper()
	c, prev := &chain{}, ""
	for range n {
		sealed, err := ledger.Seal(prev, record())
		if err != nil {
			t.Fatal(err)
		}
		c.all, prev = append(c.all, sealed), sealed.Hash
	}
	return c
}

// SealedAfter implements ship.Source.
func (c *chain) SealedAfter(_ context.Context, after int64, records, _ int) (int64, []ledger.Sealed, error) {
	rest := c.all[min(after, int64(len(c.all))):]
	return after + 1, rest[:min(records, len(rest))], nil
}

// simulated returns the shipper of a new machine that is enrolled at the hub and has n records to send.
func simulated(t testing.TB, s *service, n int) (*ship.Shipper, error) {
	t.Helper()
	folder := t.TempDir()
	signer, err := ledger.OpenSigner(folder)
	if err != nil {
		return nil, err
	}
	e, err := ship.Enroll(context.Background(), s.url(), "", s.token(), "simulated", signer)
	if err == nil {
		err = e.Save(folder)
	}
	if err != nil {
		return nil, err
	}
	return ship.New(context.Background(), ship.Options{
		Folder:   folder,
		Source:   newChain(t, n),
		Signer:   signer,
		Bare:     func() bool { return false },
		Demanded: func() string { return "" },
		Every:    time.Second,
		Record:   func(context.Context, *mcpproxy.Record) error { return nil },
	})
}

func TestTwoHundredMachinesShipWhileTheHubRestarts(t *testing.T) {
	const machines, each = 200, 40
	s := newService(t)
	shippers := make([]*ship.Shipper, machines)
	var group errgroup.Group
	group.SetLimit(16)
	for i := range shippers {
		group.Go(func() (err error) {
			shippers[i], err = simulated(t, s, each)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		for sent.Load() < machines/2 {
			time.Sleep(time.Millisecond)
		}
		s.stop()
		s.start()
	}()
	for _, shipper := range shippers {
		group.Go(func() error {
			defer sent.Add(1)
			for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
				_, err := shipper.Send(context.Background())
				if err == nil && shipper.Cursor().Seq == each {
					return nil
				}
				if time.Since(began) > time.Minute {
					return fmt.Errorf("a machine has sent only %d records in a minute: %w", shipper.Cursor().Seq, err)
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	<-restarted
	if n := s.number("SELECT count(DISTINCT (writer, seq)) FROM mcpproxy_records"); n != machines*each {
		t.Errorf("the hub has %d different records, want %d", n, machines*each)
	}
	if rep := s.verify(); !rep.OK || rep.Records != machines*each {
		t.Errorf("verify: ok %t, %d records, %s", rep.OK, rep.Records, rep.Problem)
	}
	all, err := s.store.Machines(t.Context())
	if err != nil || len(all) != machines {
		t.Fatalf("%d machines are listed (%v)", len(all), err)
	}
	for _, m := range all {
		if m.Records != each || m.Version == "" || m.Name != "simulated" || time.Since(m.Seen) > 10*time.Minute {
			t.Errorf("machine: %+v", m)
		}
	}
}

func TestAHubListsNewToolsAndRepeatedApprovals(t *testing.T) {
	s := newService(t)
	old := time.Now().Add(-48 * time.Hour)
	for i := range 2 {
		m, shipper := enrolled(t, s)
		var all []*mcpproxy.Record
		for n, tool := range []string{"post_message", "post_message", "list_channels", "delete_channel"} {
			r := record()
			r.ToolName = tool
			if n == 0 && i == 0 {
				r.Timestamp = old
			}
			all = append(all, r)
		}
		for _, decision := range []mcpproxy.Decision{mcpproxy.Ask, mcpproxy.Allow, mcpproxy.Deny} {
			r := record()
			r.Type = mcpproxy.RecordApproval
			r.Decision = decision
			r.ToolName = "delete_channel"
			all = append(all, r)
		}
		if err := m.log.Append(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		sendAll(t, shipper)
	}
	fresh, err := s.store.NewTools(t.Context(), time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range fresh {
		found[f.Tool] = f.NewServer
		if f.Machines != 2 || f.Calls != 2 || f.By != "laptop" {
			t.Errorf("new tool: %+v", f)
		}
	}
	if len(found) != 2 || found["list_channels"] || found["delete_channel"] {
		t.Errorf("the new tools, and whether the server of each is new: %v", found)
	}
	repeated, err := s.store.RepeatedApprovals(t.Context(), old, 2)
	if err != nil || len(repeated) != 1 {
		t.Fatalf("repeated approvals: %+v, %v", repeated, err)
	}
	if r := repeated[0]; r.Tool != "delete_channel" || r.Approved != 2 || r.Machines != 2 {
		t.Errorf("repeated approvals: %+v", r)
	}
	if more, err := s.store.RepeatedApprovals(t.Context(), old, 3); err != nil || len(more) != 0 {
		t.Errorf("approvals that were given 3 times: %+v, %v", more, err)
	}
}
