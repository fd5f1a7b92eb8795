package flow

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mcpproxy"
)

// attached records the names under which a session has read its documents: the path of a file, the id of a document. A
// message that names one of them as its attachment carries that document, although the call contains no word of it.
// The names are kept as hashes.
type attached struct {
	table[document]
}

// document is the origin of a document that a session has read, and its number in the session.
type document struct {
	*mcpproxy.Origin
	number int
}

const (
	maxAttached   = 512 // names per session
	minAttachable = 3   // bytes of the shortest name
)

// attachmentNames lists arguments that name the attachments of a message, in snake case.
var attachmentNames = strings.Fields(`attachment attachments attach attached attached_files file files file_ids attachment_ids document documents
	document_ids media anhang anhaenge anlage anlagen bijlage bijlagen bestanden anexo anexos adjunto adjuntos archivos allegato
	allegati pieces_jointes piece_jointe fichiers bilaga bilagor vedlegg zalacznik zalaczniki prilohy priloha liite liitteet ekler`)

// learn records the names in the arguments of a call that read something.
func (a *attached) learn(p Transfer, o document) {
	if p.Act == nil || !p.Act.Effect.Harmless() || p.Arguments == nil || o.Side == mcpproxy.External || p.Failed {
		return
	}
	for part, name := range thingsIn(p.Arguments) {
		value := strings.TrimSpace(p.Arguments.Parts[part].Text)
		if isThing(name) && len(value) >= minAttachable && len(value) <= maxMadeName {
			a.put(keyOf(inAttached, baseName(value)), o, maxAttached)
		}
	}
}

// edges returns one edge for each document that a message carries as an attachment.
func (a *attached) edges(p Transfer) []mcpproxy.Edge {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectSend || p.Call.Server == "" || len(a.of) == 0 {
		return nil
	}
	var out []mcpproxy.Edge
	for part := range thingsIn(p.Doc) {
		value := strings.TrimSpace(p.Doc.Parts[part].Text)
		o, read := a.of[keyOf(inAttached, baseName(value))]
		if !read || !attaches(p.Doc.Path(p.Doc.Parts[part])) {
			continue
		}
		e := mcpproxy.Edge{
			From:       *o.Origin,
			To:         cmp.Or(p.Call.Server, p.Call.Tool),
			ToSide:     p.Class.Side,
			Type:       TypeOf(o.Side, p.Class),
			Sensitive:  slices.Clone(o.Sensitive),
			Path:       p.path(p.Doc.Parts[part]),
			Match:      "attached",
			Evidence:   p.shown(value),
			Confidence: surely,
		}
		e.Risk = riskOf(e.Type, len(e.Sensitive) > 0)
		out = append(out, e)
	}
	return out
}

// absorb adds the names that another session recorded, whose origins get numbers that are higher by offset.
func (a *attached) absorb(from *attached, offset int) {
	for _, k := range from.order {
		if !a.has(k) {
			o := from.of[k]
			o.number += offset
			a.put(k, o, maxAttached)
		}
	}
}

// savedAttached is what a snapshot has of an attached: rows of a key and a number, the oldest first. The number is
// that of an origin of the session, or from the session's next number on, one of Origins, which the session itself has
// forgotten.
type savedAttached struct {
	Origins []*mcpproxy.Origin `json:"origins,omitempty"`
	Names   []byte             `json:"names,omitempty"`
}

const (
	attachedBytes = keyBytes + 8
	// maxForgotten is the number of origins in a savedAttached. If there are more, the names of the oldest are left
	// out, so that the names take some 40 KB of a snapshot at most.
	maxForgotten = 64
)

// saved returns a copy of the names. s is the session that they belong to.
func (a *attached) saved(s *Session) (out savedAttached) {
	numbers := map[*mcpproxy.Origin]int{} // of origins that the session has forgotten
	for i := len(a.order) - 1; i >= 0; i-- {
		o := a.of[a.order[i]]
		if _, ok := numbers[o.Origin]; ok || s.origins[o.number] == o.Origin || len(out.Origins) == maxForgotten {
			continue
		}
		numbers[o.Origin] = s.next + len(out.Origins)
		out.Origins = append(out.Origins, o.Origin)
	}
	for _, k := range a.order {
		o := a.of[k]
		n, forgotten := numbers[o.Origin]
		if !forgotten {
			if n = o.number; s.origins[n] != o.Origin {
				continue
			}
		}
		out.Names = binary.BigEndian.AppendUint64(append(out.Names, k[:]...), uint64(n))
	}
	return out
}

// load reads what saved has returned for a session that has its origins already.
func (a *attached) load(body []byte, s *Session) error {
	var in savedAttached
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	for ; len(in.Names) >= attachedBytes; in.Names = in.Names[attachedBytes:] {
		n := binary.BigEndian.Uint64(in.Names[keyBytes:])
		o := document{number: int(n)}
		switch forgotten := n - uint64(s.next); {
		case n < uint64(s.next):
			o.Origin = s.origins[o.number]
		case forgotten < uint64(len(in.Origins)):
			o.Origin, o.number = in.Origins[forgotten], -1
		}
		if o.Origin == nil {
			return errors.New("the name of a document has no origin")
		}
		a.put(key(in.Names[:keyBytes]), o, maxAttached)
	}
	if len(in.Names) > 0 {
		return errors.New("the names of documents end within a row")
	}
	return nil
}

// attaches reports whether a path in the arguments leads through a member that names attachments.
func attaches(path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		name, _, _ = strings.Cut(name, "[")
		if slices.Contains(attachmentNames, snake(name)) {
			return true
		}
	}
	return false
}

// baseName returns the last element of a path in lower case, on any operating system. Agents use several paths for one
// file.
func baseName(value string) string {
	return strings.ToLower(value[strings.LastIndexAny(value, `/\`)+1:])
}
