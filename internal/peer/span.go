package peer

import "slices"

// span is the period in which a call of an agent's tool ran, in clock ticks since boot.
type span struct {
	call     string // id; "" once it has ended
	from, to uint64
}

// maxSpans is the maximum number of spans of one agent. Beyond it the two oldest are joined, which
// can only make the rules stricter.
const maxSpans = 1024

// spans are the calls of one agent's tools that can start programs.
type spans []span

// begin notes that a call is about to run.
func (s *spans) begin(call string, at uint64) {
	if len(*s) >= maxSpans {
		(*s)[1].from = (*s)[0].from
		*s = slices.Delete(*s, 0, 1)
	}
	*s = append(*s, span{call: call, from: at})
}

// end notes that a call has run.
func (s spans) end(call string, at uint64) {
	for i := range s {
		if s[i].open() && s[i].call == call {
			s[i].call, s[i].to = "", max(at, s[i].from)
			return
		}
	}
}

// endAll ends the open calls that began up to a time.
func (s spans) endAll(upTo, at uint64) {
	for i := range s {
		if s[i].open() && s[i].from <= upTo {
			s[i].call, s[i].to = "", max(at, s[i].from)
		}
	}
}

func (s span) open() bool { return s.to == 0 }

// hold reports whether a process that started at a time was started during a call.
func (s spans) hold(start uint64) bool {
	return slices.ContainsFunc(s, func(c span) bool { return start >= c.from && (c.open() || start <= c.to) })
}

// oldest returns the start of the oldest open call.
func (s spans) oldest() (from uint64, ok bool) {
	for _, c := range s {
		if c.open() && (!ok || c.from < from) {
			from, ok = c.from, true
		}
	}
	return from, ok
}
