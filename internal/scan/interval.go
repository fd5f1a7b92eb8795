package scan

import (
	"slices"

	"mcpproxy/internal/text"
)

// interval is a stretch of a part. intervals are sorted and do not overlap.
type interval struct{ start, end int }

type intervals []interval

// from returns the index of the first interval that ends after at.
func (in intervals) from(at int) int {
	i, _ := slices.BinarySearchFunc(in, at, func(v interval, at int) int {
		if v.end <= at {
			return -1
		}
		return 1
	})
	return i
}

// meets reports whether an interval overlaps the range from start to end. An empty range overlaps the interval that
// contains it.
func (in intervals) meets(start, end int) bool {
	i := in.from(start)
	return i < len(in) && in[i].start < max(end, start+1)
}

// with adds an interval.
func (in intervals) with(start, end int) intervals {
	end = max(end, start+1)
	i := in.from(start)
	j := i
	for j < len(in) && in[j].start <= end {
		start, end = min(start, in[j].start), max(end, in[j].end)
		j++
	}
	return slices.Replace(in, i, j, interval{start, end})
}

// merge appends more to spans and joins overlapping spans.
func merge(spans, more []text.Span) []text.Span {
	for _, s := range more {
		n := len(spans)
		if n > 0 && spans[n-1].Part == s.Part && s.Start <= spans[n-1].End && s.End >= spans[n-1].Start {
			spans[n-1].Start = min(spans[n-1].Start, s.Start)
			spans[n-1].End = max(spans[n-1].End, s.End)
			continue
		}
		spans = append(spans, s)
	}
	return spans
}
