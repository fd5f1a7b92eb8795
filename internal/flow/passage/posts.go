package passage

import "iter"

// posts is an inverted index: it lists the passages that contain each word. A session has tens of thousands of posts.
// They are in one array. Each word refers to its last post, and each post to the word's post before it.
type posts struct {
	words map[key]list
	all   []post
	live  int // posts in the lists of words; the others in all are unused
}

// list holds the posts of a word, the newest passage first.
type list struct {
	last  uint32 // index of the newest post plus one
	count uint32
}

// post is one passage that contains a word.
type post struct {
	passage uint32
	before  uint32 // index of the word's previous post plus one, or 0
}

// of yields the passages that contain a word, the newest first. It yields none for a word that is ignored because more
// than maxPosts passages contain it.
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

// add records that a passage contains a word. The passage must be the newest. If the word has maxPosts posts, add
// first drops those of passages before oldest. It returns false if the passage already has a post for the word, or if
// the word is ignored.
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

// keep drops the posts of passages for which alive is false, and frees unused posts.
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

// sweep is keep without a new map: it takes less time, and the map keeps the size that it has grown to.
func (p *posts) sweep(alive func(passage uint32) bool) {
	all := make([]post, 0, p.live)
	var newest []uint32
	for k, l := range p.words {
		newest = newest[:0]
		for at := l.last; at != 0; at = p.all[at-1].before {
			if n := p.all[at-1].passage; alive(n) {
				newest = append(newest, n)
			}
		}
		if len(newest) == 0 {
			delete(p.words, k)
			continue
		}
		l = list{}
		for i := len(newest) - 1; i >= 0; i-- {
			all = append(all, post{newest[i], l.last})
			l = list{uint32(len(all)), l.count + 1}
		}
		p.words[k] = l
	}
	p.all, p.live = all, len(all)
}

// append adds passages to the list of a word. They are in the order newest first, and newer than the passages of the
// list.
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

// absorb adds the posts of another index. Its passages get the numbers from first on.
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
