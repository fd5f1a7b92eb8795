package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
)

// Error is a mistake in a configuration file, with its position.
type Error struct {
	File string
	Line int // 0 if unknown
	Msg  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Load reads, resolves and validates the file at path, and runs the commands in its references. It
// returns an [atomicfile.AccessError] if other users can change the file or a file that a reference
// names, because they could then choose what is run and where secrets go. It stops when ctx ends.
//
// On a managed machine the result is restricted by the machine's bundle; see [WithBundle].
func Load(ctx context.Context, path string) (*Config, error) { return load(ctx, path, true) }

// Check does the same as [Load], but runs no command: references to commands stay unresolved in the
// result. It is used for files from untrusted sources.
func Check(ctx context.Context, path string) (*Config, error) { return load(ctx, path, false) }

func load(ctx context.Context, path string, run bool) (*Config, error) {
	raw, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.CheckWriters(path); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	r := &resolver{}
	if run {
		limits := secretsIn(raw)
		r.run = &limits
	}
	lookup := func(kind, name string) (string, error) { return r.lookup(ctx, kind, name) }
	c, err := parse(path, raw, lookup, !run)
	if err != nil {
		return nil, interrupted(ctx, r.hide(err))
	}
	if c.APIKey != "" {
		r.expose(path)
	}
	slices.Sort(r.exposed)
	c.Exposed = slices.Compact(r.exposed)
	return manage(ctx, c, raw)
}

// interrupted returns the cause of ctx's end if that is why a configuration could not be read.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("reading the configuration: %w", ctx.Err())
	}
	return err
}

// ReadFile returns the content of a configuration file, which is a regular file of at
// most 4 MB.
func ReadFile(path string) ([]byte, error) { return readFile(context.Background(), path) }

func readFile(ctx context.Context, path string) ([]byte, error) {
	raw, err := atomicfile.Read(ctx, path, fileLimits)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return raw, nil
}

// Parse reads a configuration. Lookup resolves ${…} references; if it is nil, they stay unresolved.
// The value of an unresolved reference to a command is not validated.
func Parse(file string, raw []byte, lookup func(kind, name string) (string, error)) (*Config, error) {
	return parse(file, raw, lookup, true)
}

// parse is [Parse]. If unrun is set, references to commands stay unresolved.
func parse(
	file string,
	raw []byte,
	lookup func(kind, name string) (string, error),
	unrun bool,
) (*Config, error) {
	var opts []json.Options
	if lookup != nil {
		opts = append(opts, expanding(lookup))
	}
	c, standard, err := decode(file, raw, opts...)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil && !(unrun && strings.Contains(err.Error(), "${"+commandKind+":")) {
		return nil, locate(file, standard, err)
	}
	return c, nil
}

// decode reads a configuration without validating its values. Standard is the file without
// comments, with the same lines.
func decode(file string, raw []byte, opts ...json.Options) (c *Config, standard []byte, err error) {
	standard, err = hujson.Standardize(bytes.Clone(whole(raw))) // comments become blanks: offsets stay
	if err != nil {
		return nil, nil, &Error{file, 0, strings.TrimPrefix(err.Error(), "hujson: ")}
	}
	c = Default()
	if err := refuseNull(file, standard); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(standard, c, append(opts, json.RejectUnknownMembers(true))...); err != nil {
		return nil, nil, explain(file, standard, err)
	}
	return c, standard, nil
}

// refuseNull refuses null, because null would silently disable a default.
func refuseNull(file string, raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil // the end, or an error that the main decoder reports
		}
		if tok.Kind() == 'n' {
			path := strings.ReplaceAll(strings.TrimPrefix(string(dec.StackPointer()), "/"), "/", ".")
			return &Error{
				file,
				1 + bytes.Count(raw[:dec.InputOffset()], []byte("\n")),
				path + ": null is not allowed; leave the key out to use its default",
			}
		}
	}
}

// whole turns a file that is empty or contains only comments into a JSON document.
func whole(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // remove the byte order mark of some editors
	if _, err := hujson.Parse(bytes.Clone(raw)); err != nil {
		if some := append(bytes.Clone(raw), "{}\n"...); isObject(some) {
			return some
		}
	}
	return raw
}

func isObject(raw []byte) bool {
	v, err := hujson.Parse(bytes.Clone(raw))
	return err == nil && v.Value.Kind() == '{'
}

// expanding resolves references in every decoded string.
func expanding(lookup func(kind, name string) (string, error)) json.Options {
	return json.WithUnmarshalers(
		json.JoinUnmarshalers(expandingIn[string](lookup), expandingIn[mcpproxy.Decision](lookup),
			expandingIn[mcpproxy.Side](lookup), expandingIn[mcpproxy.Severity](lookup)),
	)
}

func expandingIn[T ~string](lookup func(kind, name string) (string, error)) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *T) error {
		if dec.PeekKind() != '"' {
			return errors.ErrUnsupported
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		at := dec.StackPointer()
		s, err := expand(tok.String(), func(kind, name string) (string, error) {
			if kind == commandKind && slices.Contains(clientKeys, at) {
				return "", errNotByCommand
			}
			return lookup(kind, name)
		})
		*v = T(s)
		return err
	})
}

// explain turns a decoder's error into one with the line, the key and what to do.
func explain(file string, raw []byte, err error) error {
	line := func(offset int64) int { return 1 + bytes.Count(raw[:min(int(offset), len(raw))], []byte("\n")) }
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at := e.ByteOffset
		msg := e.Err.Error()
		if errors.Is(err, jsontext.ErrDuplicateName) {
			msg = fmt.Sprintf("the key %q appears twice", e.JSONPointer.LastToken())
			at = lastKey(raw, e.JSONPointer.LastToken(), at)
		}
		return &Error{file, line(at), msg}
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return &Error{file, 0, err.Error()}
	}
	path := strings.ReplaceAll(strings.TrimPrefix(string(e.JSONPointer), "/"), "/", ".")
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return &Error{file, line(keyOffset(raw, e)), unknownKey(path)}
	case path == "":
		return &Error{
			file,
			line(e.ByteOffset),
			fmt.Sprintf("the file must be an object, not a JSON %v", kindName(e.JSONKind)),
		}
	case e.Err != nil:
		return &Error{file, line(e.ByteOffset), fmt.Sprintf("%s: %v", path, e.Err)}
	}
	return &Error{
		file,
		line(e.ByteOffset),
		fmt.Sprintf("%s: got a JSON %v, want %v", path, kindName(e.JSONKind), e.GoType),
	}
}

// keyOffset returns the position of the unknown key of e. The decoder's own position is at or
// before it.
func keyOffset(raw []byte, e *json.SemanticError) int64 {
	name, _ := jsontext.AppendQuote(nil, e.JSONPointer.LastToken())
	if i := bytes.Index(raw[min(int(e.ByteOffset), len(raw)):], name); i >= 0 {
		return e.ByteOffset + int64(i)
	}
	return e.ByteOffset
}

func lastKey(raw []byte, key string, from int64) int64 {
	name, _ := jsontext.AppendQuote(nil, key)
	if i := bytes.Index(raw[min(int(from), len(raw)):], name); i >= 0 {
		return from + int64(i)
	}
	return from
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "null"
}

// At adds the file and the line of a key to an error about the key's value. It is for errors that
// are found after the file was read. It returns err unchanged if the file cannot be read.
func At(file, key string, err error) error {
	raw, failed := ReadFile(file)
	if failed != nil {
		return err
	}
	return &Error{file, lineOf(raw, key), err.Error()}
}

// locate adds the line to an error that names a key.
func locate(file string, raw []byte, err error) error {
	e, ok := errors.AsType[*valueError](err)
	if !ok {
		return &Error{file, 0, err.Error()}
	}
	return &Error{file, lineOf(raw, e.key), err.Error()}
}

// lineOf returns the line of a key, or of its nearest existing parent.
func lineOf(raw []byte, key string) int {
	at := 0
	steps := strings.Split(key, ".")
	for len(steps) > 0 {
		n := len(steps) // a name may contain dots, so try the longest name first
		for ; n > 0; n-- {
			name, _ := jsontext.AppendQuote(nil, strings.Join(steps[:n], "."))
			if i := bytes.Index(raw[at:], name); i >= 0 {
				at += i
				break
			}
		}
		steps = steps[max(n, 1):]
	}
	return 1 + bytes.Count(raw[:at], []byte("\n"))
}
