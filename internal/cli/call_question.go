package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/wire"
)

// newToolClient returns a client of the running daemon that can ask the person at the terminal, if
// there is one.
func newToolClient(cmd *cobra.Command, g *globals) (*remote.ToolClient, error) {
	c, err := newClient(g)
	if err != nil {
		return nil, err
	}
	key, err := remote.AgentKey(c)
	if err != nil {
		return nil, err
	}
	if !term.OnTerminal() {
		return remote.NewToolClient(c, key, nil), nil
	}
	return remote.NewToolClient(c, key, questioner{term.AskerOf(cmd)}.elicit), nil
}

// toolResult calls a tool and returns its result. The message of an error is safe for a terminal.
func toolResult(ctx context.Context, t *remote.ToolClient, tool string, arguments []byte) ([]byte, error) {
	result, err := t.Call(ctx, tool, arguments)
	var answer *remote.AnswerError
	if errors.As(err, &answer) {
		return nil, errors.New(term.Plain(answer.Message))
	}
	return result, err
}

// questioner passes questions of the daemon to the person at the terminal.
type questioner struct {
	person *term.Asker
}

// elicit asks a yes-or-no question, and after a yes for the values in the question's schema. Any
// other answer means no.
func (q questioner) elicit(ctx context.Context, params []byte) ([]byte, error) {
	agreed, err := q.person.Yes(ctx, plainText(wire.String(params, "message")))
	if err != nil {
		return nil, err
	}
	if !agreed {
		return []byte(`{"action":"decline"}`), nil
	}
	content := []byte("{}")
	properties, _ := wire.Members(wire.Member(params, "requestedSchema", "properties")) // may be missing
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		fmt.Fprintf(q.person.Say, "%s%s: ", term.Plain(name), choices(properties[name]))
		said, err := q.person.Line(ctx)
		if err != nil {
			return nil, err
		}
		if said == "" {
			continue
		}
		value, err := valueFor(term.Plain(name), said, properties[name])
		if err != nil {
			return nil, err
		}
		content = wire.Set(content, value, name)
	}
	return wire.Set([]byte(`{"action":"accept"}`), json.RawMessage(content), "content"), nil
}

// choices returns the allowed values of a property in brackets, or "" if the schema does not
// restrict them.
func choices(schema []byte) string {
	var s struct{ Enum []string }
	if json.Unmarshal(schema, &s) != nil || len(s.Enum) == 0 {
		return ""
	}
	return " (" + term.Plain(strings.Join(s.Enum, ", ")) + ")"
}
