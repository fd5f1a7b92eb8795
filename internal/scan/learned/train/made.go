package main

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// perPattern is the number of sentences made from a pattern with slots.
const perPattern = 12

// On average, one in inField sentences describes a parameter instead of the tool.
const inField = 3

// made returns definitions with sentences made from patterns; patterns.txt says what a pattern is.
func made(patterns string) []row {
	slots := map[string][]string{}
	draw := random(2463534242)
	var out []row
	for line := range strings.Lines(patterns) {
		line = strings.TrimSpace(line)
		hostile := strings.HasPrefix(line, "- ")
		switch {
		case line == "" || line[0] == '#':
		case hostile || strings.HasPrefix(line, "+ "):
			n := 1
			if strings.Contains(line, "{") {
				n = perPattern
			}
			for range n {
				out = append(out, rowOf(fill(line[2:], slots, &draw), hostile, slots["work"], &draw))
			}
		default:
			name, choices, _ := strings.Cut(line, ": ")
			slots[name] = strings.Split(choices, "; ")
		}
	}
	return out
}

// fill replaces every slot by one of its values.
func fill(pattern string, slots map[string][]string, draw *random) string {
	for {
		before, rest, open := strings.Cut(pattern, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !open || !closed || len(slots[name]) == 0 {
			first, size := utf8.DecodeRuneInString(pattern)
			return string(unicode.ToUpper(first)) + pattern[size:]
		}
		pattern = before + slots[name][draw.below(len(slots[name]))] + after
	}
}

// rowOf returns a definition that contains the sentence.
func rowOf(sentence string, hostile bool, works []string, draw *random) row {
	r := row{Name: "tool", Label: "benign"}
	if hostile {
		r.Label = "malicious"
	}
	if draw.below(inField) > 0 {
		r.Description = works[draw.below(len(works))] + " " + sentence
		return r
	}
	quoted, err := json.Marshal(sentence)
	if err != nil {
		panic(err) // no string is beyond JSON
	}
	r.InputSchema = json.RawMessage(`{"properties":{"a":{"description":` + string(quoted) + `}}}`)
	return r
}

// random is a pseudorandom generator: xorshift, which is the same on every machine.
type random uint64

// below returns the next number, from 0 to n-1.
func (r *random) below(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r) % uint64(n))
}
