package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// made are the things that a session itself has created, by the names that its calls gave them and by those that
// the results have for them. To delete one of them destroys nothing that was there before.
type made struct {
	table[struct{}]
}

const (
	maxMade     = 1 << 12 // things of one session
	maxMadeName = 200     // bytes of a name
	minMadeName = 2
	maxMadeDeep = 2 // members above the name of a thing in a result
)

// Parameters and members that name one thing, and those that name what it lies in.
var (
	thingNames = strings.Fields(`id key path file_path filepath filename file name branch tag number record record_id uri url
		document_id message_id event_id task_id page_id comment_id draft_id item_id issue_id row_id rule_id permission permission_id`)
	placeNames = strings.Fields(`repo repository owner org organization project workspace zone zone_id calendar calendar_id bucket
		namespace database table folder folder_id channel channel_id parent parent_id account region cluster host server user`)
)

// learn notes what a call has created, once its result is there.
func (m *made) learn(p Transfer) {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectCreate || p.Failed {
		return
	}
	for part, name := range thingsIn(p.Doc) {
		if name == "error" {
			return // the server says in its own words that it has created nothing
		}
		if strings.Count(p.Doc.Path(p.Doc.Parts[part]), ".") <= maxMadeDeep {
			m.note(p, p.Doc.Parts[part].Text, name)
		}
	}
	if p.Arguments == nil {
		return
	}
	for part, name := range thingsIn(p.Arguments) {
		m.note(p, p.Arguments.Parts[part].Text, name)
	}
}

func (m *made) note(p Transfer, value, name string) {
	if isThing(name) && len(value) >= minMadeName && len(value) <= maxMadeName {
		m.put(m.key(p, value), struct{}{}, maxMade)
	}
}

// key stands for a thing of a server's. One server says nothing of another's.
func (m *made) key(p Transfer, value string) key {
	return keyOf(inMade, p.Call.Server+"\x00"+strings.ToLower(strings.TrimSpace(value)))
}

// holds reports whether a call names such a thing, and nothing else that could be what it deletes.
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

// isThing reports whether a parameter or a member names one thing.
func isThing(name string) bool {
	return slices.Contains(thingNames, name) || strings.HasSuffix(name, "_id") && !slices.Contains(placeNames, name)
}

// thingsIn yields the values of a document with the names of their parameters or members, as in message_id.
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

// snake is a name such as messageId as message_id.
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

// ownBytes is the memory that what the session knows of its own acts takes, on average.
func (s *Session) ownBytes() int {
	const row = 80
	return row * (len(s.made.of) + len(s.handed.of))
}
