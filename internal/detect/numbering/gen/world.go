package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nyaruka/phonenumbers"
)

// world is the whole metadata, as languages.
type world struct {
	*states
	codes  map[int][]string       // the regions of each calling code, the main one first
	plans  map[string]*regionPlan // by region, or by calling code if the code belongs to no region
	abroad language               // valid numbers after a plus sign
	called language               // texts that begin with a calling code
}

// read computes the plans from the metadata, and all numbers of the world.
func read() (*world, error) {
	w := &world{states: newStates(), codes: map[int][]string{}, plans: map[string]*regionPlan{}}
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		return nil, err
	}
	for _, m := range all.GetMetadata() {
		region := m.GetId()
		if region == phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY {
			region = strconv.Itoa(int(m.GetCountryCode()))
		}
		if w.plans[region], err = w.plan(m); err != nil {
			return nil, fmt.Errorf("%s: %w", region, err)
		}
	}
	for code := range phonenumbers.GetSupportedCallingCodes() {
		regions := slices.Clone(phonenumbers.GetRegionCodesForCountryCode(code))
		if regions[0] == phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY {
			regions[0] = strconv.Itoa(code)
		}
		w.codes[code] = regions
	}
	for code, regions := range w.codes {
		main, prefix := w.plans[regions[0]], strconv.Itoa(code)
		w.called = w.or(w.called, w.literal(prefix, anything))
		w.abroad = w.or(w.abroad, w.literal(prefix, w.national(main, w.assigned(regions))))
	}
	return w, nil
}

// literal returns the set of text followed by a text of rest.
func (s *states) literal(text string, rest language) language {
	for _, c := range slices.Backward([]byte(text)) {
		rest = s.step(1<<(c-'0'), rest)
	}
	return rest
}

// assigned returns the set of numbers, without prefix, of regions that share a calling code. If leading digits
// determine the region, only that region counts.
func (w *world) assigned(regions []string) language {
	out, told := nothing, nothing
	for _, region := range regions {
		p := w.plans[region]
		mine := p.valid
		if p.leading != nothing {
			mine = p.leading
		}
		if len(regions) == 1 {
			mine = anything
		}
		out = w.or(out, w.and(w.less(mine, told), p.valid))
		told = w.or(told, mine)
	}
	return out
}

// dialled returns the set of valid numbers when dialled in region.
func (w *world) dialled(region string) (language, error) {
	p := w.plans[region]
	if p == nil {
		return nothing, fmt.Errorf("there is no region %s", region)
	}
	code, _ := strconv.Atoi(p.code)
	regions := w.codes[code]
	if regions[0] != region {
		return nothing, fmt.Errorf("%s is not the main region of +%d", region, code)
	}
	valid := w.national(p, w.assigned(regions))

	// A calling code without a plus sign is removed if the rest is a number and the text was not, or if the text is
	// too long.
	coded := w.literal(p.code, w.stripped(p, p.general))
	taken := w.and(w.literal(p.code, anything), w.or(w.less(coded, p.general), p.long))
	out := w.or(w.less(valid, taken), w.and(taken, w.literal(p.code, w.stripped(p, valid))))

	// Before that, the international prefix is removed, unless a zero follows.
	leaves, tried := nothing, nothing
	for _, r := range p.abroad {
		here := w.less(w.begins(r), tried)
		tried = w.or(tried, here)
		bare := prefix{route: r}
		out = w.less(out, w.and(here, w.before(bare, w.notZero())))
		leaves = w.or(leaves, w.and(here, w.before(bare, w.abroad)))
	}
	return w.or(out, leaves), nil
}

// notZero returns the set of all texts that do not begin with a zero.
func (s *states) notZero() language {
	return s.or(s.empty(), s.step(everyDigit&^1, anything))
}
