package detect

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy/internal/text"
)

// lastFour are the kinds of values that people recognise by their last four characters.
var lastFour = map[string]bool{"credit_card": true, "iban": true, "bank_account": true}

// Masked returns the masked form of a value: its kind, a short beginning of long values, and the end of card and
// account numbers.
func Masked(kind, value string) string {
	head, tail := "", ""
	if len(value) >= 20 && kind != "email" && isPrintable(value[:4]) { // an address begins with a name
		head = value[:4]
	}
	if lastFour[kind] {
		dense := strings.NewReplacer(" ", "", "-", "").Replace(value)
		if n := len(dense); n >= 12 && isPrintable(dense[n-4:]) {
			tail = dense[n-4:]
		}
	}
	if head == "" && tail == "" {
		return "[" + kind + "]"
	}
	return "[" + kind + ":" + head + "…" + tail + "]"
}

func isPrintable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// rest replaces the further pieces of a value that was split.
const rest = "[…]"

// Edits returns edits that replace each finding by the result of show.
func Edits(found []Finding, show func(*Finding) string) []text.Edit {
	edits := make([]text.Edit, 0, len(found))
	for i := range found {
		for n, span := range found[i].Spans {
			with := rest
			if n == 0 {
				with = show(&found[i])
			}
			edits = append(edits, text.Edit{Span: span, With: with})
		}
	}
	return edits
}

func showMasked(f *Finding) string { return Masked(f.Rule.ID, f.Value) }

// Masker hides known values wherever they occur, in any encoding that [text.Document.Views] undoes.
type Masker struct {
	byHead map[string]*alike // by the first bytes of the value
	maybe  *heads12          // hashes of the keys of byHead, for a fast test; nil without values
}

// none masks nothing.
var none = &Masker{}

// alike are values with the same first bytes.
type alike struct {
	lengths []int
	values  map[string]*Finding
}

const headSize = 4 // bytes; shorter values are not searched

// heads12 is a set of hashes of 12 bits.
type heads12 [1 << 12 / 64]uint64

func (h *heads12) add(n uint) { h[n/64] |= 1 << (n % 64) }

func (h *heads12) has(n uint) bool { return h[n/64]>>(n%64)&1 != 0 }

func hashHead(a, b, c byte) uint { return (uint(a)*31*31 + uint(b)*31 + uint(c)) & (1<<12 - 1) }

// NewMasker returns a masker of the found values.
func NewMasker(found []Finding) *Masker {
	if len(found) == 0 {
		return none
	}
	m := &Masker{}
	for i := range found {
		f := &found[i]
		if len(f.Value) < headSize {
			continue
		}
		if m.byHead == nil {
			m.byHead, m.maybe = map[string]*alike{}, new(heads12)
		}
		head := f.Value[:headSize]
		group := m.byHead[head]
		if group == nil {
			group = &alike{values: map[string]*Finding{}}
			m.byHead[head] = group
		}
		if group.values[f.Value] == nil {
			group.values[f.Value] = f
			if !slices.Contains(group.lengths, len(f.Value)) {
				group.lengths = append(group.lengths, len(f.Value))
			}
		}
		m.maybe.add(hashHead(head[0], head[1], head[2]))
	}
	return m
}

// JSON returns the JSON value of doc with its findings and all other values of the masker masked.
func (m *Masker) JSON(doc *text.Document, found []Finding) []byte {
	return doc.Rewrite(m.Masked(doc, found))
}

// Masked returns the edits that mask findings of doc and all other values of the masker.
func (m *Masker) Masked(doc *text.Document, found []Finding) []text.Edit {
	return append(Edits(found, showMasked), m.Edits(doc, showMasked)...)
}

// Text returns s with every value of the masker masked.
func (m *Masker) Text(s string) string {
	if len(m.byHead) == 0 {
		return s
	}
	doc, err := text.Parse(text.Quote(s), "")
	if err != nil {
		return "[a text that could not be read]"
	}
	edits := m.Edits(doc, showMasked)
	if len(edits) == 0 {
		return s
	}
	masked, err := jsontext.AppendUnquote(nil, doc.Rewrite(edits))
	if err != nil {
		return "[a text that could not be masked]"
	}
	return string(masked)
}

// Edits returns edits that replace the known values in doc by the result of show.
func (m *Masker) Edits(doc *text.Document, show func(*Finding) string) []text.Edit {
	if len(m.byHead) == 0 {
		return nil
	}
	var edits []text.Edit
	for _, v := range doc.Views() {
		for i := 0; i+headSize <= len(v.Text); i++ {
			if !m.maybe.has(hashHead(v.Text[i], v.Text[i+1], v.Text[i+2])) {
				continue
			}
			group := m.byHead[v.Text[i:i+headSize]]
			if group == nil {
				continue
			}
			for _, n := range group.lengths {
				if i+n > len(v.Text) {
					continue
				}
				if f := group.values[v.Text[i:i+n]]; f != nil {
					edits = append(
						edits,
						Edits([]Finding{{Rule: f.Rule, Value: f.Value, Spans: v.Spans(i, i+n)}}, show)...)
				}
			}
		}
	}
	return edits
}

// MaskText returns s with every found value masked.
func MaskText(s string, found []Finding) string { return NewMasker(found).Text(s) }
