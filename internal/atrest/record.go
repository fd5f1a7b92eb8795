package atrest

import (
	"encoding/json"
	"fmt"

	"mcpproxy"
)

// Mask returns a record without the encrypted values of its placeholders. It returns r itself if the record has none.
func Mask(r *mcpproxy.Record) *mcpproxy.Record {
	return rewrite(r, func(string, string) (string, bool) { return "", false })
}

// Open returns a record with the values restored. Placeholders of another installation stay masked. It returns r
// itself if the record has no placeholders.
func (s *Sealer) Open(r *mcpproxy.Record) *mcpproxy.Record {
	if r == nil || !r.Metadata.PersonalMasked {
		return r
	}
	out := rewrite(r, s.For(r.ID).open)
	if out != r {
		out.Metadata.PersonalMasked = false
	}
	return out
}

// rewrite returns a copy of a record with its placeholders replaced.
func rewrite(r *mcpproxy.Record, value opener) *mcpproxy.Record {
	if r == nil || !r.Metadata.PersonalMasked {
		return r
	}
	out := *r
	out.Arguments = replace(r.Arguments, value, asJSON)
	out.Response = replace(r.Response, value, asJSON)
	plain := func(value string) []byte { return []byte(value) }
	out.ErrorMessage = string(replace([]byte(r.ErrorMessage), value, plain))
	raw, err := json.Marshal(r.Metadata)
	if err == nil {
		out.Metadata = mcpproxy.Metadata{}
		err = json.Unmarshal(replace(raw, value, asJSON), &out.Metadata)
	}
	if err != nil { // cannot happen: metadata is read from JSON and written as JSON
		reason := fmt.Sprintf("[metadata that could not be read: %v]", err)
		out.Metadata = mcpproxy.Metadata{Reason: reason, PersonalMasked: true}
	}
	return &out
}
