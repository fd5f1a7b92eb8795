package value

import (
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

// headOf returns the head of a value: a hash of its first letters and its length.
func headOf(skeleton []byte) uint64 {
	return headKey(table.HashSkeleton(skeleton[:leastToken]), len(skeleton))
}

// headKey returns the head for a hash of first letters and a length. Heads that differ only in the length use the same
// word of a sieve.
func headKey(first uint64, length int) uint64 {
	return first&^table.SieveSpread | (first+uint64(length))*table.TokenBase>>(64-table.SieveShift)
}

// skeletonOf returns the skeleton of s.
func skeletonOf(s string) []byte { return text.AppendLetters(nil, s, nil) }
