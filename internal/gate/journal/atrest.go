package journal

import (
	"bytes"
	"encoding/json"
	"maps"

	"mcpproxy"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/text"
)

// sealing replaces personal data of one record by placeholders.
type sealing struct {
	by    atrest.RecordSealer
	known *detect.Masker // the personal data of the call and its result, wherever it occurs
}

// edits returns edits that seal findings of doc and all known values in it.
func (s *sealing) edits(doc *text.Document, found []detect.Finding) []text.Edit {
	show := func(f *detect.Finding) string { return s.by.Seal(f.Rule.ID, f.Value) }
	return append(detect.Edits(found, show), s.known.Edits(doc, show)...)
}

// text returns a text in which the personal data that in finds, and all known values, are sealed.
func (s *sealing) text(in *inspect.Inspector, plain string) string {
	if plain == "" {
		return ""
	}
	var out string
	if json.Unmarshal(s.value(in, text.Quote(plain)), &out) != nil {
		return unsealed
	}
	return out
}

// unsealed stands for a text in which personal data cannot be looked for.
const unsealed = "[a text that could not be inspected]"

// value returns a JSON value in which the personal data that in finds, and all known values, are sealed.
func (s *sealing) value(in *inspect.Inspector, raw []byte) []byte {
	r := in.JSON(raw)
	if r.Err != nil {
		return text.Quote(unsealed)
	}
	return r.Doc.Rewrite(s.edits(r.Doc, r.Identifying()))
}

// sealed returns the record of an entry as it is written to the log: with its personal data masked, if it has any
// and the settings demand that. It does not change r.
func (e *Entry) sealed(r *mcpproxy.Record) *mcpproxy.Record {
	if e.AtRest == nil {
		return r
	}
	args := e.Seen.Arguments()
	found := append(args.Identifying(), e.Seen.Extra().Identifying()...)
	if e.Brought != nil {
		found = append(found, e.Brought.Identifying()...)
	}
	s := &sealing{by: e.AtRest.For(r.ID), known: detect.NewMasker(found)}
	out := *r
	if len(found) > 0 {
		plain := detect.NewMasker(found).Text
		out.ToolName, out.RequestID = plain(r.ToolName), plain(r.RequestID) // the log is searched for them
		if args.Err == nil && args.Doc != nil {
			out.Arguments = e.body(args, s)
		}
		if r.Response != nil {
			out.Response, out.Truncated = e.response(s)
		}
	}
	return s.about(e.Seen.Inspector(), &out, len(found) > 0)
}

// about seals the personal data in the parts of a record that describe its call, and marks the record if it contained
// any. sealed says that personal data was found in the arguments or the response. Who called, in which session, and
// who decided are not sealed, because an audit needs them.
func (s *sealing) about(in *inspect.Inspector, out *mcpproxy.Record, sealed bool) *mcpproxy.Record {
	agent := out.Metadata.Agent
	by, decided := out.Metadata.Detail[decider]
	about := out.Metadata
	about.Agent = nil
	about.Detail = maps.Clone(about.Detail)
	delete(about.Detail, decider)
	raw, err := json.Marshal(about)
	if err != nil {
		return out // writing the record will fail with the same error
	}
	if !sealed && !bytes.ContainsRune(raw, '@') {
		return out
	}
	after := s.value(in, raw)
	message := s.text(in, out.ErrorMessage)
	if !sealed && bytes.Equal(after, raw) && message == out.ErrorMessage {
		return out
	}
	out.Metadata = mcpproxy.Metadata{}
	if err := json.Unmarshal(after, &out.Metadata); err != nil {
		out.Metadata = mcpproxy.Metadata{Reason: unsealed}
	}
	out.Metadata.Agent = agent
	if decided {
		if out.Metadata.Detail == nil {
			out.Metadata.Detail = map[string]any{}
		}
		out.Metadata.Detail[decider] = by
	}
	out.Metadata.PersonalMasked = true
	out.ErrorMessage = message
	return out
}

// decider is the member of a record's detail that names who decided or changed something. Only mcpproxy sets it.
const decider = "by"

// Sealed returns a record of mcpproxy itself, such as one about a question to the user, as it is written to the log,
// with the personal data that in finds masked by a sealer. It does not change r.
func Sealed(in *inspect.Inspector, by *atrest.Sealer, r *mcpproxy.Record) *mcpproxy.Record {
	if by == nil || r.Metadata.PersonalMasked {
		return r
	}
	if raw, err := json.Marshal(r); err != nil || !bytes.ContainsRune(raw, '@') && r.Type != mcpproxy.RecordApproval {
		return r // most of mcpproxy's own records quote no user text
	}
	s := &sealing{by: by.For(r.ID), known: detect.NewMasker(nil)}
	out := *r
	found := false
	for _, name := range []*string{&out.ToolName, &out.RequestID} { // the log is searched for them
		r := in.Text(*name)
		if all := r.Identifying(); len(all) > 0 {
			*name, found = detect.MaskText(*name, all), true
		}
	}
	for _, body := range []*json.RawMessage{&out.Arguments, &out.Response} {
		if len(*body) == 0 {
			continue
		}
		if after := s.value(in, *body); !bytes.Equal(after, *body) {
			*body, found = after, true
		}
	}
	return s.about(in, &out, found)
}
