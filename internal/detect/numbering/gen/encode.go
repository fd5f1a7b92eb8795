package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"mcpproxy/internal/detect/numbering"
)

// build generates the table of all plans.
func build() ([]byte, error) {
	w, err := read()
	if err != nil {
		return nil, err
	}
	var firsts []language
	for p := range numbering.Count {
		l, err := w.language(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		firsts = append(firsts, l)
	}
	return w.encode(firsts)
}

// language returns the set of a plan's numbers.
func (w *world) language(p numbering.Plan) (language, error) {
	switch p {
	case numbering.Abroad:
		return w.abroad, nil
	case numbering.Called:
		return w.called, nil
	}
	return w.dialled(p.String())
}

// encode writes the states in the format that package numbering documents.
func (s *states) encode(firsts []language) ([]byte, error) {
	var order []language
	places, size := map[language]uint16{}, len(firsts)
	var visit func(l language)
	visit = func(l language) {
		if _, seen := places[l]; seen {
			return
		}
		places[l] = uint16(size)
		order = append(order, l)
		size += 1 + len(s.turns(l))
		for _, d := range s.turns(l) {
			visit(s.all[l].next[d])
		}
	}
	for _, l := range firsts {
		visit(l)
	}
	if size > math.MaxUint16 {
		return nil, fmt.Errorf("%d words do not fit positions of 16 bits", size)
	}
	var out []byte
	for _, l := range firsts {
		out = binary.LittleEndian.AppendUint16(out, places[l])
	}
	for _, l := range order {
		var mask uint16
		for _, d := range s.turns(l) {
			mask |= 1 << d
		}
		if s.all[l].ends {
			mask |= 1 << 15
		}
		out = binary.LittleEndian.AppendUint16(out, mask)
		for _, d := range s.turns(l) {
			out = binary.LittleEndian.AppendUint16(out, places[s.all[l].next[d]])
		}
	}
	return out, nil
}

// turns returns the digits after which l continues in another state than after the next lower digit.
func (s *states) turns(l language) (digits []int) {
	next := s.all[l].next
	for d := range next {
		if d == 0 || next[d] != next[d-1] {
			digits = append(digits, d)
		}
	}
	return digits
}
