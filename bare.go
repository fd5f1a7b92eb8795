package mcpproxy

import "maps"

// DetailText is the key of a record's details under which a text repeats what a call
// said, for the person who decides about it.
const DetailText = "text"

// Bare is a copy of the record without what a call said and what was answered, for
// readers who may know what happened and not what it was about.
func (r *Record) Bare() *Record {
	out := *r
	out.Arguments, out.Response = nil, nil
	if _, told := out.Metadata.Detail[DetailText]; told {
		out.Metadata.Detail = maps.Clone(out.Metadata.Detail)
		delete(out.Metadata.Detail, DetailText)
	}
	return &out
}
