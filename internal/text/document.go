package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxDepth is the maximum nesting of arrays and objects.
	MaxDepth = 1000
	// MaxNested is the maximum nesting of JSON inside strings that is parsed.
	MaxNested = 3
	// minNumber is the minimum length of a number that can identify something.
	minNumber = 5
)

// Kind says which JSON token a part is.
type Kind uint8

// The kinds of part.
const (
	Value  Kind = iota // a string
	Key                // an object member's name
	Number             // a number of at least five characters, as written
	Flag               // true, or the number 1, as the value of an object's member
)

// Part is one string of a document.
type Part struct {
	Text   string
	Kind   Kind
	node   int32
	host   int32 // the part whose text contains this one; -1 for the raw value
	start  int32 // position of the token in the host's text or the raw value
	end    int32
	ascii  bool // plain ASCII, so it is its own normal form
	opened bool // JSON as a whole: everything in it is another part
}

// Document is a parsed JSON value with its parts in reading order.
type Document struct {
	Parts []Part
	Flags []Part // of kind Flag: switches that are on; they are not text, and no detector reads them
	Unset []Part // of kind Flag: switches that are off
	Bytes int    // length of the raw value

	raw   []byte // must not be changed
	root  string
	nodes []node

	views      []*View
	neighbours [][]int
	truncated  bool
}

// node is one step of a JSON path. Paths are formatted only when needed.
type node struct {
	parent int32
	index  int32  // array index, or -1
	name   string // object member
}

// top is the node of the whole value.
var top = node{parent: -1, index: -1}

// Parse parses raw, a JSON value that paths call root. Empty input is a document without parts.
func Parse(raw []byte, root string) (*Document, error) {
	d := newDocument(len(raw))
	d.root = root
	d.Bytes = len(raw)
	if len(bytes.TrimSpace(raw)) == 0 {
		return d, nil // no value; [Document.Rewrite] then returns no bytes
	}
	d.raw = raw
	return d, d.parse(raw, walker{host: -1})
}

// newDocument returns an empty document with capacity for a small value.
func newDocument(size int) *Document {
	switch {
	case size == 0:
		return &Document{nodes: []node{top}}
	case size > 256:
		return &Document{nodes: append(make([]node, 0, 16), top)}
	}
	room := &struct { // one allocation for all
		Document
		nodes [6]node
		parts [6]Part
	}{}
	d := &room.Document
	d.nodes, d.Parts = append(room.nodes[:0], top), room.parts[:0]
	return d
}

// parse adds the parts of raw below the node w.at. raw begins at byte w.base of the part w.host.
func (d *Document) parse(raw []byte, w walker, opts ...jsontext.Options) error {
	l := decoderPool.Get().(*decoderScratch)
	defer l.release()
	dec := l.reset(raw, opts...)
	w.d = d
	w.raw = raw
	w.stack = append(l.stack[:0], frame{node: w.at, leaf: w.at})
	err := w.walk(dec)
	l.stack = w.stack
	return err
}

// walk reads all tokens of dec.
func (w *walker) walk(dec *jsontext.Decoder) error {
	for {
		w.start = int(dec.InputOffset())
		tok, err := dec.ReadToken()
		for w.end = int(dec.InputOffset()); w.start < w.end && strings.IndexByte(" \t\r\n,:", w.raw[w.start]) >= 0; w.start++ {
		}
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
	leaf   int32 // the node of the current member or item
	object bool
	inName bool // the next string is a member's name
	index  int32
	start  int    // where the container begins
	codes  []byte // the items so far, as long as all of them are character codes
}

// walker reads the tokens of one JSON value.
type walker struct {
	d      *Document
	raw    []byte
	host   int32 // the part whose text is parsed; -1 for the raw value
	base   int   // where the value begins in the host
	at     int32 // the node of the value
	nested int

	start, end int // position of the token in the value
	stack      []frame
	done       bool
}

func (w *walker) take(tok jsontext.Token) error {
	top := &w.stack[len(w.stack)-1]
	kind := tok.Kind()
	if top.object && top.inName && kind == '"' {
		name := tok.String()
		top.leaf = w.d.node(node{parent: top.node, index: -1, name: name})
		w.part(name, Key, top.leaf)
		top.inName = false
		return nil
	}
	switch kind {
	case '}', ']':
		w.spelled(top)
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
		w.stack = append(w.stack, frame{
			node:   top.leaf,
			leaf:   top.leaf,
			object: kind == '{',
			inName: kind == '{',
			start:  w.start,
		})
		return nil
	case '"':
		s := tok.String()
		w.d.open(w.part(s, Value, top.leaf), w.nested)
	case 't':
		w.flag(&w.d.Flags, top, "true")
	case 'f':
		w.flag(&w.d.Unset, top, "false")
	case '0':
		s := tok.String()
		switch s {
		case "1":
			w.flag(&w.d.Flags, top, s)
		case "0":
			w.flag(&w.d.Unset, top, s)
		}
		if len(s) >= minNumber {
			w.part(s, Number, top.leaf)
		}
		if n, err := strconv.ParseUint(s, 10, 8); err == nil && len(top.codes) == int(top.index)-1 {
			top.codes = append(top.codes, byte(n))
		}
	}
	w.next()
	return nil
}

// flag adds the current member to a list of switches that are on or off.
func (w *walker) flag(list *[]Part, f *frame, s string) {
	if f.object {
		*list = append(*list, Part{
			Text:  s,
			Kind:  Flag,
			node:  f.leaf,
			ascii: true,
			host:  w.host,
			start: int32(w.base + w.start),
			end:   int32(w.base + w.end),
		})
	}
}

// spelled adds the text of an array of character codes as one part for the whole array.
func (w *walker) spelled(f *frame) {
	if n := len(f.codes); n >= minCodes && n == int(f.index) && isText(f.codes) {
		w.start = f.start
		w.part(string(f.codes), Value, f.node)
	}
}

// next is called after each complete value.
func (w *walker) next() {
	top := &w.stack[len(w.stack)-1]
	top.inName = top.object
	w.done = len(w.stack) == 1
}

// part adds the current token and returns its index.
func (w *walker) part(s string, kind Kind, node int32) int {
	w.d.Parts = append(w.d.Parts, Part{
		Text:  s,
		Kind:  kind,
		node:  node,
		ascii: isASCII(s),
		host:  w.host,
		start: int32(w.base + w.start),
		end:   int32(w.base + w.end),
	})
	return len(w.d.Parts) - 1
}

// open parses the JSON in the string that is part i. If it is not valid JSON, the string stays an ordinary string.
// Parts before the error are kept, because a more lenient parser might read them.
func (d *Document) open(i, nested int) {
	s := d.Parts[i].Text
	t := strings.TrimSpace(s)
	if nested >= MaxNested || len(t) < 2 || (t[0] != '{' && t[0] != '[') {
		return
	}
	inside := walker{
		host:   int32(i),
		base:   strings.Index(s, t),
		at:     d.Parts[i].node,
		nested: nested + 1,
	}
	err := d.parse([]byte(t), inside, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	d.Parts[i].opened = err == nil
}

func (d *Document) node(n node) int32 {
	d.nodes = append(d.nodes, n)
	return int32(len(d.nodes) - 1)
}

// Path returns the JSON path of p, such as "arguments.items[2].text". Long names and long paths are shortened.
func (d *Document) Path(p Part) string {
	return d.Paths(func(name string) string { return name })(p)
}

const (
	maxPathName = 80  // bytes of a member's name in a path
	maxPath     = 600 // bytes of a path
)

// Paths returns a function like [Document.Path] that formats member names with show. It computes common prefixes of
// paths once.
func (d *Document) Paths(show func(name string) string) func(Part) string {
	var known map[int32]string // nil, because most documents need no path
	return func(p Part) string {
		if known == nil {
			known = map[int32]string{0: d.root}
		}
		var steps []int32
		at := p.node
		for ; ; at = d.nodes[at].parent {
			if _, ok := known[at]; ok {
				break
			}
			steps = append(steps, at)
		}
		path := known[at]
		for i := len(steps) - 1; i >= 0; i-- {
			path = shortened(path+d.step(steps[i], show), maxPath)
			known[steps[i]] = path
		}
		return path
	}
}

// step formats one step of a path.
func (d *Document) step(at int32, show func(name string) string) string {
	n := d.nodes[at]
	if n.index >= 0 {
		return "[" + strconv.Itoa(int(n.index)) + "]"
	}
	var b strings.Builder
	writeName(&b, shortened(show(n.name), maxPathName))
	return b.String()
}

// shortened removes the middle of s if it is longer than limit.
func shortened(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit/3], "") + "..." + strings.ToValidUTF8(s[len(s)-limit/3:], "")
}

// writeName writes one member name of a path, quoted when it is not an identifier.
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

// Plain reports whether p is ASCII without terminal escape codes, so that it contains nothing invisible.
func (p Part) Plain() bool { return p.ascii && !hasEscapeCode(p.Text) }

// Opened reports whether p is JSON as a whole, so that everything in it is another part.
func (p Part) Opened() bool { return p.opened }

// Field returns the name of the innermost object member that contains p, or "".
func (d *Document) Field(p Part) string {
	for at := p.node; at > 0; at = d.nodes[at].parent {
		if d.nodes[at].index < 0 {
			return d.nodes[at].name
		}
	}
	return ""
}

// Members returns the names of the object members that contain p, the outermost first. In a call's arguments the
// first is the parameter.
func (d *Document) Members(p Part) []string {
	var out []string
	for at := p.node; at > 0; at = d.nodes[at].parent {
		if d.nodes[at].index < 0 {
			out = append(out, d.nodes[at].name)
		}
	}
	slices.Reverse(out)
	return out
}

// Name returns the names of the two innermost object members that contain p, the outer one first.
func (d *Document) Name(p Part) string {
	name, found := "", 0
	for at := p.node; at > 0 && found < 2; at = d.nodes[at].parent {
		if d.nodes[at].index < 0 {
			name = d.nodes[at].name + " " + name
			found++
		}
	}
	return strings.TrimSuffix(name, " ")
}
