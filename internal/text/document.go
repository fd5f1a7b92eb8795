package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxDepth is the deepest nesting of arrays and objects that is read.
	MaxDepth = 1000
	// MaxNested is how many levels of JSON inside strings are opened.
	MaxNested = 3
	// minNumber is the length from which a number can identify something.
	minNumber = 5
)

// Kind says what a part was in its JSON value.
type Kind uint8

// The kinds of part.
const (
	Value  Kind = iota // a string
	Key                // an object member's name
	Number             // a number of at least five characters, as written
)

// Part is one string of a document.
type Part struct {
	Text  string
	Kind  Kind
	node  int32
	ascii bool // plain ASCII: its own normal form
}

// Document is a parsed JSON value: its parts in reading order.
type Document struct {
	Parts []Part
	Bytes int // length of the raw value

	root  string
	nodes []node
}

// node is one step of a JSON path. Paths are spelled out only when asked for.
type node struct {
	parent int32
	index  int32  // array index, or -1
	name   string // object member
}

// Parse reads raw, the JSON value that paths call root. Empty input is a
// document without parts.
func Parse(raw []byte, root string) (*Document, error) {
	d := &Document{root: root, Bytes: len(raw), nodes: make([]node, 1, 16)}
	d.nodes[0] = node{parent: -1, index: -1}
	if len(bytes.TrimSpace(raw)) == 0 {
		return d, nil
	}
	return d, d.parse(raw, 0, 0)
}

// parse adds the parts of raw below the node at.
func (d *Document) parse(raw []byte, at int32, nested int, opts ...jsontext.Options) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), opts...)
	w := walker{d: d, nested: nested, stack: []frame{{node: at, leaf: at}}}
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			if w.done && err == io.EOF {
				return nil
			}
			return fmt.Errorf("not valid JSON: %w", shorten(err))
		}
		if w.done {
			return errors.New("more than one JSON value")
		}
		if err := w.take(tok); err != nil {
			return err
		}
		if len(w.stack)-1 > MaxDepth {
			return fmt.Errorf("nested more than %d levels deep", MaxDepth)
		}
	}
}

func shorten(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("byte %d: %w", e.ByteOffset, e.Err)
	}
	return err
}

// frame is an open array or object.
type frame struct {
	node   int32 // the container itself
	leaf   int32 // the node of the member or item being read
	object bool
	inName bool // the next string is a member's name
	index  int32
}

// walker follows the tokens of one JSON value.
type walker struct {
	d      *Document
	nested int
	stack  []frame
	done   bool
}

func (w *walker) take(tok jsontext.Token) error {
	top := &w.stack[len(w.stack)-1]
	kind := tok.Kind()
	if top.object && top.inName && kind == '"' {
		name := tok.String()
		top.leaf = w.d.node(node{parent: top.node, index: -1, name: name})
		w.d.Parts = append(w.d.Parts, Part{Text: name, Kind: Key, node: top.leaf, ascii: isASCII(name)})
		top.inName = false
		return nil
	}
	switch kind {
	case '}', ']':
		w.stack = w.stack[:len(w.stack)-1]
		w.next()
		return nil
	}
	if !top.object && len(w.stack) > 1 {
		top.leaf = w.d.node(node{parent: top.node, index: top.index})
		top.index++
	}
	switch kind {
	case '{', '[':
		w.stack = append(w.stack, frame{node: top.leaf, leaf: top.leaf, object: kind == '{', inName: kind == '{'})
		return nil
	case '"':
		s := tok.String()
		w.d.Parts = append(w.d.Parts, Part{Text: s, node: top.leaf, ascii: isASCII(s)})
		w.d.open(s, top.leaf, w.nested)
	case '0':
		if s := tok.String(); len(s) >= minNumber {
			w.d.Parts = append(w.d.Parts, Part{Text: s, Kind: Number, node: top.leaf, ascii: true})
		}
	}
	w.next()
	return nil
}

// next is called after each complete value.
func (w *walker) next() {
	top := &w.stack[len(w.stack)-1]
	top.inName = top.object
	w.done = len(w.stack) == 1
}

// open adds the parts of JSON found inside the string s. What is no JSON after
// all stays an ordinary string: parts read until the mistake are kept, since a
// laxer reader might see them.
func (d *Document) open(s string, at int32, nested int) {
	t := strings.TrimSpace(s)
	if nested >= MaxNested || len(t) < 2 || (t[0] != '{' && t[0] != '[') {
		return
	}
	_ = d.parse([]byte(t), at, nested+1, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func (d *Document) node(n node) int32 {
	d.nodes = append(d.nodes, n)
	return int32(len(d.nodes) - 1)
}

// Path is the JSON path of p, such as "arguments.items[2].text".
func (d *Document) Path(p Part) string {
	return d.PathWith(p, func(name string) string { return name })
}

// PathWith is the path of p with every member name as show gives it.
func (d *Document) PathWith(p Part, show func(name string) string) string {
	var steps []node
	for at := p.node; at > 0; at = d.nodes[at].parent {
		steps = append(steps, d.nodes[at])
	}
	var b strings.Builder
	b.WriteString(d.root)
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].index >= 0 {
			b.WriteString("[" + strconv.Itoa(int(steps[i].index)) + "]")
			continue
		}
		writeName(&b, show(steps[i].name))
	}
	return b.String()
}

// writeName writes one member name of a path, quoted when it is no identifier.
func writeName(b *strings.Builder, name string) {
	plain := name != ""
	for i := 0; plain && i < len(name); i++ {
		c := name[i]
		plain = c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	if plain {
		b.WriteString("." + name)
		return
	}
	b.WriteString("[" + strconv.QuoteToASCII(name) + "]")
}

// Field is the name of the innermost object member that p stands under; ""
// when there is none.
func (d *Document) Field(p Part) string {
	for at := p.node; at > 0; at = d.nodes[at].parent {
		if d.nodes[at].index < 0 {
			return d.nodes[at].name
		}
	}
	return ""
}
