package mcpproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
)

// SessionDigest stands for a session where its id is told to others: whoever knows
// the id of a protocol session could speak in it. It is the first 16 hex digits of
// the id's SHA-256; "" for none.
func SessionDigest(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// DetailText is the key of a record's details under which a text repeats what a call
// said, for the person who decides about it.
const DetailText = "text"

// Bare is a copy of the record without its bodies, which are what a call said and
// what was answered, for readers who may know what happened and why. Why is told by
// the intent that an agent declared and by evidence: masked, and short, but still
// stretches of the bodies.
func (r *Record) Bare() *Record {
	out := *r
	out.Arguments, out.Response = nil, nil
	if _, told := out.Metadata.Detail[DetailText]; told {
		out.Metadata.Detail = maps.Clone(out.Metadata.Detail)
		delete(out.Metadata.Detail, DetailText)
	}
	return &out
}
