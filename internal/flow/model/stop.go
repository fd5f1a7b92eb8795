package model

import _ "embed"

//go:generate go run ./gen

//go:embed stop.bin
var stops Filter

// Stop reports whether h, a hash of [mcpproxy/internal/flow/gram.Hashes], is a k-gram that independent projects have
// in common.
//
// Only winnowed k-grams are stored. Winnowing selects the same k-grams of a text wherever the surrounding text is the
// same. A caller that indexes winnowed k-grams therefore finds all stored k-grams of a text. A caller that checks
// every position finds about every fifth.
func Stop(h uint64) bool { return stops.Has(h) }

// StopAhead is [Filter.Ahead] for [Stop].
func StopAhead(hashes []uint64) byte { return stops.Ahead(hashes) }
