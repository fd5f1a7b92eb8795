package main

// language is a set of digit strings, represented by the start state of a minimal automaton: the index of a state in
// [states]. Equal sets have the same index.
type language int32

// nothing is the empty set, and anything the set of all strings.
const (
	nothing  language = 0
	anything language = 1
)

// state is a state of the automaton.
type state struct {
	ends bool         // the empty string is in the set
	next [10]language // the set of continuations after each digit
}

// states creates languages, and stores equal ones only once.
type states struct {
	all   []state
	index map[state]language
	memo  map[operation]language
}

// operation is the key of a cached operation.
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

// of returns the language whose start state is st.
func (s *states) of(st state) language {
	if l, known := s.index[st]; known {
		return l
	}
	l := language(len(s.all))
	s.all = append(s.all, st)
	s.index[st] = l
	return l
}

// empty returns the set that contains only the empty string.
func (s *states) empty() language { return s.of(state{ends: true}) }

// step returns the set of one digit of set, followed by a string of rest.
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

// combine computes one of the operations above, digit by digit.
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

// trivial returns results that need no recursion. Without it, the recursion on [anything], which refers to itself,
// would not end.
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

// lengths returns the set of all strings with one of the given lengths.
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

// longer returns the set of all strings of more than n digits.
func (s *states) longer(n int) language {
	l := anything
	for range n + 1 {
		l = s.step(everyDigit, l)
	}
	return l
}
