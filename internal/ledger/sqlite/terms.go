package sqlite

import (
	"encoding/binary"
	"slices"
	"sort"
)

// A term is a hash of a value that few records share. A collision only makes a search read a block
// unnecessarily.
type term uint32

// Values that terms are made of.
const (
	termID      = 'i'
	termRequest = 'r'
	termParent  = 'p'
	termScope   = 's'
	termTool    = 't'
)

// textTerm hashes a text (FNV-1a of 64 bits, folded).
func textTerm(of byte, text string) term {
	const prime = 1099511628211
	h := (uint64(14695981039346656037) ^ uint64(of)) * prime
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	h ^= h >> 29
	h *= 0x9E3779B97F4A7C15 // mixes in the last bytes
	return term(h >> 32)
}

func scopeTerm(scope int64) term {
	return textTerm(termScope, string(binary.AppendVarint(nil, scope)))
}

// terms adds the terms of a record.
func (r *row) terms(to []term) []term {
	for _, t := range [...]struct {
		of   byte
		text string
	}{{termID, r.id}, {termRequest, r.request}, {termParent, r.parent}, {termTool, r.tool}} {
		if t.text != "" {
			to = append(to, textTerm(t.of, t.text))
		}
	}
	return to
}

// packTerms encodes the terms of a block for the file.
func packTerms(all []term) []byte {
	all = slices.Clone(all)
	slices.Sort(all)
	all = slices.Compact(all)
	out := make([]byte, 0, 4*len(all))
	for _, t := range all {
		out = binary.BigEndian.AppendUint32(out, uint32(t))
	}
	return out
}

// unpackTerms returns the inverse of packTerms.
func unpackTerms(packed []byte) []term {
	out := make([]term, len(packed)/4)
	for i := range out {
		out[i] = term(binary.BigEndian.Uint32(packed[4*i:]))
	}
	return out
}

// hasTerm reports whether a block's encoded terms contain t.
func hasTerm(packed []byte, t term) bool {
	at := sort.Search(len(packed)/4, func(i int) bool { return binary.BigEndian.Uint32(packed[4*i:]) >= uint32(t) })
	return 4*at+4 <= len(packed) && binary.BigEndian.Uint32(packed[4*at:]) == uint32(t)
}

// index collects the terms of a segment.
type index [termParts][]uint32

// termParts is the number of rows for a segment's terms.
const termParts = 256

// add adds the terms of a block.
func (x *index) add(block int64, all []term) {
	for _, t := range all {
		x[t>>24] = append(x[t>>24], uint32(t&0xffffff)<<6|uint32(block%segmentBlocks))
	}
}

// pack encodes a part for the file, or returns nil if it is empty.
func (x *index) pack(part int) (out []byte) {
	slices.Sort(x[part])
	for _, e := range slices.Compact(x[part]) {
		out = binary.BigEndian.AppendUint32(out, e)
	}
	return out
}

// blocksOf returns the blocks of a segment that contain a term, one bit each.
func blocksOf(part []byte, t term) (blocks uint64) {
	want := uint32(t&0xffffff) << 6
	at := sort.Search(len(part)/4, func(i int) bool { return binary.BigEndian.Uint32(part[4*i:]) >= want })
	for ; 4*at+4 <= len(part); at++ {
		e := binary.BigEndian.Uint32(part[4*at:])
		if e&^(segmentBlocks-1) != want {
			break
		}
		blocks |= 1 << (e & (segmentBlocks - 1))
	}
	return blocks
}
