package value

import (
	"cmp"
	"slices"
)

// sighting is a value of a source that a text contains.
type sighting struct {
	record  uint32
	ref     uint16
	class   class
	hash    uint64
	bits    float32
	reading int32
	start   int32 // position in the reading's text
	end     int32
	address bool // the position is in an address field
}

// Place is a range of a reading's text.
type Place struct{ Reading, Start, End int }

// Hit is the evidence that a document contains values of one source.
type Hit struct {
	Ref      uint16
	Match    string // secret, value, record, numbers, shards
	Bits     float64
	Category string // of a secret
	Places   []Place
}

const (
	leastBits    = 40 // minimum evidence of a hit
	pointerBits  = 12 // bits of a reference
	leastPointer = 5  // minimum number of references if there are no other values
	leastNumbers = 3  // minimum number of numbers of one source
	leastTexts   = 3  // minimum number of texts of a record if there are no other values
	textBits     = 90 // minimum bits of these texts
)

// weigh appends the best evidence of each source among the sightings.
func weigh(dst []Hit, seen []sighting) []Hit {
	slices.SortFunc(seen, func(a, b sighting) int {
		return cmp.Or(
			cmp.Compare(a.ref, b.ref),
			cmp.Compare(a.record, b.record),
			cmp.Compare(b.end-b.start, a.end-a.start),
			cmp.Compare(a.reading, b.reading),
			cmp.Compare(a.start, b.start),
		)
	})
	for i := 0; i < len(seen); {
		end := i + 1
		for end < len(seen) && seen[end].ref == seen[i].ref {
			end++
		}
		if hit := weighSource(seen[i:end]); hit.Bits >= leastBits {
			dst = append(dst, hit)
		}
		i = end
	}
	return dst
}

// best keeps one hit for each source. Whole secrets take precedence over all other hits, and then the strongest hit
// wins. It gets the positions of all secrets and pieces of the source.
func best(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(
			cmp.Compare(a.Ref, b.Ref),
			cmp.Compare(b2i(b.Match == "secret"), b2i(a.Match == "secret")),
			cmp.Compare(b.Bits, a.Bits),
		)
	})
	out := hits[:0]
	for _, h := range hits {
		if n := len(out); n == 0 || out[n-1].Ref != h.Ref || h.Match == "secret" {
			out = append(out, h)
		} else if last := &out[n-1]; last.Match == h.Match && len(last.Places) < maxRecordTokens {
			last.Places = append(last.Places, h.Places...)
		}
	}
	return out
}

// weighSource weighs the sightings of one source, which are sorted by record.
func weighSource(seen []sighting) Hit {
	var best Hit
	var numbers, pointers, of []sighting
	for i := 0; i < len(seen); {
		end := i + 1
		for end < len(seen) && seen[end].record == seen[i].record {
			end++
		}
		of = distinct(of[:0], seen[i:end])
		if hit := weighRecord(of); hit.Bits > best.Bits {
			best = hit
		}
		for _, s := range of {
			switch s.class {
			case classNumber:
				numbers = distinct(numbers, []sighting{s})
			case classPointer:
				pointers = distinct(pointers, []sighting{s})
			}
		}
		i = end
	}
	if bits := total(numbers); len(numbers) >= leastNumbers && bits > best.Bits {
		best = hitOf("numbers", bits, numbers)
	}
	if bits := total(pointers); len(pointers) >= leastPointer && bits > best.Bits {
		best = hitOf("record", bits, pointers)
	}
	best.Ref = seen[0].ref
	return best
}

// weighRecord weighs the values of one record. Several values count if one of them is more than a word. A single value
// counts if it is personal.
func weighRecord(of []sighting) Hit {
	texts, strong := 0, false
	for _, s := range of {
		texts += b2i(s.class == classText)
		strong = strong || s.class == classNumber || s.class == classPersonal
	}
	bits := total(of)
	if len(of) >= 2 && strong || texts >= leastTexts && bits >= textBits {
		return hitOf("record", bits, of)
	}
	var best Hit
	for i, s := range of {
		if s.class == classPersonal && float64(s.bits) > best.Bits {
			best = hitOf("value", float64(s.bits), of[i:i+1])
		}
	}
	return best
}

// distinct appends the sightings of different values at different positions. Of overlapping sightings, the longest
// counts.
func distinct(dst, seen []sighting) []sighting {
next:
	for _, s := range seen {
		for _, d := range dst {
			if d.hash == s.hash || d.reading == s.reading && s.start < d.end && d.start < s.end {
				continue next
			}
		}
		if dst = append(dst, s); len(dst) == maxRecordTokens {
			break
		}
	}
	return dst
}

func total(of []sighting) (bits float64) {
	for _, s := range of {
		bits += float64(s.bits)
	}
	return bits
}

func hitOf(match string, bits float64, of []sighting) Hit {
	h := Hit{Match: match, Bits: bits}
	for _, s := range of {
		h.Places = append(h.Places, Place{int(s.reading), int(s.start), int(s.end)})
	}
	return h
}
