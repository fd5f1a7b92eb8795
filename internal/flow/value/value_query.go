package value

import (
	"iter"
	"unicode/utf8"

	"mcpproxy/internal/flow/table"
)

// query reads texts for their values. Its buffers are used again and again.
type query struct {
	of       *Letters
	skeleton []byte
	places   []int32  // in the text, of each byte of the skeleton
	sums     []uint64 // hashes of the beginnings of the skeleton
	words    []int32  // where words begin in the skeleton, and its end
	hashes   []uint64
	refs     []uint32
	pieces   []shardRun
	seen     []sighting
	some     []stretchOf
	ahead    []uint64
	likely   []int32
	warmed   uint64
}

const (
	maxRun     = 8 // words that a value may be written in
	publicRun  = 4 // and those of one that running text makes public
	leastToken = 6 // bytes of skeleton of the shortest value
)

// read takes a text in.
func (q *query) read(l *Letters) {
	t := l.View.Text
	q.of, q.places, q.skeleton = l, l.places, l.Skeleton
	q.sums = table.AppendSums(q.sums[:0], q.skeleton)
	q.words = q.words[:0]
	end := int32(0) // of the last letter
	for i, at := range q.places {
		if i > 0 && at == q.places[i-1] {
			continue
		}
		if i == 0 || at > end {
			q.words = append(q.words, int32(i))
		}
		end = at + letterSize(t[at:])
	}
	q.words = append(q.words, int32(len(q.skeleton)))
}

func letterSize(s string) int32 {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return int32(n)
}

// runs are the stretches of the skeleton that can be a value: runs of so many words
// whose beginning and length the sieve lets through; all when it is nil.
func (q *query) runs(words int, heads *table.Sieve) iter.Seq[stretchOf] {
	return func(yield func(stretchOf) bool) {
		for i := 0; i+1 < len(q.words); i++ {
			start := int(q.words[i])
			if start+leastToken > len(q.skeleton) {
				return
			}
			if heads != nil && i%table.Batch == 0 {
				q.warmHeads(i, heads)
			}
			head := table.Stretch(q.sums, start, start+leastToken)
			for n := i + 1; n <= i+words && n < len(q.words); n++ {
				end := int(q.words[n])
				if end-start > table.MaxToken {
					break
				}
				if end-start < leastToken || heads != nil && !heads.Has(headKey(head, end-start)) {
					continue
				}
				if !yield(stretchOf{table.Stretch(q.sums, start, end), start, end}) {
					return
				}
			}
		}
	}
}

// warmHeads looks at where the sieve will be asked for what begins with the next
// words.
func (q *query) warmHeads(i int, heads *table.Sieve) {
	q.ahead = q.ahead[:0]
	for _, start := range q.words[i:min(i+table.Batch, len(q.words))] {
		if end := int(start) + leastToken; end <= len(q.skeleton) {
			q.ahead = append(q.ahead, headKey(table.Stretch(q.sums, int(start), end), 0))
		}
	}
	q.warmed |= heads.Warm(q.ahead)
}

// batches are the runs, some at a time, with their hashes in q.hashes.
func (q *query) batches(words int, heads *table.Sieve) iter.Seq[[]stretchOf] {
	return func(yield func([]stretchOf) bool) {
		q.some, q.hashes = q.some[:0], q.hashes[:0]
		for run := range q.runs(words, heads) {
			q.some, q.hashes = append(q.some, run), append(q.hashes, run.hash)
			if len(q.some) == table.Batch {
				if !yield(q.some) {
					return
				}
				q.some, q.hashes = q.some[:0], q.hashes[:0]
			}
		}
		yield(q.some)
	}
}

// stretchOf is a run of words and its hash.
type stretchOf struct {
	hash       uint64
	start, end int // in the skeleton
}

// numbersIn are the numbers of a text, with where they stand in it.
func numbersIn(t string) iter.Seq2[number, [2]int] {
	return func(yield func(number, [2]int) bool) {
		for i := 0; i < len(t); {
			if !IsDigit(t[i]) {
				i++
				continue
			}
			inWord := i > 0 && (IsAlnum(t[i-1]) || t[i-1] == '.' || t[i-1] == ',')
			n, size := readNumber(t[i:])
			if end := i + size; !inWord && size > 0 && n.hash != 0 && (end == len(t) || !IsAlnum(t[end])) {
				if !yield(n, [2]int{i, end}) {
					return
				}
				i = end
				continue
			}
			for i < len(t) && (IsAlnum(t[i]) || inWord && (t[i] == '.' || t[i] == ',')) {
				i++
			}
		}
	}
}

// bits is the information of skeleton[start:end].
func (q *query) bits(start, end int) float32 {
	return sum(q.of.Cost()[start:end])
}
