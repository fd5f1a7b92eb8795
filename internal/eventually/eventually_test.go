package eventually_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy/internal/eventually"
)

// failing collects the failures of a test.
type failing struct{ said []string }

func (f *failing) Fatalf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func TestAConditionThatBecomesTrueIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var f failing
		eventually.True(&f, "a second has passed", func() bool { return time.Since(begin) >= time.Second })
		if len(f.said) > 0 {
			t.Errorf("the test fails: %q", f.said)
		}
		if took := time.Since(begin); took > time.Second+50*time.Millisecond {
			t.Errorf("the condition is seen after %s", took)
		}
	})
}

func TestAConditionThatStaysFalseFailsTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var f failing
		eventually.TrueWithin(&f, time.Second, "pigs fly", func() bool { return false })
		eventually.SucceedsWithin(&f, time.Second, "pigs swim", func() error { return errors.New("they sink") })
		want := []string{
			"not within 1s: pigs fly",
			"not within 1s: pigs swim: they sink",
		}
		if fmt.Sprint(f.said) != fmt.Sprint(want) {
			t.Errorf("the failures are %q, want %q", f.said, want)
		}
		if took := time.Since(begin); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("the two limits of a second took %s", took)
		}
	})
}

func TestWhatHoldsAlreadyTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		eventually.Succeeds(t, "nothing is wrong", func() error { return nil })
		if !eventually.Within(0, func() bool { return true }) {
			t.Error("a limit of nothing checks nothing")
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("it took %s", took)
		}
	})
}
