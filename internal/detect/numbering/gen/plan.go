package main

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/nyaruka/phonenumbers"
)

// regionPlan is the metadata of a region, as languages.
type regionPlan struct {
	code     string   // the calling code
	leading  language // beginnings of all numbers; nothing if the metadata has none
	general  language // matches of the general pattern, of any length
	valid    language // numbers of some type
	long     language // texts that are too long for a number
	possible language // texts of a possible length, and texts that are too long
	prefixes []prefix // prefixes that are removed from a number dialled in the region
	abroad   []route  // international prefixes
}

// prefix is a prefix of numbers that is removed or replaced.
type prefix struct {
	route
	put  []digits // the replacement
	from [2]int   // the part of the route that is kept after put
}

func (s *states) plan(m *phonenumbers.PhoneMetadata) (*regionPlan, error) {
	p := &regionPlan{code: strconv.Itoa(int(m.GetCountryCode()))}
	var err error
	if lead := m.GetLeadingDigits(); lead != "" {
		if p.leading, err = s.matching(lead, anything); err != nil {
			return nil, err
		}
	}
	general := m.GetGeneralDesc()
	if p.general, err = s.matching(general.GetNationalNumberPattern(), s.empty()); err != nil {
		return nil, err
	}
	types := []*phonenumbers.PhoneNumberDesc{
		m.GetPremiumRate(), m.GetTollFree(), m.GetSharedCost(), m.GetVoip(), m.GetPersonalNumber(),
		m.GetPager(), m.GetUan(), m.GetVoicemail(), m.GetFixedLine(), m.GetMobile(),
	}
	for _, t := range types {
		l, err := s.described(t)
		if err != nil {
			return nil, err
		}
		p.valid = s.or(p.valid, l)
	}
	every, err := s.described(general)
	if err != nil {
		return nil, err
	}
	p.valid = s.and(p.valid, every)
	s.measure(p, general)
	if p.abroad, err = routes(m.GetInternationalPrefix()); err != nil {
		return nil, err
	}
	p.prefixes, err = prefixes(m.GetNationalPrefixForParsing(), m.GetNationalPrefixTransformRule())
	return p, err
}

// described returns the set of numbers of a type. A type that a region does not have has no pattern, or a length of
// -1.
func (s *states) described(d *phonenumbers.PhoneNumberDesc) (language, error) {
	if d.GetNationalNumberPattern() == "" {
		return nothing, nil
	}
	l, err := s.matching(d.GetNationalNumberPattern(), s.empty())
	if err != nil || len(d.GetPossibleLength()) == 0 {
		return l, err
	}
	possible := nothing
	for _, n := range d.GetPossibleLength() {
		if n > 0 {
			possible = s.or(possible, s.lengths(int(n)))
		}
	}
	return s.and(l, possible), nil
}

// measure sets the possible lengths of the numbers of a region: p.possible and p.long.
func (s *states) measure(p *regionPlan, general *phonenumbers.PhoneNumberDesc) {
	most := 0
	for _, n := range general.GetPossibleLength() {
		p.possible = s.or(p.possible, s.lengths(int(n)))
		most = max(most, int(n))
	}
	p.long = s.longer(most)
	p.possible = s.or(p.possible, p.long)
	for _, n := range general.GetPossibleLengthLocalOnly() {
		p.possible = s.less(p.possible, s.lengths(int(n)))
		p.long = s.less(p.long, s.lengths(int(n)))
	}
}

// prefixes returns the alternatives of the pattern for prefixes. The rule says what replaces a prefix whose last
// group matched; other prefixes are removed.
func prefixes(pattern, rule string) ([]prefix, error) {
	if pattern == "" {
		return nil, nil
	}
	all, err := routes(pattern)
	if err != nil {
		return nil, err
	}
	last := 0
	for _, r := range all {
		for n := range r.groups {
			last = max(last, n)
		}
	}
	var out []prefix
	for _, r := range all {
		p := prefix{route: r}
		if _, takesPart := r.groups[last]; rule != "" && (takesPart || last == 0) {
			if p, err = replaced(r, rule); err != nil {
				return nil, err
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// replaced parses a rule: digits, then the number of a group.
func replaced(r route, rule string) (prefix, error) {
	p := prefix{route: r}
	i := 0
	for ; i < len(rule) && rule[i] != '$'; i++ {
		p.put = append(p.put, digitsOf([]rune{rune(rule[i]), rune(rule[i])}))
	}
	group, err := strconv.Atoi(rule[min(i+1, len(rule)):])
	if err != nil {
		return p, fmt.Errorf("the rule %q is not supported", rule)
	}
	p.from = r.groups[group]
	return p, nil
}

// before returns the set of texts that become a number in wanted when the prefix pr is removed or replaced.
func (s *states) before(pr prefix, wanted language) language {
	for _, set := range pr.put { // each a single digit
		wanted = s.all[wanted].next[bits.TrailingZeros16(uint16(set))]
	}
	return s.through(pr, prefixState{rest: wanted}, map[prefixState]language{})
}

// prefixState is the progress of a text through a prefix.
type prefixState struct {
	at   int      // position in the route
	rest language // possible continuations of the remaining number
}

// through returns the set of continuations from the position p. known are cached positions.
func (s *states) through(pr prefix, p prefixState, known map[prefixState]language) language {
	if p.at == len(pr.takes) {
		if pr.ends {
			return s.and(p.rest, s.empty())
		}
		return p.rest
	}
	if l, seen := known[p]; seen {
		return l
	}
	var st state
	stays := pr.from[0] <= p.at && p.at < pr.from[1]
	for d := range 10 {
		if !pr.takes[p.at].has(d) {
			continue
		}
		next := prefixState{p.at + 1, p.rest}
		if stays {
			next.rest = s.all[p.rest].next[d]
		}
		st.next[d] = s.through(pr, next, known)
	}
	known[p] = s.of(st)
	return known[p]
}

// begins returns the set of texts that begin with r.
func (s *states) begins(r route) language {
	return s.before(prefix{route: r}, anything)
}

// stripped returns the language of the texts that belong to wanted once their prefix is
// removed. A text that matches the general pattern only with its prefix keeps the prefix.
func (s *states) stripped(p *regionPlan, wanted language) language {
	out, tried := nothing, nothing
	for _, pr := range p.prefixes {
		here := s.less(s.begins(pr.route), tried)
		tried = s.or(tried, here)
		kept := s.and(p.general, s.before(pr, s.not(p.general)))
		out = s.or(out, s.and(here, s.or(s.less(s.before(pr, wanted), kept), s.and(wanted, kept))))
	}
	return s.or(out, s.less(wanted, tried))
}

// national returns the set of texts that are in wanted without their prefix if the rest has a possible length, or
// otherwise unchanged.
func (s *states) national(p *regionPlan, wanted language) language {
	return s.or(s.stripped(p, s.and(wanted, p.possible)), s.less(wanted, s.stripped(p, p.possible)))
}
