package risk_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/risk"
)

// limits are the documented defaults.
var limits = risk.Limits{
	CallsPerMinute: 10,
	SensitiveSends: 3,
	Bytes:          1 << 20,
	Destinations:   10,
	Window:         5 * time.Minute,
}

// monday is nine o'clock on a Monday.
var monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// send returns a call after some time, with changes.
func send(after time.Duration, changes ...func(*risk.Send)) risk.Send {
	s := risk.Send{
		Session:      "s",
		Tool:         "slack:post_message",
		At:           monday.Add(after),
		Bytes:        100,
		Destinations: []string{"#general"},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func to(d ...string) func(*risk.Send)    { return func(s *risk.Send) { s.Destinations = d } }
func size(n int) func(*risk.Send)        { return func(s *risk.Send) { s.Bytes = n } }
func session(id string) func(*risk.Send) { return func(s *risk.Send) { s.Session = id } }
func sensitive(s *risk.Send)             { s.Sensitive = true }
func tainted(s *risk.Send)               { s.Tainted = true }

func times(n int, f func(i int) risk.Send) []risk.Send {
	var all []risk.Send
	for i := range n {
		all = append(all, f(i))
	}
	return all
}

// kinds lists the signals of the last call, in order.
func kinds(w *risk.Watch, l risk.Limits, calls ...risk.Send) []string {
	var last []mcpproxy.Signal
	for _, s := range calls {
		last = w.Observe(s, l)
		w.Learn(s)
	}
	var out []string
	for _, s := range last {
		out = append(out, s.Kind)
	}
	slices.Sort(out)
	return out
}

func TestThresholds(t *testing.T) {
	second := func(i int) time.Duration { return time.Duration(i) * time.Second }
	minute := func(i int) time.Duration { return time.Duration(i) * time.Minute }
	for name, c := range map[string]struct {
		calls []risk.Send
		want  []string
	}{
		"one call is nothing":                   {times(1, func(i int) risk.Send { return send(0) }), nil},
		"ten calls in one minute":               {times(10, func(i int) risk.Send { return send(second(i)) }), nil},
		"eleven calls in one minute are rapid":  {times(11, func(i int) risk.Send { return send(second(i)) }), []string{"rapid_external_sends"}},
		"eleven calls in eleven minutes":        {times(11, func(i int) risk.Send { return send(minute(i)) }), nil},
		"eleven calls of eleven sessions":       {times(11, func(i int) risk.Send { return send(second(i), session(fmt.Sprint(i))) }), nil},
		"sensitive data is told":                {times(1, func(i int) risk.Send { return send(0, sensitive) }), []string{"pii_to_external"}},
		"a megabyte":                            {times(1, func(i int) risk.Send { return send(0, size(1<<20)) }), nil},
		"more than a megabyte in one call":      {times(1, func(i int) risk.Send { return send(0, size(1<<20+1)) }), []string{"external_volume"}},
		"more than a megabyte in several calls": {times(5, func(i int) risk.Send { return send(second(i), size(1<<18)) }), []string{"external_volume"}},
		"the same in ten minutes":               {times(5, func(i int) risk.Send { return send(minute(3*i), size(1<<18)) }), nil},
		"ten destinations":                      {times(10, func(i int) risk.Send { return send(minute(0), to(fmt.Sprint(i))) }), nil},
		"eleven destinations in one call":       {times(1, func(i int) risk.Send { return send(0, to("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")) }), []string{"many_destinations"}},
		"eleven destinations in several calls":  {times(6, func(i int) risk.Send { return send(second(i), to(fmt.Sprint(i), fmt.Sprint(i, "b"))) }), []string{"many_destinations"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, kinds(risk.NewWatch(), limits, c.calls...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASendIsMoreSevereAfterASensitiveRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*risk.Send)
		want   mcpproxy.Severity
	}{"before": {func(*risk.Send) {}, mcpproxy.SeverityMedium}, "after": {tainted, mcpproxy.SeverityHigh}} {
		got := risk.NewWatch().Observe(send(0, size(2<<20), c.change), limits)
		if len(got) != 1 || got[0].Severity != c.want || got[0].Source != mcpproxy.SourceBehavioral ||
			got[0].Evidence == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Shows: RFC-23.
func TestTheFourthSensitiveSendIsCritical(t *testing.T) {
	w := risk.NewWatch()
	for i := range 4 {
		got := w.Observe(send(time.Duration(i)*time.Second, sensitive), limits)
		want := mcpproxy.SeverityHigh
		if i == 3 {
			want = mcpproxy.SeverityCritical
		}
		if len(got) != 1 || got[0].Severity != want {
			t.Errorf("send %d: %+v", i+1, got)
		}
	}
}

// Shows: RFC-23.
func TestWithoutLimitsNothingIsExceeded(t *testing.T) {
	got := kinds(
		risk.NewWatch(),
		risk.Limits{},
		times(50, func(i int) risk.Send { return send(0, size(9<<20), to(fmt.Sprint(i))) })...)
	if got != nil {
		t.Errorf("%v", got)
	}
}

// month returns calls of one tool, every work day at nine.
func month(n int, changes ...func(*risk.Send)) []risk.Send {
	return times(n, func(i int) risk.Send { return send(time.Duration(i)*24*time.Hour, changes...) })
}

// Shows: RFC-5.
func TestBehaviour(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		usual []risk.Send
		call  risk.Send
		want  []string
	}{
		"the usual call":                               {month(60), send(60 * day), nil},
		"a destination that is new":                    {month(20), send(60*day, to("#other")), []string{"new_destination"}},
		"a new one among known ones":                   {month(20), send(60*day, to("#general", "#other")), []string{"new_destination"}},
		"a new destination for a tool hardly known":    {month(19), send(60*day, to("#other")), nil},
		"a new destination where new ones are usual":   {times(40, func(i int) risk.Send { return send(time.Duration(i)*day, to(fmt.Sprint(i/3))) }), send(60*day, to("x")), nil},
		"another tool's destination":                   {month(20), send(60*day, to("#other"), func(s *risk.Send) { s.Tool = "mail:send" }), nil},
		"the middle of the night":                      {month(50), send(60*day - 7*time.Hour), []string{"unusual_hour"}},
		"an hour later than ever":                      {month(50), send(60*day + time.Hour), nil},
		"the middle of the night, hardly known":        {month(49), send(60*day - 7*time.Hour), nil},
		"the middle of the night after one long day":   {times(60, func(i int) risk.Send { return send(time.Duration(i) * time.Minute) }), send(day - 7*time.Hour), nil},
		"a call far larger than usual":                 {month(10), send(60*day, size(5000)), []string{"volume_jump"}},
		"a large call of a tool hardly known":          {month(9), send(60*day, size(5000)), nil},
		"a call somewhat larger":                       {month(10, size(2000)), send(60*day, size(5000)), nil},
		"a small call":                                 {month(10, size(10)), send(60*day, size(4000)), nil},
		"a large call of a tool whose calls differ":    {times(40, func(i int) risk.Send { return send(time.Duration(i)*day, size(i%2*8000+100)) }), send(60*day, size(8000)), nil},
		"a large call, although one was larger before": {append(month(20), send(21*day, size(1<<19))), send(60*day, size(9000)), []string{"volume_jump"}},
		"a call far larger than usual in its session": {month(10), send(60*day, size(5000), func(s *risk.Send) { s.Tool = "mail:send" }),
			[]string{"volume_jump"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, kinds(risk.NewWatch(), limits, append(c.usual, c.call)...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Stopped calls are not learned.
func TestOnlyWhatWasSentIsLearned(t *testing.T) {
	w := risk.NewWatch()
	kinds(w, limits, month(20)...)
	for range 3 {
		got := w.Observe(send(30*24*time.Hour, to("#other")), limits)
		if len(got) != 1 || got[0].Kind != "new_destination" {
			t.Errorf("%+v", got)
		}
	}
}

func TestTheSameCallsGetTheSameSignals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) risk.Send {
			return send(
				time.Duration(rapid.IntRange(0, 1e6).Draw(t, "second"))*time.Second,
				size(rapid.IntRange(0, 1<<20).Draw(t, "bytes")),
				to(
					rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"})).Draw(t, "to")...),
				session(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "session")),
			)
		}), 1, 60).Draw(t, "calls")
		a, b := risk.NewWatch(), risk.NewWatch()
		for _, s := range calls {
			first, second := a.Observe(s, limits), b.Observe(s, limits)
			a.Learn(s)
			b.Learn(s)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Fatal(diff)
			}
			for _, signal := range first {
				if signal.Confidence <= 0 || signal.Confidence > 1 || signal.Evidence == "" {
					t.Fatalf("%+v", signal)
				}
			}
		}
	})
}

// The state is bounded for any number of sessions, tools, destinations and calls: the least recently used are
// dropped.
func TestAFloodIsBounded(t *testing.T) {
	w := risk.NewWatch()
	for i := range 5_000 {
		if i%25 == 0 {
			w.Observe(send(0, session("busy"), size(1<<13)), limits)
		}
		w.Observe(send(0, session(fmt.Sprint("flood ", i)), func(s *risk.Send) { s.Tool = fmt.Sprint(i) }), limits)
	}
	if got := kinds(w, limits, send(0, session("busy"))); !slices.Contains(got, "external_volume") {
		t.Errorf("the session in use was forgotten: %v", got)
	}
	for i := range 3000 {
		w.Observe(send(0, to(fmt.Sprint(i), fmt.Sprint(i, "b"))), limits)
	}
}
