package value

import (
	"iter"
	"unicode/utf8"

	"mcpproxy/internal/flow/table"
)

// query reads texts for their values.
type query struct {
	of       *Letters
	skeleton []byte
	places   []int32  // position in the text of each byte of the skeleton
	from     int      // start of the range of the skeleton for which sums holds hashes
	sums     []uint64 // hashes of the prefixes of that range
	words    []int32  // starts of words in the skeleton, and its end
	hashes   []uint64
	refs     []uint32
	pieces   []shardRun
	seen     []sighting
	some     []stretchOf
	firsts   []uint64
	ahead    []uint64
	likely   []int32
	warmed   uint64
}

const (
	maxRun     = 8 // words of a value
	publicRun  = 4 // words of a value that running text makes public
	leastToken = 6 // minimum bytes of the skeleton of a value
)

// read reads a text.
func (q *query) read(l *Letters) {
	t := l.View.Text
	q.of = l
	q.places = l.places
	q.skeleton = l.Skeleton
	q.from, q.sums = 0, q.sums[:0]
	q.words = q.words[:0]
	last, end := int32(-1), int32(-1) // position of the last letter
	for i, at := range q.places {
		if at == last {
			continue
		}
		if at != end {
			q.words = append(q.words, int32(i))
		}
		if last, end = at, at+1; t[at] >= utf8.RuneSelf {
			end = at + letterSize(t[at:])
		}
	}
	q.words = append(q.words, int32(len(q.skeleton)))
}

func letterSize(s string) int32 {
	_, n := utf8.DecodeRuneInString(s)
	return int32(n)
}

// block is the number of letters that are hashed at a time. It limits the memory for a large text.
const block = 64 << 10

// hash returns the hash of skeleton[start:end], at most [table.MaxToken] bytes.
func (q *query) hash(start, end int) uint64 {
	if start < q.from || end >= q.from+len(q.sums) {
		q.from = start
		q.sums = table.AppendSums(q.sums[:0], q.skeleton[start:min(start+block, len(q.skeleton))])
	}
	return table.Stretch(q.sums, start-q.from, end-q.from)
}

// runs yields the parts of the skeleton that may be a value: runs of up to the given number of words.
func (q *query) runs(words int) iter.Seq[stretchOf] {
	return func(yield func(stretchOf) bool) {
		for i := 0; i+1 < len(q.words); i++ {
			start := int(q.words[i])
			for n := i + 1; n <= i+words && n < len(q.words); n++ {
				end := int(q.words[n])
				if end-start > table.MaxToken {
					break
				}
				if end-start >= leastToken && !yield(stretchOf{q.hash(start, end), start, end}) {
					return
				}
			}
		}
	}
}

// known looks at the runs that begin with word i or later. It puts the runs whose head the sieve lets through into
// q.some, and their hashes into q.hashes. It returns the word at which the caller continues.
func (q *query) known(i, words int, heads *table.Sieve) int {
	q.some, q.hashes = q.some[:0], q.hashes[:0]
	to := min(i+table.Batch, len(q.words)-1)
	q.beginnings(i, to, heads)
	width := 0
	if len(q.firsts) > 0 {
		width = len(q.ahead) / len(q.firsts)
	}
	for k, first := range q.firsts {
		here, start := q.ahead[k*width:(k+1)*width], int(q.words[i+k])
		for _, end := range q.words[i+k+1 : min(i+k+1+words, len(q.words))] {
			length := int(end) - start
			if length > table.MaxToken {
				break
			}
			if length < leastToken || !table.Lets(here, headKey(first, length)) {
				continue
			}
			h := q.hash(start, int(end))
			q.some, q.hashes = append(q.some, stretchOf{h, start, int(end)}), append(q.hashes, h)
		}
	}
	return to
}

// beginnings prepares a lookup of the words from i on. It puts the hashes of their first letters into q.firsts, and
// the words of the sieve into q.ahead. It does so for all words first, because a processor can wait for many reads at
// once.
func (q *query) beginnings(i, to int, heads *table.Sieve) {
	q.firsts, q.ahead = q.firsts[:0], q.ahead[:0]
	for _, at := range q.words[i:to] {
		start, end := int(at), int(at)+leastToken
		if end > len(q.skeleton) {
			break
		}
		q.firsts = append(q.firsts, q.hash(start, end))
	}
	for _, first := range q.firsts {
		q.ahead = heads.Words(q.ahead, headKey(first, 0))
	}
}

// stretchOf is a run of words and its hash.
type stretchOf struct {
	hash       uint64
	start, end int // range in the skeleton
}

// numbersIn yields the numbers of a text with their positions.
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

// bits returns the information of skeleton[start:end].
func (q *query) bits(start, end int) float32 {
	return sum(q.of.Cost()[start:end])
}
