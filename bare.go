package mcpproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
)

// SessionDigest returns a name for a protocol session that is safe to show. The session id itself is not: anyone who
// knows it could send requests in the session. The digest is the first 16 hex digits of the id's SHA-256, or "" if id
// is empty.
func SessionDigest(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// DetailText is the key, in a record's details, of the text that was shown to the person who decides about a call.
// The text repeats parts of the call.
const DetailText = "text"

// Bare returns a copy of the record without the arguments and the response of the call. The copy still says what
// happened and why. It keeps the agent's declared intent and the evidence of signals: they are masked and short, but
// they can contain pieces of the arguments or the response.
func (r *Record) Bare() *Record {
	out := *r
	out.Arguments, out.Response = nil, nil
	if _, told := out.Metadata.Detail[DetailText]; told {
		out.Metadata.Detail = maps.Clone(out.Metadata.Detail)
		delete(out.Metadata.Detail, DetailText)
	}
	return &out
}
