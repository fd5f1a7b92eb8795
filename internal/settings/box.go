package settings

import "github.com/tailscale/hujson"

// box gives access to the commas and spaces of an object or array.
type box interface {
	len() int
	before(i int) *hujson.Extra // spaces and comments before the element
	value(i int) *hujson.Value  // the value, before the comma
	after() *hujson.Extra       // spaces and comments before the closing bracket
	append(name string, before hujson.Extra, v hujson.Value, compact bool)
	cut(i int)
}

// boxOf returns the box of an object or array.
func boxOf(in hujson.ValueTrimmed) box {
	if array, ok := in.(*hujson.Array); ok {
		return arrayBox{array}
	}
	return objectBox{in.(*hujson.Object)}
}

type objectBox struct{ *hujson.Object }

func (b objectBox) len() int                   { return len(b.Members) }
func (b objectBox) before(i int) *hujson.Extra { return &b.Members[i].Name.BeforeExtra }
func (b objectBox) value(i int) *hujson.Value  { return &b.Members[i].Value }
func (b objectBox) after() *hujson.Extra       { return &b.AfterExtra }
func (b objectBox) cut(i int)                  { b.Members = append(b.Members[:i], b.Members[i+1:]...) }

func (b objectBox) append(name string, before hujson.Extra, v hujson.Value, compact bool) {
	if !compact {
		v.BeforeExtra = hujson.Extra(" ")
	}
	b.Members = append(
		b.Members,
		hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: v},
	)
}

type arrayBox struct{ *hujson.Array }

func (b arrayBox) len() int                   { return len(b.Elements) }
func (b arrayBox) before(i int) *hujson.Extra { return &b.Elements[i].BeforeExtra }
func (b arrayBox) value(i int) *hujson.Value  { return &b.Elements[i] }
func (b arrayBox) after() *hujson.Extra       { return &b.AfterExtra }
func (b arrayBox) cut(i int)                  { b.Elements = append(b.Elements[:i], b.Elements[i+1:]...) }

func (b arrayBox) append(_ string, before hujson.Extra, v hujson.Value, _ bool) {
	v.BeforeExtra = before
	b.Elements = append(b.Elements, v)
}
