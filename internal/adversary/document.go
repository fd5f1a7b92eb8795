package adversary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxDepth is the maximum nesting of a YAML file.
const maxDepth = 100

// decodeStrict reads one YAML document. An unknown key, a second document or an empty file is an error that names the
// line.
func decodeStrict(raw []byte, v any) error {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(v); errors.Is(err, io.EOF) {
		return errors.New("the file is empty")
	} else if err != nil {
		return err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("the file holds more than one document")
	}
	return nil
}

// ordered is a YAML value converted to JSON. Its members have the order of the file.
type ordered json.RawMessage

// UnmarshalYAML converts a node. Aliases, duplicate keys and keys that are not strings are errors.
func (o *ordered) UnmarshalYAML(n *yaml.Node) error {
	var b bytes.Buffer
	if err := writeNode(&b, n, 0); err != nil {
		return err
	}
	*o = b.Bytes()
	return nil
}

func writeNode(b *bytes.Buffer, n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("line %d: nested too deep", n.Line)
	}
	switch n.Kind {
	case yaml.MappingNode:
		return writeMapping(b, n, depth)
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeNode(b, item, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		var v any
		if err := n.Decode(&v); err != nil {
			return err
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		b.Write(raw)
		return nil
	}
	return fmt.Errorf("line %d: aliases are not allowed", n.Line)
}

func writeMapping(b *bytes.Buffer, n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	b.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return fmt.Errorf("line %d: a key must be a string", key.Line)
		}
		if seen[key.Value] {
			return fmt.Errorf("line %d: the key %q appears twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(key.Value))
		b.WriteByte(':')
		if err := writeNode(b, n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in order.
func members(object json.RawMessage) []member {
	dec := json.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	var all []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return all
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return all
		}
		all = append(all, member{key.(string), value})
	}
	return all
}

// object returns a JSON object with the given members.
func object(all []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, encode(m.name)...), ':'), m.value...)
	}
	return append(b, '}')
}
