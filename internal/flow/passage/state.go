package passage

import (
	"maps"
	"slices"

	"mcpproxy"
)

// Rough sizes of what an index holds, in bytes, with the maps around it.
const (
	passageBytes = 80
	postBytes    = 8
	valueBytes   = 54
	wordBytes    = 16
	listBytes    = 74
)

// Bytes is about how much memory the index takes.
func (x *Index) Bytes() int {
	return passageBytes*len(x.passages) + postBytes*x.posted + valueBytes*len(x.first) +
		wordBytes*(len(x.said)+len(x.called)+len(x.written)) + listBytes*len(x.posts)
}

// Keep forgets the passages and values of origins that are not alive any more. The user's
// own words stay.
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
	first := make(map[key]place)
	for k, at := range x.first {
		if at.from == nil || alive(at.from) {
			first[k] = at
		}
	}
	x.passages = passages
	x.sweep()
	x.first = first
	if len(passages) == 0 {
		x.written = map[key]struct{}{}
	}
}

// sweep drops the posts of passages that are forgotten.
func (x *Index) sweep() {
	posts := make(map[key][]uint32)
	x.posted = 0
	for k, list := range x.posts {
		list = slices.DeleteFunc(list, func(n uint32) bool { _, ok := x.passages[n]; return !ok })
		if len(list) > 0 {
			posts[k] = slices.Clone(list)
			x.posted += len(list)
		}
	}
	x.posts = posts
	x.sweepAt = max(minSwept, 2*len(posts))
}

// minSwept is for how many words it is worth to look for those of forgotten passages.
const minSwept = 1 << 14

// Absorb takes over what another index knows.
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
	for k, posts := range from.posts {
		for _, n := range posts {
			if len(x.posts[k]) <= maxPosts {
				x.posts[k] = append(x.posts[k], x.next+n)
				x.posted++
			}
		}
	}
	for k, at := range from.first {
		at.passage += x.next
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
