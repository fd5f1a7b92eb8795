package main

// language is a set of digit strings, kept as the state of a minimal automaton
// that has read nothing yet: the number of a state in [states]. Equal languages
// are the same number.
type language int32

// nothing is the language without a string, and anything that of all strings.
const (
	nothing  language = 0
	anything language = 1
)

// state is what may follow.
type state struct {
	ends bool         // the empty string is in the language
	next [10]language // what may follow after each digit
}

// states makes languages, and keeps every one once.
type states struct {
	all   []state
	index map[state]language
	memo  map[operation]language
}

// operation is one that was carried out before.
type operation struct {
	kind byte
	a, b language
}

func newStates() *states {
	s := &states{index: map[state]language{}, memo: map[operation]language{}}
	s.of(state{})
	all := state{ends: true}
	for d := range all.next {
		all.next[d] = anything
	}
	s.of(all)
	return s
}

// of is the language that starts in st.
func (s *states) of(st state) language {
	if l, known := s.index[st]; known {
		return l
	}
	l := language(len(s.all))
	s.all = append(s.all, st)
	s.index[st] = l
	return l
}

// empty is the language of the empty string alone.
func (s *states) empty() language { return s.of(state{ends: true}) }

// step is the language of one digit of set, followed by a string of rest.
func (s *states) step(set digits, rest language) language {
	var st state
	for d := range st.next {
		if set.has(d) {
			st.next[d] = rest
		}
	}
	return s.of(st)
}

func (s *states) or(a, b language) language  { return s.combine('|', a, b) }
func (s *states) and(a, b language) language { return s.combine('&', a, b) }

// less returns the elements of a that b lacks.
func (s *states) less(a, b language) language { return s.combine('-', a, b) }

func (s *states) not(a language) language { return s.less(anything, a) }

// combine carries out one of the operations above, digit by digit.
func (s *states) combine(kind byte, a, b language) language {
	if l, simple := trivial(kind, a, b); simple {
		return l
	}
	if kind != '-' && a > b {
		a, b = b, a
	}
	op := operation{kind, a, b}
	if l, known := s.memo[op]; known {
		return l
	}
	x, y := s.all[a], s.all[b]
	var st state
	switch kind {
	case '|':
		st.ends = x.ends || y.ends
	case '&':
		st.ends = x.ends && y.ends
	case '-':
		st.ends = x.ends && !y.ends
	}
	for d := range st.next {
		st.next[d] = s.combine(kind, x.next[d], y.next[d])
	}
	l := s.of(st)
	s.memo[op] = l
	return l
}

// trivial answers what needs no look at the states; without it [anything], which
// follows itself, would be looked at for ever.
func trivial(kind byte, a, b language) (l language, simple bool) {
	switch {
	case kind == '-' && (a == b || a == nothing || b == anything):
		return nothing, true
	case kind == '-' && b == nothing:
		return a, true
	case kind == '-':
		return 0, false
	case a == b:
		return a, true
	case kind == '|' && (a == anything || b == anything):
		return anything, true
	case kind == '|':
		return max(a, b), a == nothing || b == nothing
	case a == nothing || b == nothing:
		return nothing, true
	}
	return max(a, b), a == anything || b == anything
}

// lengths is the language of all strings whose length is one of those given.
func (s *states) lengths(all ...int) language {
	l := nothing
	for _, n := range all {
		one := s.empty()
		for range n {
			one = s.step(everyDigit, one)
		}
		l = s.or(l, one)
	}
	return l
}

// longer is the language of all strings of more than n digits.
func (s *states) longer(n int) language {
	l := anything
	for range n + 1 {
		l = s.step(everyDigit, l)
	}
	return l
}
