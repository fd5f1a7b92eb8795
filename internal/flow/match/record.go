package match

import (
	"cmp"
	"slices"
)

// sighting is a value of a source that stands in a text.
type sighting struct {
	record  uint32
	ref     uint16
	class   class
	hash    uint64
	bits    float32
	reading int32
	start   int32 // in the reading's text
	end     int32
	address bool // where it says where something goes
}

// place is a stretch of a reading's text.
type place struct{ reading, start, end int }

// valueHit is what the values of one source say.
type valueHit struct {
	ref      uint16
	match    string // secret, value, record, numbers, shards
	bits     float64
	category string // of a secret
	places   []place
}

const (
	leastBits    = 40 // evidence below which nothing is said
	pointerBits  = 12 // of a value that only points at something
	leastPointer = 5  // of them, without anything else
	leastNumbers = 3  // of one source
	leastTexts   = 3  // of one record that has nothing else
	textBits     = 90 // that these hold
)

// weigh gives the best evidence of each source among the sightings.
func weigh(dst []valueHit, seen []sighting) []valueHit {
	slices.SortFunc(seen, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.ref, b.ref), cmp.Compare(a.record, b.record), cmp.Compare(b.end-b.start, a.end-a.start),
			cmp.Compare(a.reading, b.reading), cmp.Compare(a.start, b.start))
	})
	for i := 0; i < len(seen); {
		end := i + 1
		for end < len(seen) && seen[end].ref == seen[i].ref {
			end++
		}
		if hit := weighSource(seen[i:end]); hit.bits >= leastBits {
			dst = append(dst, hit)
		}
		i = end
	}
	return dst
}

// best leaves one hit for each source: what says most, and whole secrets before
// all else. Where pieces or secrets of one source stand is told of all of them.
func best(hits []valueHit) []valueHit {
	slices.SortStableFunc(hits, func(a, b valueHit) int {
		return cmp.Or(cmp.Compare(a.ref, b.ref), cmp.Compare(b2i(b.match == "secret"), b2i(a.match == "secret")), cmp.Compare(b.bits, a.bits))
	})
	out := hits[:0]
	for _, h := range hits {
		if n := len(out); n == 0 || out[n-1].ref != h.ref || h.match == "secret" {
			out = append(out, h)
		} else if last := &out[n-1]; last.match == h.match && len(last.places) < maxRecordTokens {
			last.places = append(last.places, h.places...)
		}
	}
	return out
}

// weighSource weighs the sightings of one source, which are in order of records.
func weighSource(seen []sighting) valueHit {
	var best valueHit
	var numbers, pointers, of []sighting
	for i := 0; i < len(seen); {
		end := i + 1
		for end < len(seen) && seen[end].record == seen[i].record {
			end++
		}
		of = distinct(of[:0], seen[i:end])
		if hit := weighRecord(of); hit.bits > best.bits {
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
	if bits := total(numbers); len(numbers) >= leastNumbers && bits > best.bits {
		best = hitOf("numbers", bits, numbers)
	}
	if bits := total(pointers); len(pointers) >= leastPointer && bits > best.bits {
		best = hitOf("record", bits, pointers)
	}
	best.ref = seen[0].ref
	return best
}

// weighRecord weighs the values of one record: several of them count when one is
// no mere word; one by itself does when it is personal.
func weighRecord(of []sighting) valueHit {
	texts, strong := 0, false
	for _, s := range of {
		texts += b2i(s.class == classText)
		strong = strong || s.class == classNumber || s.class == classPersonal
	}
	bits := total(of)
	if len(of) >= 2 && strong || texts >= leastTexts && bits >= textBits {
		return hitOf("record", bits, of)
	}
	var best valueHit
	for i, s := range of {
		if s.class == classPersonal && float64(s.bits) > best.bits {
			best = hitOf("value", float64(s.bits), of[i:i+1])
		}
	}
	return best
}

// distinct appends the sightings that say something new: another value at another
// place. The longest of those that overlap comes first.
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

func hitOf(match string, bits float64, of []sighting) valueHit {
	h := valueHit{match: match, bits: bits}
	for _, s := range of {
		h.places = append(h.places, place{int(s.reading), int(s.start), int(s.end)})
	}
	return h
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
