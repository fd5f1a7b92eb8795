package passage

import "iter"

// posts are the passages that hold each word: an inverted index. A session has tens of
// thousands of them, so they lie in one array and a word knows only its last one.
type posts struct {
	words map[key]list
	all   []post
	live  int // posts in the lists of words; the rest of all is what lists have dropped
}

// list is the posts of a word, the newest passage first.
type list struct {
	last  uint32 // one more than the place of the newest post
	count uint32
}

// post is one passage that holds a word.
type post struct {
	passage uint32
	before  uint32 // one more than the place of the next older post of the word, or 0
}

// of yields the passages that hold a word, the newest first. A word of more than maxPosts
// passages tells nothing and has none.
func (p *posts) of(k key) iter.Seq[uint32] {
	l := p.words[k]
	if l.count > maxPosts {
		l.last = 0
	}
	return func(yield func(uint32) bool) {
		for at := l.last; at != 0; at = p.all[at-1].before {
			if !yield(p.all[at-1].passage) {
				return
			}
		}
	}
}

// add notes that a passage, which is no older than any other, holds a word. It reports
// whether that is news and the word still tells anything. Posts of passages before oldest
// make room.
func (p *posts) add(k key, passage, oldest uint32) bool {
	l := p.words[k]
	if l.last != 0 && p.all[l.last-1].passage == passage || l.count > maxPosts {
		return false
	}
	if l.count == maxPosts {
		p.cut(&l, oldest)
	}
	p.all = append(p.all, post{passage, l.last})
	l.last = uint32(len(p.all))
	l.count++
	p.words[k] = l
	p.live++
	return true
}

// cut drops the posts of passages before oldest from a list.
func (p *posts) cut(l *list, oldest uint32) {
	kept := uint32(0)
	for at := &l.last; *at != 0; at = &p.all[*at-1].before {
		if p.all[*at-1].passage < oldest {
			*at = 0
			break
		}
		kept++
	}
	p.live -= int(l.count - kept)
	l.count = kept
}

// keep drops the posts of passages that are not alive, and the room of those dropped before.
func (p *posts) keep(alive func(passage uint32) bool) {
	kept := posts{words: map[key]list{}}
	var newest []uint32
	for k, l := range p.words {
		newest = newest[:0]
		for at := l.last; at != 0; at = p.all[at-1].before {
			if n := p.all[at-1].passage; alive(n) {
				newest = append(newest, n)
			}
		}
		kept.append(k, newest)
	}
	*p = kept
}

// append puts passages, the newest first and newer than those of the word, into its list.
func (p *posts) append(k key, newest []uint32) {
	for i := len(newest) - 1; i >= 0; i-- {
		l := p.words[k]
		if l.count > maxPosts {
			return
		}
		p.all = append(p.all, post{newest[i], l.last})
		p.words[k] = list{uint32(len(p.all)), l.count + 1}
		p.live++
	}
}

// absorb takes over the posts of another index, whose passages get numbers from first.
func (p *posts) absorb(from *posts, first uint32) {
	var newest []uint32
	for k, l := range from.words {
		newest = newest[:0]
		for at := l.last; at != 0; at = from.all[at-1].before {
			newest = append(newest, first+from.all[at-1].passage)
		}
		p.append(k, newest)
	}
}
