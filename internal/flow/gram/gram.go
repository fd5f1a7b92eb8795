package gram

import "slices"

const (
	// K is the length of a k-gram in bytes of the skeleton.
	K = 24
	// W is the window of winnowing: of every W neighbouring k-grams, one is selected.
	W = 9
	// Shared is the minimum length of a shared run that is always found.
	Shared = K + W - 1
)

const (
	base    = 0x9e3779b97f4a7c15 // odd, so that it has an inverse modulo 2^64
	inverse = 0xf1de83e19937733d
)

// top is base^(K-1), the factor of a gram's outermost byte.
var top = func() uint64 {
	p := uint64(1)
	for range K - 1 {
		p *= base
	}
	return p
}()

// values assigns a random number to each byte.
var values = func() (table [256]uint64) {
	for i := range table {
		table[i] = mix(uint64(i) + 1)
	}
	return table
}()

// mix is the finaliser of SplitMix64: changing one bit of x changes half of the result's bits on average.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Hashes appends the hash of every k-gram of skeleton, in order. It appends nothing if skeleton is shorter than [K].
// A k-gram and its reversal have the same hash.
func Hashes(dst []uint64, skeleton []byte) []uint64 {
	if len(skeleton) < K {
		return dst
	}
	dst = slices.Grow(dst, len(skeleton)-K+1)
	var forward, backward uint64
	weight := uint64(1)
	for _, c := range skeleton[:K] {
		forward = forward*base + values[c]
		backward += values[c] * weight
		weight *= base
	}
	dst = append(dst, mix(forward+backward))
	for i := K; i < len(skeleton); i++ {
		out, in := values[skeleton[i-K]], values[skeleton[i]]
		forward = (forward-out*top)*base + in
		backward = (backward-out)*inverse + in*top
		dst = append(dst, mix(forward+backward))
	}
	return dst
}

// Winnow appends the positions of the selected hashes to dst: the smallest hash of every w neighbours, and the first
// of several equal ones. If there are fewer than w hashes, they form one window.
func Winnow(dst []int32, hashes []uint64, w int) []int32 {
	if len(hashes) == 0 {
		return dst
	}
	best := -1
	for end := min(w, len(hashes)); end <= len(hashes); end++ {
		from := max(end-w, 0)
		switch {
		case best < from: // the smallest hash has left the window
			best = from
			for i := from + 1; i < end; i++ {
				if hashes[i] < hashes[best] {
					best = i
				}
			}
		case hashes[end-1] < hashes[best]:
			best = end - 1
		default:
			continue
		}
		dst = append(dst, int32(best))
	}
	return dst
}
