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

// Kind is the kind of definition of a [ToolView].
type Kind string

// The kinds of definition. An empty kind means a tool.
const (
	KindTool         Kind = "tool"
	KindPrompt       Kind = "prompt"
	KindInstructions Kind = "instructions" // a server's description of itself when a client connects
)

// ToolView is a read-only projection of one definition that a server declares.
type ToolView struct {
	Server                                        string
	Kind                                          Kind
	Name                                          string
	Title                                         string
	Description                                   string // as declared
	InputSchema, OutputSchema, Annotations, Icons json.RawMessage

	// Raw is the whole definition as declared, in which the checks also read members without a field here. If it is
	// nil, the fields are used.
	Raw json.RawMessage

	kept *kept
}

// kept holds results that are computed once for a definition.
type kept struct {
	normal  func() string
	reading func() *parsedDefinition
	print   func() *print
}

// FromTool parses an entry of tools/list. It returns an error if it is not known how a client will read the
// definition: it is not a JSON object, repeats a member or has no name. Such a tool should not be passed on.
func FromTool(server string, raw json.RawMessage) (ToolView, error) {
	return from(server, KindTool, raw)
}

// FromPrompt parses an entry of prompts/list; see [FromTool]. A prompt's arguments are used as the input schema.
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

// FromInstructions returns a view of a server's description of itself.
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
	members := map[string]json.RawMessage{} // exact names: a client does not read "Name" as "name"
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

// present returns raw, or nil if raw is empty or null.
func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return nil
	}
	return raw
}

// keep allocates the cache for computed results.
func (t *ToolView) keep() {
	own := *t
	own.kept = nil
	t.kept = &kept{
		normal:  sync.OnceValue(func() string { return normalized(&own) }),
		reading: sync.OnceValue(func() *parsedDefinition { return parseDefinition(&own) }),
		print:   sync.OnceValue(func() *print { p := printOf(&own); return &p }),
	}
}

// kind returns the kind in its explicit form.
func (t *ToolView) kind() Kind {
	if t.Kind == "" {
		return KindTool
	}
	return t.Kind
}

// NormalizedText returns the definition's description and the texts of its schema in normal form, one on each line.
// The result is cached for a view that a function of this package made.
func (t *ToolView) NormalizedText() string {
	if t.kept == nil {
		t.keep()
	}
	return t.kept.normal()
}

// read returns the parsed definition, which several checks share.
func (t *ToolView) read() *parsedDefinition {
	if t.kept == nil {
		t.keep()
	}
	return t.kept.reading()
}

// print returns the fingerprint of the definition.
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

// declared returns the definition as JSON.
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
