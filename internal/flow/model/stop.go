package model

import _ "embed"

//go:generate go run ./gen

//go:embed stop.bin
var stops Filter

// Stop reports whether h, a hash of [mcpproxy/internal/flow/gram.Hashes], is a
// k-gram that independent projects have in common.
//
// Only winnowed k-grams are kept. Winnowing picks the same ones wherever the
// text around them is the same, so whoever indexes winnowed k-grams loses
// nothing; whoever looks at every position finds about every fifth one.
func Stop(h uint64) bool { return stops.Has(h) }

// StopAhead is [Filter.Ahead] for [Stop].
func StopAhead(hashes []uint64) byte { return stops.Ahead(hashes) }
