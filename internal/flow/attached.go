package flow

import (
	"cmp"
	"slices"
	"strings"

	"mcpproxy"
)

// attached records the names under which a session has read its documents: the path of a file, the id of a document. A
// message that names one of them as its attachment carries that document, although the call contains no word of it.
// The names are kept in memory only.
type attached struct {
	table[*mcpproxy.Origin]
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
func (a *attached) learn(p Transfer, o *mcpproxy.Origin) {
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
			From:       *o,
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

// absorb adds the names that another session recorded.
func (a *attached) absorb(from *attached) {
	for _, k := range from.order {
		if !a.has(k) {
			a.put(k, from.of[k], maxAttached)
		}
	}
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
