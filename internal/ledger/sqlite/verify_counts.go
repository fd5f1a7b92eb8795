package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"
)

// wanted holds the expected counts for the verified records. For completed blocks and segments only
// digests are stored.
type wanted struct {
	sum                              *rowCounts       // kinds and scopes
	blocks, terms, segments, indexes map[int64]string // digests of rows, by number

	number      int64 // number of the current block
	block       *block
	segment     stretch // sum of the previous blocks in the segment
	index       *index  // terms of the previous blocks
	first, last int64   // range of records

	// The first segment may have lost records. Its index may still contain them.
	partial int64 // its number; -1 without any
	least   *index
}

func newWanted() *wanted {
	return &wanted{
		sum:      newTally(),
		blocks:   map[int64]string{},
		terms:    map[int64]string{},
		segments: map[int64]string{},
		indexes:  map[int64]string{},
		index:    &index{},
		partial:  -1,
	}
}

// digest returns the digest of a row's columns.
func digest(columns ...any) string {
	h := sha256.New()
	for _, c := range columns {
		fmt.Fprintf(h, "%v,", c)
	}
	return string(h.Sum(nil))
}

func (s *stretch) digest() string { return digest(s.low, s.high, s.highID, s.counts()) }

// add counts a record.
func (w *wanted) add(r *row) {
	if w.block != nil && w.number != blockOf(r.seq) {
		w.end()
	}
	if w.block == nil {
		w.number, w.block = blockOf(r.seq), &block{}
	}
	if w.first == 0 {
		w.first = r.seq
		if r.seq > 1 && r.seq%(blockSize*segmentBlocks) != 0 {
			w.partial = segmentOf(blockOf(r.seq))
		}
	}
	w.last = r.seq
	w.sum.count(r)
	w.block.add(r)
}

// end completes the block, and the segment if the block is its last.
func (w *wanted) end() {
	if w.block == nil {
		return
	}
	w.blocks[w.number] = w.block.digest()
	if w.last == (w.number+1)*blockSize-1 {
		packed := packTerms(w.block.terms)
		w.terms[w.number] = digest(packed)
		w.segment.add(&w.block.stretch)
		w.index.add(w.number, unpackTerms(packed))
		if (w.number+1)%segmentBlocks == 0 {
			w.endSegment(segmentOf(w.number))
		}
	}
	w.block = nil
}

func (w *wanted) endSegment(number int64) {
	w.segments[number] = w.segment.digest()
	h := sha256.New()
	for part := range w.index {
		addToDigest(h, int64(part), w.index.pack(part))
	}
	w.indexes[number] = string(h.Sum(nil))
	if number == w.partial {
		w.least = w.index
	}
	w.segment, w.index = stretch{}, &index{}
}

// addToDigest adds a row of terms to a segment's digest.
func addToDigest(h hash.Hash, part int64, entries []byte) {
	if len(entries) > 0 {
		h.Write(binary.AppendVarint(nil, part))
		h.Write(binary.AppendVarint(nil, int64(len(entries))))
		h.Write(entries)
	}
}

// checkCounts compares the search data with the verified records: a wrong count hides records from
// searches.
func (v *verifier) checkCounts(ctx context.Context) error {
	if v.rep.Since != "" {
		return nil
	}
	v.want.end()
	kinds, scopes := map[int64]string{}, map[int64]string{}
	for k, n := range v.want.sum.kinds {
		kinds[k] = digest(n.records, n.last)
	}
	for s, n := range v.want.sum.scopes {
		scopes[s] = digest(n)
	}
	for _, t := range []struct {
		name  string
		query string
		want  map[int64]string
		scan  func(*sql.Rows) (number int64, digest string, err error)
	}{
		{"kinds", "SELECT kind, records, last FROM kinds", kinds, func(rows *sql.Rows) (n int64, d string, err error) {
			var records, last int64
			err = rows.Scan(&n, &records, &last)
			return n, digest(records, last), err
		}},
		{"scopes", "SELECT scope, records FROM scopes", scopes, func(rows *sql.Rows) (n int64, d string, err error) {
			var records int64
			err = rows.Scan(&n, &records)
			return n, digest(records), err
		}},
		{"blocks", "SELECT block, low, high, high_id, counts, terms FROM blocks", v.want.blocks, v.scanBlock},
		{"segments", "SELECT segment, low, high, high_id, counts FROM segments", v.want.segments, scanStretch},
		{"terms", "", v.want.indexes, nil},
	} {
		got := map[int64]string{}
		var err error
		if t.scan == nil {
			got, err = v.readIndexes(ctx)
		} else {
			err = eachRowOf(ctx, v.tx, t.query, nil, func(rows *sql.Rows) (bool, error) {
				n, d, err := t.scan(rows)
				got[n] = d
				return true, err
			})
		}
		if err != nil {
			return err
		}
		if !maps.Equal(got, t.want) {
			v.fail("", "the table %s does not agree with the records: searches may miss some", t.name)
			return nil
		}
	}
	return nil
}

func scanStretch(rows *sql.Rows) (n int64, d string, err error) {
	var low, high int64
	var id string
	var counts []byte
	err = rows.Scan(&n, &low, &high, &id, &counts)
	return n, digest(low, high, id, counts), err
}

// scanBlock returns scanStretch for a block. A block stores terms if it is full and its segment is not.
func (v *verifier) scanBlock(rows *sql.Rows) (n int64, d string, err error) {
	var low, high int64
	var id string
	var counts, terms []byte
	err = rows.Scan(&n, &low, &high, &id, &counts, &terms)
	want := v.want.terms[n]
	if _, closed := v.want.segments[segmentOf(n)]; closed {
		want = ""
	}
	if terms == nil && want == "" || terms != nil && want == digest(terms) {
		d = digest(low, high, id, counts)
	}
	return n, d, err
}

// readIndexes returns the digests of the segments' terms. The partial segment gets the expected
// digest if no term is missing.
func (v *verifier) readIndexes(ctx context.Context) (map[int64]string, error) {
	hashes := map[int64]hash.Hash{}
	lacking := false
	err := eachRowOf(
		ctx,
		v.tx,
		"SELECT part, entries FROM terms ORDER BY part",
		nil,
		func(rows *sql.Rows) (bool, error) {
			var part int64
			var entries []byte
			if err := rows.Scan(&part, &entries); err != nil {
				return false, err
			}
			segment := part / termParts
			if hashes[segment] == nil {
				hashes[segment] = sha256.New()
			}
			addToDigest(hashes[segment], part%termParts, entries)
			if segment == v.want.partial && v.want.least != nil {
				lacking = lacking || !holds(entries, v.want.least.pack(int(part%termParts)))
				v.want.least[part%termParts] = nil
			}
			return true, nil
		},
	)
	got := map[int64]string{}
	for n, h := range hashes {
		got[n] = string(h.Sum(nil))
	}
	if least := v.want.least; least != nil && got[v.want.partial] != "" {
		for part := range least {
			lacking = lacking || least[part] != nil
		}
		if got[v.want.partial] = v.want.indexes[v.want.partial]; lacking {
			got[v.want.partial] = ""
		}
	}
	return got, err
}

// holds reports whether entries contains all of least. Both are sorted.
func holds(entries, least []byte) bool {
	var all []uint32
	for at := 0; at+4 <= len(entries); at += 4 {
		all = append(all, binary.BigEndian.Uint32(entries[at:]))
	}
	for at := 0; at+4 <= len(least); at += 4 {
		if _, ok := slices.BinarySearch(all, binary.BigEndian.Uint32(least[at:])); !ok {
			return false
		}
	}
	return slices.IsSorted(all)
}
