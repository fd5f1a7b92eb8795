package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mcpproxy/internal/text"
)

// Kind says what sort of definition a [ToolView] shows.
type Kind string

// The kinds of definition. An empty kind means a tool.
const (
	KindTool         Kind = "tool"
	KindPrompt       Kind = "prompt"
	KindInstructions Kind = "instructions" // what a server says about itself when a client connects
)

// ToolView is a read-only projection of one definition that a server declares.
type ToolView struct {
	Server                                        string
	Kind                                          Kind
	Name                                          string
	Title                                         string
	Description                                   string // as declared
	InputSchema, OutputSchema, Annotations, Icons json.RawMessage

	// Raw is the whole definition as declared, from which the checks also read
	// what has no field here. If it is nil, the fields stand for it.
	Raw json.RawMessage

	kept *kept
}

// kept holds results that are computed once for a definition.
type kept struct {
	normal  func() string
	reading func() *parsedDefinition
	print   func() *print
}

// FromTool reads an entry of tools/list. An error means that nobody can say how
// a client will read the definition: it is no JSON object, names a member
// twice or has no name. Such a tool should not be passed on.
func FromTool(server string, raw json.RawMessage) (ToolView, error) {
	return from(server, KindTool, raw)
}

// FromPrompt reads an entry of prompts/list; see [FromTool]. A prompt's
// arguments stand in the place of the input schema.
func FromPrompt(server string, raw json.RawMessage) (ToolView, error) {
	v, err := from(server, KindPrompt, raw)
	if err == nil {
		var more struct{ Arguments json.RawMessage }
		if err = json.Unmarshal(raw, &more); err == nil {
			v.InputSchema = present(more.Arguments)
		}
	}
	return v, err
}

// FromInstructions makes a view of what a server says about itself.
func FromInstructions(server, instructions string) ToolView {
	v := ToolView{
		Server:      server,
		Kind:        KindInstructions,
		Name:        string(KindInstructions),
		Description: instructions,
	}
	v.keep()
	return v
}

func from(server string, kind Kind, raw json.RawMessage) (ToolView, error) {
	if _, err := text.Parse(raw, ""); err != nil {
		return ToolView{}, fmt.Errorf("the %s definition cannot be read: %w", kind, err)
	}
	if head := bytes.TrimLeft(raw, " \t\r\n"); len(head) == 0 || head[0] != '{' {
		return ToolView{}, fmt.Errorf("the %s definition is not a JSON object", kind)
	}
	members := map[string]json.RawMessage{} // exact names: a client does not take "Name" for "name"
	if err := json.Unmarshal(raw, &members); err != nil {
		return ToolView{}, fmt.Errorf("the %s definition cannot be read: %w", kind, err)
	}
	v := ToolView{
		Server:       server,
		Kind:         kind,
		Raw:          raw,
		InputSchema:  present(members["inputSchema"]),
		OutputSchema: present(members["outputSchema"]),
		Annotations:  present(members["annotations"]),
		Icons:        present(members["icons"]),
	}
	for _, m := range []struct {
		name  string
		field *string
	}{{"name", &v.Name}, {"title", &v.Title}, {"description", &v.Description}} {
		if value := present(members[m.name]); value != nil {
			if err := json.Unmarshal(value, m.field); err != nil {
				return ToolView{}, fmt.Errorf("the %s of the %s definition is not a string", m.name, kind)
			}
		}
	}
	if v.Name == "" {
		return ToolView{}, errors.New("the " + string(kind) + " definition has no name")
	}
	v.keep()
	return v, nil
}

// present is raw unless it is empty or null.
func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return nil
	}
	return raw
}

// keep makes room for what is worked out once.
func (t *ToolView) keep() {
	own := *t
	own.kept = nil
	t.kept = &kept{
		normal:  sync.OnceValue(func() string { return normalized(&own) }),
		reading: sync.OnceValue(func() *parsedDefinition { return parseDefinition(&own) }),
		print:   sync.OnceValue(func() *print { p := printOf(&own); return &p }),
	}
}

// kind is the kind, spelled out.
func (t *ToolView) kind() Kind {
	if t.Kind == "" {
		return KindTool
	}
	return t.Kind
}

// NormalizedText is the definition's description and the texts of its schema in
// normal form, one per line. It is worked out once for a view that was made by
// one of this package's functions.
func (t *ToolView) NormalizedText() string {
	if t.kept == nil {
		t.keep()
	}
	return t.kept.normal()
}

// read is the definition with everything that several checks need of it.
func (t *ToolView) read() *parsedDefinition {
	if t.kept == nil {
		t.keep()
	}
	return t.kept.reading()
}

// print is what the definition is recognised by.
func (t *ToolView) print() *print {
	if t.kept == nil {
		t.keep()
	}
	return t.kept.print()
}

func normalized(t *ToolView) string {
	lines := []string{text.NormalForm(t.Description)}
	for _, schema := range []json.RawMessage{t.InputSchema, t.OutputSchema} {
		d, err := text.Parse(schema, "")
		if err != nil {
			continue
		}
		for _, p := range d.Parts {
			if p.Kind == text.Value && strings.Contains(p.Text, " ") {
				lines = append(lines, p.Normal())
			}
		}
	}
	return strings.Join(lines, "\n")
}

// declared is the definition as JSON.
func (t *ToolView) declared() (json.RawMessage, error) {
	if t.Raw != nil {
		return t.Raw, nil
	}
	schema := "inputSchema"
	if t.Kind == KindPrompt {
		schema = "arguments"
	}
	if t.Kind == KindInstructions {
		return json.RawMessage(`{"instructions":` + string(text.Quote(t.Description)) + `}`), nil
	}
	var b bytes.Buffer
	b.WriteString(`{"name":`)
	b.Write(text.Quote(t.Name))
	for _, m := range []struct{ name, value string }{{"title", t.Title}, {"description", t.Description}} {
		if m.value != "" {
			fmt.Fprintf(&b, `,%q:%s`, m.name, text.Quote(m.value))
		}
	}
	for _, m := range []struct {
		name string
		raw  json.RawMessage
	}{{schema, t.InputSchema}, {"outputSchema", t.OutputSchema}, {"annotations", t.Annotations}, {"icons", t.Icons}} {
		if value := present(m.raw); value != nil {
			fmt.Fprintf(&b, `,%q:%s`, m.name, value)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
