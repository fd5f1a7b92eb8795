package approval

import (
	"fmt"
	"strings"
	"unicode"

	"mcpproxy"
)

// How much of a call a person is shown, in characters. Of long arguments the
// beginning and the end are shown: what matters must not be pushed out of sight.
const (
	maxLine   = 300
	maxHead   = 300
	maxTail   = 150
	maxListed = 3 // movements and origins
)

// render is what a person is shown: one fact a line.
func (r *Request) render() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if r.Boundary != nil && r.Boundary.Run != "" {
		line("May the agent run this with %s? %s", short(r.call()), short(r.Boundary.Run))
	} else {
		line("May the agent call %s?", short(r.call()))
	}
	for i, m := range r.moves() {
		if i == maxListed {
			line("It moves %d more.", len(r.moves())-i)
			break
		}
		line("Moves: %s", short(m.String()))
	}
	line("Why this is asked: %s", short(r.Reason))
	line("Rule: %s. Risk: %s (%d of 100). Kind of call: %s.", short(r.Rule), r.RiskLevel, r.RiskScore, r.Operation)
	for _, words := range r.InWords {
		line("%s", words)
	}
	if len(r.Data) > 0 {
		line("Carries: %s", short(strings.Join(r.Data, ", ")))
	}
	for i, o := range r.Origins {
		if i == maxListed {
			line("Data from %d more results.", len(r.Origins)-i)
			break
		}
		line("Data from: %s %s, activity %s", short(o.Name()), short(o.Tool), short(o.CallID))
	}
	line("Arguments, secrets masked: %s", r.Excerpt)
	b.WriteString("If you agree, exactly this call passes, once.")
	if len(r.Offers) > 1 {
		fmt.Fprintf(&b, " If you agree for longer, %s.", r.within())
	}
	return b.String()
}

// moves are the movements of data that a person is told of.
func (r *Request) moves() []mcpproxy.Movement {
	if r.Boundary == nil {
		return nil
	}
	return r.Boundary.Moves
}

// within says what an answer that is remembered holds for.
func (r *Request) within() string { return short(r.Boundary.Within()) }

// short is one value as it may be shown.
func short(s string) string {
	runes := []rune(safe(s))
	if len(runes) > maxLine {
		return string(runes[:maxLine-1]) + "…"
	}
	return string(runes)
}

// excerpt is the beginning and the end of masked arguments.
func excerpt(s string) string {
	runes := []rune(safe(s))
	if len(runes) <= maxHead+maxTail {
		return string(runes)
	}
	return fmt.Sprintf(
		"%s … (%d characters) … %s",
		string(runes[:maxHead]),
		len(runes)-maxHead-maxTail,
		string(runes[len(runes)-maxTail:]),
	)
}

// blank are letters by name that show nothing.
var blank = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
	{Lo: 0x180B, Hi: 0x180F, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}}}

// maxMarks is how many marks one letter may carry before the text counts as
// drawn over its neighbours.
const maxMarks = 2

// safe makes a text from strangers safe to show: it stays on its line, runs in the
// direction in which it is written, and holds nothing that cannot be seen.
func safe(s string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case !unicode.IsPrint(r) || unicode.Is(blank, r) || marks > maxMarks:
			return '·'
		}
		return r
	}, s)
}
