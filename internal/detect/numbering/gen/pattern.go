package main

import (
	"fmt"
	"regexp/syntax"
	"slices"
)

// digits is a set of digits, with one bit for each.
type digits uint16

const everyDigit digits = 1<<10 - 1

func (s digits) has(d int) bool { return s>>d&1 != 0 }

// digitsOf returns the digits in the ranges of a character class.
func digitsOf(ranges []rune) (s digits) {
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], '0'); r <= min(ranges[i+1], '9'); r++ {
			s |= 1 << (r - '0')
		}
	}
	return s
}

// route is one alternative through a pattern: the sets of digits that it matches one after another.
type route struct {
	takes  []digits
	groups map[int][2]int // the positions in takes of the groups on the route
	ends   bool           // nothing may follow
}

// routes returns the alternatives through a pattern in the order in which a regular expression engine tries them. The
// first that matches a text is the match.
func routes(pattern string) ([]route, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return walk([]route{{}}, re)
}

// walk extends every route in from by re.
func walk(from []route, re *syntax.Regexp) ([]route, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return from, nil
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			from = extend(from, digitsOf([]rune{r, r}))
		}
		return from, nil
	case syntax.OpCharClass:
		return extend(from, digitsOf(re.Rune)), nil
	case syntax.OpEndText:
		var to []route
		for _, r := range from {
			r.ends = true
			to = append(to, r)
		}
		return to, nil
	case syntax.OpCapture:
		return capture(from, re)
	case syntax.OpConcat:
		var err error
		for _, sub := range re.Sub {
			if from, err = walk(from, sub); err != nil {
				return nil, err
			}
		}
		return from, nil
	case syntax.OpAlternate:
		return fork(from, re.Sub)
	case syntax.OpQuest:
		return repeat(from, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		return repeat(from, re.Sub[0], re.Min, re.Max)
	}
	return nil, fmt.Errorf("unsupported pattern %s", re)
}

func extend(from []route, set digits) (to []route) {
	for _, r := range from {
		if set != 0 && !r.ends {
			r.takes = append(slices.Clone(r.takes), set)
			to = append(to, r)
		}
	}
	return to
}

// fork extends each route by each branch, the first branch first.
func fork(from []route, branches []*syntax.Regexp) (to []route, err error) {
	for _, r := range from {
		for _, b := range branches {
			on, err := walk([]route{r}, b)
			if err != nil {
				return nil, err
			}
			to = append(to, on...)
		}
	}
	return to, nil
}

func capture(from []route, re *syntax.Regexp) (to []route, err error) {
	for _, r := range from {
		on, err := walk([]route{r}, re.Sub[0])
		if err != nil {
			return nil, err
		}
		for _, o := range on {
			groups := map[int][2]int{re.Cap: {len(r.takes), len(o.takes)}}
			for n, at := range o.groups {
				groups[n] = at
			}
			o.groups = groups
			to = append(to, o)
		}
	}
	return to, nil
}

// repeat extends routes by repetitions of sub, more repetitions first.
func repeat(from []route, sub *syntax.Regexp, least, most int) (to []route, err error) {
	if most < 0 {
		return nil, fmt.Errorf("unbounded repetition of %s is not supported", sub)
	}
	for _, r := range from {
		rounds := [][]route{{r}}
		for n := 1; n <= most; n++ {
			on, err := walk(rounds[n-1], sub)
			if err != nil {
				return nil, err
			}
			rounds = append(rounds, on)
		}
		for n := most; n >= least; n-- {
			to = append(to, rounds[n]...)
		}
	}
	return to, nil
}

// matching returns the set of texts that pattern matches completely, each followed by a text of rest.
func (s *states) matching(pattern string, rest language) (language, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nothing, err
	}
	return s.matched(re, rest)
}

func (s *states) matched(re *syntax.Regexp, rest language) (language, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return rest, nil
	case syntax.OpLiteral:
		for _, r := range slices.Backward(re.Rune) {
			rest = s.step(digitsOf([]rune{r, r}), rest)
		}
		return rest, nil
	case syntax.OpCharClass:
		return s.step(digitsOf(re.Rune), rest), nil
	case syntax.OpCapture:
		return s.matched(re.Sub[0], rest)
	case syntax.OpConcat:
		var err error
		for _, sub := range slices.Backward(re.Sub) {
			if rest, err = s.matched(sub, rest); err != nil {
				return nothing, err
			}
		}
		return rest, nil
	case syntax.OpAlternate:
		l := nothing
		for _, sub := range re.Sub {
			one, err := s.matched(sub, rest)
			if err != nil {
				return nothing, err
			}
			l = s.or(l, one)
		}
		return l, nil
	case syntax.OpQuest:
		return s.repeated(re.Sub[0], 0, 1, rest)
	case syntax.OpRepeat:
		return s.repeated(re.Sub[0], re.Min, re.Max, rest)
	}
	return nothing, fmt.Errorf("unsupported pattern %s", re)
}

func (s *states) repeated(sub *syntax.Regexp, least, most int, rest language) (language, error) {
	if most < 0 {
		return nothing, fmt.Errorf("unbounded repetition of %s is not supported", sub)
	}
	l := nothing
	for n := 0; n <= most; n++ {
		if n >= least {
			l = s.or(l, rest)
		}
		var err error
		if rest, err = s.matched(sub, rest); err != nil {
			return nothing, err
		}
	}
	return l, nil
}
