package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// made records the objects that a session created, by kind and by the names in its calls or the ids in the results.
// Deleting such an object only undoes what the session did.
type made struct {
	table[struct{}]
}

const (
	maxMade     = 1 << 12 // objects of one session
	maxMadeName = 200     // bytes of a name
	minMadeName = 2
)

// Verbs of tools that create an object, and of tools that delete one. The other words of a tool's name are the kind of
// the object. The kind matters, because a comment and an issue may have the same id.
var (
	makingVerbs   = strings.Fields("create add new make mkdir write draft generate insert schedule book upload")
	deletingVerbs = strings.Fields("delete remove destroy drop purge erase trash discard cancel revoke rm rmdir unlink")
)

// Parameters with the name of the object that a call creates, parameters with the one object that a call deletes, and
// parameters with the object's container.
var (
	givenNames = strings.Fields("path file_path filepath filename file name branch tag key")
	thingNames = append(strings.Fields("id number record uri url"), givenNames...)
	placeNames = strings.Fields(`repo repository owner org organization project workspace zone zone_id calendar calendar_id bucket
		namespace database table folder folder_id channel channel_id parent parent_id account region cluster host server user`)
)

// learn records the object that a call has created, once its result has arrived.
func (m *made) learn(p Transfer) {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectCreate || p.Failed ||
		!slices.ContainsFunc(p.Act.Words, isMaking) {
		return
	}
	for part, name := range thingsIn(p.Doc) {
		if name == "error" {
			return // the server reports in prose that it created nothing
		}
		own := strings.Count(p.Doc.Path(p.Doc.Parts[part]), ".") == 1 // the id of the result itself
		if own && (name == "id" || isIDOf(p.Act.Words, name)) {
			m.note(p, p.Doc.Parts[part].Text)
		}
	}
	if p.Arguments == nil {
		return
	}
	for part, name := range thingsIn(p.Arguments) {
		if slices.Contains(givenNames, name) {
			m.note(p, p.Arguments.Parts[part].Text)
		}
	}
}

func (m *made) note(p Transfer, value string) {
	if len(value) >= minMadeName && len(value) <= maxMadeName {
		m.put(m.key(p, value), struct{}{}, maxMade)
	}
}

// isIDOf reports whether a member is the id of an object whose kind is a word of the tool's name, such as draft_id for
// create_draft.
func isIDOf(words []string, name string) bool {
	kind, ok := strings.CutSuffix(name, "_id")
	return ok && slices.Contains(words, kind)
}

func isMaking(word string) bool { return slices.Contains(makingVerbs, word) }

// key returns the key of an object. It depends on the server and on the kind of the object.
func (m *made) key(p Transfer, value string) key {
	isVerb := func(w string) bool { return isMaking(w) || slices.Contains(deletingVerbs, w) }
	kind := slices.DeleteFunc(slices.Clone(p.Act.Words), isVerb)
	return keyOf(inMade, p.Call.Server+"\x00"+strings.Join(kind, " ")+"\x00"+strings.ToLower(strings.TrimSpace(value)))
}

// holds reports whether the session created the object that a call deletes. It returns false if the call also names an
// object that the session did not create, because the call may delete that one. The names of containers do not count.
func (m *made) holds(p Transfer) bool {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectDelete || len(m.of) == 0 {
		return false
	}
	named := 0
	for part, name := range thingsIn(p.Doc) {
		if slices.Contains(placeNames, name) {
			continue
		}
		known := m.has(m.key(p, p.Doc.Parts[part].Text))
		if !known && isThing(name) {
			return false
		}
		if known {
			named++
		}
	}
	return named > 0
}

// isThing reports whether a parameter names one object.
func isThing(name string) bool {
	return slices.Contains(thingNames, name) || strings.HasSuffix(name, "_id") && !slices.Contains(placeNames, name)
}

// thingsIn yields the values of a document with the names of their parameters or members, such as message_id.
func thingsIn(doc *text.Document) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for i, part := range doc.Parts {
			if part.Kind == text.Key || part.Opened() {
				continue
			}
			if !yield(i, snake(doc.Field(part))) {
				return
			}
		}
	}
}

// snake converts a name such as messageId to message_id.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ownBytes estimates the memory of the objects that the session created and of the values that it sent.
func (s *Session) ownBytes() int {
	const row = 80
	return row*(len(s.made.of)+len(s.handed.of)+len(s.attached.of)) + s.concerns.bytes()
}
