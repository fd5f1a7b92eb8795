package cli

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/wire"
)

// callFlags are the flags of call.
type callFlags struct {
	args, as, reason, justification, destination, sensitivity string
}

func callCommand(g *globals) *cobra.Command {
	f := &callFlags{}
	cmd := &cobra.Command{
		Use:   "call SERVER:TOOL [KEY=VALUE…]",
		Short: "Call a tool once, as an agent would",
		Args:  cobra.MinimumNArgs(1),
		Long: `Calls a tool through the running daemon, the way agents do: the daemon classifies,
decides and records the call like any of theirs. All calls of this command belong to
one session. If a person has to be asked about the call, the command asks on its
terminal; without a terminal, the question goes where an agent's would go.

Arguments are KEY=VALUE, whose type the tool's schema gives, or KEY:=JSON, whose type
the JSON gives. --args takes a JSON object: the object itself, @FILE, or - for standard
input.

The tool's answer goes to standard output, with control characters made visible;
-o json and -o yaml print all of it. The exit code is 1 if the call is stopped or the
tool fails. If the daemon delivers a long answer in pages, the command reads all of them.`,
		Example: `  mcpproxy call files:read_text_file path=/tmp/notes.txt
  mcpproxy call database:query --args '{"table": "customers", "limit": 3}' -o json
  mcpproxy call chat:post_message channel=team text=hello --reason 'to try it out'
  mcpproxy call tracker:create --args @ticket.json priority:=2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.as != "" && !slices.Contains([]string{"read", "write", "destructive"}, f.as) {
				return fmt.Errorf("invalid --as %q: must be read, write or destructive", f.as)
			}
			return runCall(cmd, g, args[0], args[1:], f)
		},
	}
	cmd.Flags().StringVar(&f.args, "args", "", "arguments as a JSON object, @FILE with one, or - for standard input")
	cmd.Flags().
		StringVar(&f.as, "as", "", "what you say the call does: read, write or destructive; what the tool says when empty")
	cmd.Flags().StringVar(&f.reason, "reason", "", "why the call is made, for the log")
	cmd.Flags().StringVar(&f.justification, "flow-justification", "", "why data is sent outside, if it is")
	cmd.Flags().StringVar(&f.destination, "flow-destination-type", "", "who receives the data: internal or external")
	cmd.Flags().
		StringVar(&f.sensitivity, "data-sensitivity", "", "how sensitive the data is: public, internal, private or unknown")
	return cmd
}

func runCall(cmd *cobra.Command, g *globals, name string, pairs []string, f *callFlags) error {
	server, tool, ok := strings.Cut(name, ":")
	if !ok || server == "" || tool == "" {
		return fmt.Errorf("%q is not a tool: write SERVER:TOOL, as listed by `mcpproxy tools list`", name)
	}
	given, err := givenArguments(cmd, f.args)
	if err != nil {
		return err
	}
	tools, err := newToolClient(cmd, g)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	described, err := toolResult(ctx, tools, "describe_tool", wire.Set(nil, wire.Quote(name), "name"))
	if err != nil {
		return err
	}
	if isFailure(described) {
		message := strings.TrimSpace(textOf(described))
		if wire.String(described, "structuredContent", "code") == string(mcpproxy.CodeToolNotFound) {
			message += "\n`mcpproxy tools list` lists the tools, and `mcpproxy upstream list` shows the state of their servers."
		}
		return errors.New(message)
	}
	about := wire.Member(described, "structuredContent")
	arguments, err := withPairs(given, pairs, wire.Member(about, "definition", "inputSchema"))
	if err != nil {
		return err
	}
	through := wire.String(about, "call_with")
	if f.as != "" {
		through = "call_tool_" + f.as
	}
	in := wire.Set(wire.Set(nil, wire.Quote(name), "name"), arguments, "args")
	for key, value := range map[string]string{
		"intent_reason":           f.reason,
		"flow_justification":      f.justification,
		"flow_destination_type":   f.destination,
		"intent_data_sensitivity": f.sensitivity,
	} {
		if value != "" {
			in = wire.Set(in, wire.Quote(value), key)
		}
	}
	result, err := toolResult(ctx, tools, through, in)
	if err != nil {
		return err
	}
	if result, err = allPages(ctx, tools, result); err != nil {
		return err
	}
	return printResult(cmd, g, result)
}

// printResult prints the result of a tool. For a failed call it returns the tool's message as the
// error.
func printResult(cmd *cobra.Command, g *globals, result []byte) error {
	if g.output != "table" {
		if err := g.print(cmd.OutOrStdout(), json.RawMessage(result), nil); err != nil || !isFailure(result) {
			return err
		}
		return exit.With(exit.General, errSilent)
	}
	text := textOf(result)
	if !isFailure(result) {
		_, err := io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		text = "the tool failed without a message"
	}
	if wire.String(result, "structuredContent", "decision") == "" &&
		wire.String(result, "structuredContent", "code") == "" {
		text = "the tool failed: " + text
	}
	return errors.New(text)
}

// isFailure reports whether a result says that the tool failed or was stopped.
func isFailure(result []byte) bool { return string(wire.Member(result, "isError")) == "true" }

// textOf returns a result for people: each part of its content, or else its structured content.
func textOf(result []byte) string {
	var parts []struct {
		Type, Text, Data, MimeType, URI string
		Resource                        struct{ URI, MimeType, Text, Blob string }
	}
	_ = json.Unmarshal(wire.Member(result, "content"), &parts) // content that is not a list is ignored
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Type == "text":
			b.WriteString(plainText(p.Text))
		case p.Type == "resource" && p.Resource.Text != "":
			b.WriteString(plainText(p.Resource.Text))
		case p.Type == "resource":
			b.WriteString(plainText(binary(p.Resource.URI+" "+p.Resource.MimeType, p.Resource.Blob)))
		case p.Type == "resource_link":
			b.WriteString(plainText(p.URI))
		default:
			b.WriteString(plainText(binary(p.Type+" "+p.MimeType, p.Data)))
		}
	}
	if structured := wire.Member(result, "structuredContent"); b.Len() == 0 && structured != nil {
		return plainText(string(structured))
	}
	return b.String()
}

// binary is printed instead of binary content, which a terminal cannot display.
func binary(what, data string) string {
	return fmt.Sprintf("[%s, %d bytes; -o json prints them]", what, base64.StdEncoding.DecodedLen(len(data)))
}

// plainText makes each line of a text safe to print and keeps tabs. It ends the last line with a
// line break.
func plainText(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		for _, r := range strings.TrimRight(line, "\r\n") {
			if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				r = '·'
			}
			b.WriteRune(r)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// givenArguments returns the object of --args, or {}.
func givenArguments(cmd *cobra.Command, given string) ([]byte, error) {
	raw, err := []byte(given), error(nil)
	switch file, isFile := strings.CutPrefix(given, "@"); {
	case given == "":
		return []byte("{}"), nil
	case given == "-":
		raw, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxArguments))
	case isFile:
		raw, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("--args: %w", err)
	}
	raw = []byte(strings.TrimSpace(string(raw)))
	if _, err := wire.Members(raw); err != nil {
		return nil, fmt.Errorf("--args: not a JSON object: %w", err)
	}
	return raw, nil
}

// maxArguments is the maximum size of a request, in bytes.
const maxArguments = 16 << 20

// withPairs adds KEY=VALUE and KEY:=JSON to arguments. The schema determines the type of the value
// of KEY; without it, the value is a string.
func withPairs(arguments []byte, pairs []string, schema []byte) ([]byte, error) {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || key == ":" {
			return nil, fmt.Errorf("%q is not an argument: write KEY=VALUE or KEY:=JSON", pair)
		}
		key, isJSON := strings.CutSuffix(key, ":")
		if wire.Member(arguments, key) != nil {
			return nil, fmt.Errorf("the argument %q is given twice", key)
		}
		raw := []byte(value)
		if !isJSON {
			var err error
			if raw, err = valueFor(key, value, wire.Member(schema, "properties", key)); err != nil {
				return nil, err
			}
		} else if !json.Valid(raw) {
			return nil, fmt.Errorf("%s: %q is not valid JSON; to pass a string, write %s=VALUE", key, value, key)
		}
		arguments = wire.Set(arguments, raw, key)
	}
	return arguments, nil
}

// valueFor returns a value as JSON, of the type that a schema requires.
func valueFor(key, value string, schema []byte) ([]byte, error) {
	var kinds []string
	switch kind := wire.Member(schema, "type"); {
	case kind == nil:
		return wire.Quote(value), nil
	case kind[0] == '"':
		kinds = []string{wire.String(schema, "type")}
	default:
		_ = json.Unmarshal(kind, &kinds) // a malformed type requires nothing
	}
	if len(kinds) == 0 || slices.Contains(kinds, "string") {
		return wire.Quote(value), nil
	}
	if json.Valid([]byte(value)) && slices.ContainsFunc(kinds, func(k string) bool { return isKind(value, k) }) {
		return []byte(value), nil
	}
	return nil, fmt.Errorf("%s: %q does not match the type %s", key, value, strings.Join(kinds, " or "))
}

// isKind reports whether a JSON value is of a type in a schema.
func isKind(value, kind string) bool {
	first := strings.TrimSpace(value)[0]
	switch kind {
	case "object":
		return first == '{'
	case "array":
		return first == '['
	case "boolean":
		return first == 't' || first == 'f'
	case "null":
		return first == 'n'
	case "number", "integer":
		return first == '-' || first >= '0' && first <= '9'
	}
	return false
}
