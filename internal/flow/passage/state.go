package passage

import (
	"maps"

	"mcpproxy"
)

// Approximate sizes of the parts of an index, in bytes, including their maps.
const (
	passageBytes = 80
	originBytes  = 10
	postBytes    = 10 // with the spare capacity of the array
	valueBytes   = 33
	wordBytes    = 16
	listBytes    = 24
)

// Bytes estimates the memory of the index.
func (x *Index) Bytes() int {
	return passageBytes*len(x.passages) + originBytes*len(x.origins) +
		postBytes*len(x.posts.all) + valueBytes*len(x.first) +
		wordBytes*(len(x.said)+len(x.called)+len(x.written)) + listBytes*len(x.posts.words)
}

// Keep drops the passages and values of origins that are no longer alive. It keeps the user's own words.
func (x *Index) Keep(alive func(*mcpproxy.Origin) bool) {
	if x.said == nil {
		return
	}
	passages := make(map[uint32]passage)
	for n, p := range x.passages {
		if alive(p.from) {
			passages[n] = p
		}
	}
	numbers := make([]uint32, len(x.origins)+1) // by the old numbers
	var origins []*mcpproxy.Origin
	for i, o := range x.origins {
		if alive(o) {
			origins = append(origins, o)
			numbers[i+1] = uint32(len(origins))
		}
	}
	first := make(map[key]place)
	for k, at := range x.first {
		if number := numbers[at.from]; at.from == 0 || number != 0 {
			at.from = number
			first[k] = at
		}
	}
	x.passages = passages
	x.sweep()
	x.first = first
	x.origins = origins
	if len(passages) == 0 {
		x.written = map[key]struct{}{}
	}
}

// sweep drops the posts of dropped passages.
func (x *Index) sweep() {
	oldest := x.next - min(x.next, maxPassages)
	x.posts.sweep(func(n uint32) bool {
		if n < oldest {
			return false
		}
		_, known := x.passages[n]
		return known
	})
	x.sweepAt = max(minSwept, 2*len(x.posts.all))
}

// minSwept is the minimum number of posts for which sweeping is worth the time.
const minSwept = 1 << 14

// Absorb adds the state of another index.
func (x *Index) Absorb(from *Index) {
	if from.said == nil {
		return
	}
	x.init()
	maps.Copy(x.said, from.said)
	maps.Copy(x.called, from.called)
	for k := range from.written {
		x.note(x.written, k)
	}
	for n, p := range from.passages {
		x.passages[x.next+n] = p
	}
	x.posts.absorb(&from.posts, x.next)
	before := uint32(len(x.origins))
	x.origins = append(x.origins, from.origins...)
	for k, at := range from.first {
		at.passage += x.next
		if at.from != 0 {
			at.from += before
		}
		if at.by == user {
			x.first[k] = at
		} else {
			x.meet(k, at)
		}
	}
	x.next += from.next
	for n := range x.passages {
		if n+maxPassages < x.next {
			delete(x.passages, n)
		}
	}
}
