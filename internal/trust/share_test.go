package trust_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/trust"
)

// pair returns two stores that share their decisions, and a switch that cuts the connection between them.
func pair(t *testing.T, r trust.Rules) (a, b *trust.Store, connected *bool) {
	t.Helper()
	connected = new(bool)
	*connected = true
	a, _ = newStore(t, r)
	b, _ = newStore(t, r)
	for from, to := range map[*trust.Store]*trust.Store{a: b, b: a} {
		from.Share(func(ds []trust.Decision) error {
			for _, d := range ds {
				if !d.Refusal() && !*connected {
					return errors.New("the store is away")
				}
			}
			raw, err := json.Marshal(ds) // in the form in which they are shared
			if err != nil {
				return err
			}
			var read []trust.Decision
			if err := json.Unmarshal(raw, &read); err != nil {
				return err
			}
			from.Adopt(read)
			to.Adopt(read)
			return nil
		})
	}
	return a, b, connected
}

func TestWhatIsDecidedOnOneGatewayHoldsOnTheOther(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	approve := func(s *trust.Store) { _, err := s.Approve(read, "ada", ""); must(err) }
	for name, c := range map[string]struct {
		rules trust.Rules
		do    func(a, b *trust.Store) (now string) // the definition that b received last
		state trust.State                          // of the tool on b
		free  bool
	}{
		"an approval of what both have read": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			approve(a)
			return honest
		}, trust.Approved, true},
		"an approval before the other has read it": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			approve(a)
			list(b, honest)
			return honest
		}, trust.Approved, true},
		"an approval of a form in which a scan finds something": {trusting, func(a, b *trust.Store) string {
			list(a, poisoned)
			approve(a)
			list(b, poisoned)
			return poisoned
		}, trust.Approved, true},
		"an approval of another form approves nothing": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			approve(a)
			list(b, changed)
			return changed
		}, trust.Quarantined, false},
		"an approval of a new form, before the other sees it": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			approve(a)
			list(a, changed)
			approve(a)
			if usable(t, b, honest) {
				t.Error("a form that is not the approved one any more can be used")
			}
			list(b, changed)
			return changed
		}, trust.Approved, true},
		"a rug pull that only the first has seen": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			approve(b)
			list(a, changed)
			list(a, honest)
			return honest
		}, trust.RugPull, false},
		"a baseline": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			_, err := a.Baseline("files", "ada", false)
			must(err)
			return honest
		}, trust.Approved, true},
		"a refusal": {trusting, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			_, err := a.Block(read, "ada", "no")
			must(err)
			return honest
		}, trust.Blocked, false},
		"a refusal before the other has read it": {trusting, func(a, b *trust.Store) string {
			list(a, honest)
			_, err := a.Block(read, "ada", "no")
			must(err)
			list(b, honest)
			return honest
		}, trust.Blocked, false},
		"a refusal that was taken back": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			_, err := a.Block(read, "ada", "no")
			must(err)
			approve(b)
			return honest
		}, trust.Approved, true},
		"a hold because of behaviour": {strict, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			approve(a)
			_, err := a.Hold(read, "mcpproxy", "it wrote, and said that it reads")
			must(err)
			return honest
		}, trust.Quarantined, false},
		"a server in quarantine": {trusting, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			_, err := a.QuarantineServer("files", "ada", "")
			must(err)
			return honest
		}, trust.Approved, false},
		"a server that was released": {trusting, func(a, b *trust.Store) string {
			list(a, honest)
			list(b, honest)
			_, err := a.QuarantineServer("files", "ada", "")
			must(err)
			_, err = b.ReleaseServer("files", "bob")
			must(err)
			return honest
		}, trust.Approved, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, _ := pair(t, c.rules)
			now := c.do(a, b)
			i, ok := b.Item(read)
			if !ok || i.State != c.state {
				t.Errorf("the tool is %q on the other gateway (%s), want %q", i.State, i.Reason, c.state)
			}
			if free := usable(t, b, now); free != c.free {
				t.Errorf("it can be used there: %t", free)
			}
		})
	}
}

func TestWithoutTheOthersNothingIsApprovedAndEverythingCanBeRefused(t *testing.T) {
	t.Parallel()
	a, b, connected := pair(t, strict)
	list(a, honest)
	list(b, honest)
	*connected = false
	if _, err := a.Approve(read, "ada", ""); err == nil || !strings.Contains(err.Error(), "the store is away") {
		t.Errorf("the approval gave %v", err)
	}
	if _, err := a.Baseline("", "ada", true); err == nil {
		t.Error("a baseline succeeded")
	}
	if usable(t, a, honest) {
		t.Error("an approval that failed holds")
	}
	*connected = true
	if _, err := a.Approve(read, "ada", ""); err != nil {
		t.Fatal(err)
	}
	*connected = false
	if _, err := b.Block(read, "bob", "no"); err != nil || usable(t, b, honest) {
		t.Errorf("the refusal gave %v", err)
	}
}

func TestWhatWasDecidedBeforeAndWhatIsAdoptedSurviveARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trust.json")
	var changes []trust.Change
	s := reopen(t, path, strict, &changes)
	list(s, honest)
	if _, err := s.Approve(read, "ada", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.QuarantineServer("chat", "ada", "too loud"); err != nil {
		t.Fatal(err)
	}
	refusals, approvals := s.Decided()
	if len(refusals) != 1 || refusals[0].Server != "chat" || len(approvals) != 1 || approvals[0].Name != "read" {
		t.Errorf("what was decided before it joined: %+v and %+v", refusals, approvals)
	}
	no := approvals[0]
	no.State, no.Reason = trust.Blocked, "no"
	if got := s.Adopt([]trust.Decision{no}); len(got) != 1 || got[0] != "files" {
		t.Errorf("the servers that changed are %v", got)
	}
	if again := s.Adopt([]trust.Decision{no}); len(again) != 0 {
		t.Errorf("a decision that was adopted changes %v again", again)
	}
	s = reopen(t, path, strict, &changes)
	if i, _ := s.Item(read); i.State != trust.Blocked {
		t.Errorf("after a restart, it is %q", i.State)
	}
	other := reopen(t, filepath.Join(t.TempDir(), "trust.json"), trusting, &changes)
	other.Know([]trust.Decision{no})
	list(other, honest)
	if usable(t, other, honest) {
		t.Error("what was blocked in an earlier run passes when the server declares it again")
	}
}
