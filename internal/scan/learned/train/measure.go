package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"mcpproxy/internal/scan/learned"
)

// measure trains, for each source, a model without that source, and writes what this model finds in it.
func measure(w io.Writer, all []example) error {
	scores := make([][]float32, len(all))
	froms := map[string]bool{}
	for _, e := range all {
		froms[e.from] = true
	}
	for _, from := range slices.Sorted(maps.Keys(froms)) {
		var rest []example
		for _, e := range all {
			if e.free && e.from != from {
				rest = append(rest, e)
			}
		}
		model := string(train(rest).Bytes())
		for i := range all {
			if all[i].from != from {
				continue
			}
			judge(&all[i])
			for _, s := range all[i].sentences {
				scores[i] = append(scores[i], learned.ScoreOf(model, s.buckets, s.says))
			}
		}
	}
	return table(w, all, scores)
}

// tally counts definitions of one source and one label.
type tally struct{ of, held, heldNow, noticed, noticedNow int }

// add counts a definition.
func (t *tally) add(e *example, scores []float32) {
	held, noticed := e.held, e.noticed
	for i, x := range scores {
		held = held || x >= e.sentences[i].proof
		noticed = noticed || x >= learned.Hint
	}
	t.of++
	for _, c := range []struct {
		is bool
		n  *int
	}{{e.held, &t.held}, {held, &t.heldNow}, {e.noticed, &t.noticed}, {noticed, &t.noticedNow}} {
		if c.is {
			*c.n++
		}
	}
}

// table writes what the rules hold back and report in each source, with and without the model.
func table(w io.Writer, all []example, scores [][]float32) error {
	type key struct{ from, label string }
	counts := map[key]*tally{}
	for i := range all {
		e := &all[i]
		if e.prose || e.from == "patterns" {
			continue
		}
		k := key{e.from, "honest"}
		if e.bad {
			k.label = "hostile"
		}
		if counts[k] == nil {
			counts[k] = &tally{}
		}
		counts[k].add(e, scores[i])
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b key) int {
		return cmp.Or(strings.Compare(a.label, b.label), strings.Compare(a.from, b.from))
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tSOURCE\tDEFINITIONS\tHELD BACK\tWITH THE MODEL\tANY FINDING\tWITH THE MODEL")
	for _, k := range keys {
		c := counts[k]
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\n", k.label, k.from, c.of, c.held, c.heldNow, c.noticed, c.noticedNow)
	}
	return t.Flush()
}
