package detect

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy/internal/text"
)

// Masked is how a secret is shown: its kind, and a short head of long values.
func Masked(kind, value string) string {
	head := ""
	if len(value) >= 20 && isPrintable(value[:4]) {
		head = ":" + value[:4] + "…"
	}
	return "[" + kind + head + "]"
}

func isPrintable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// MaskJSON returns the JSON value raw with every found secret masked, wherever
// it stands. A string in which a secret was seen only in disguise is masked
// whole, since its parts cannot be told apart. Raw that is no JSON is replaced
// by a note of its length.
func MaskJSON(raw []byte, found []Finding) []byte {
	if len(found) == 0 || len(raw) == 0 {
		return raw
	}
	m := newMasker(found)
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	for values := 0; ; {
		tok, err := dec.ReadToken()
		if err == io.EOF && values == 1 {
			return bytes.TrimSpace(out.Bytes())
		}
		if err != nil {
			return jsontextNote(len(raw))
		}
		if tok.Kind() == '"' {
			if s := tok.String(); m.touches(s) {
				tok = jsontext.String(m.mask(s))
			}
		}
		if enc.WriteToken(tok) != nil {
			return jsontextNote(len(raw))
		}
		if enc.StackDepth() == 0 {
			values++
		}
	}
}

func jsontextNote(n int) []byte {
	b, _ := jsontext.AppendQuote(nil, fmt.Sprintf("[%d bytes that could not be read as JSON]", n))
	return b
}

// MaskText masks every found secret in plain text.
func MaskText(s string, found []Finding) string {
	m := newMasker(found)
	if !m.touches(s) {
		return s
	}
	return m.mask(s)
}

// masker replaces the values of some findings.
type masker struct{ found []Finding }

// newMasker puts long values first: a short one may be part of a long one.
func newMasker(found []Finding) masker {
	return masker{slices.SortedStableFunc(slices.Values(found), func(a, b Finding) int { return len(b.Value) - len(a.Value) })}
}

func (m masker) touches(s string) bool {
	for _, f := range m.found {
		if strings.Contains(s, f.Value) || m.disguised(s, f) {
			return true
		}
	}
	return false
}

func (m masker) mask(s string) string {
	for _, f := range m.found {
		s = strings.ReplaceAll(s, f.Value, Masked(f.Rule.ID, f.Value))
	}
	for _, f := range m.found { // another copy may be in disguise
		if m.disguised(s, f) {
			return "[masked: contains " + f.Rule.ID + "]"
		}
	}
	return s
}

// disguised reports whether a reader who undoes disguises finds f in s.
func (m masker) disguised(s string, f Finding) bool {
	if n := text.NormalForm(s); strings.Contains(n, f.Value) {
		return true
	}
	// A secret inside JSON inside a string may be spelled with escapes.
	if !strings.Contains(s, `\`) {
		return false
	}
	inner, err := text.Parse(text.Quote(s), "")
	if err != nil {
		return false
	}
	for _, p := range inner.Parts {
		if p.Text != s && strings.Contains(text.NormalForm(p.Text), f.Value) {
			return true
		}
	}
	return false
}
