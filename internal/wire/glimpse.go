package wire

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Glimpse is what can be made out of a message that [Parse] refuses. It is for a record of
// the refusal: nothing may be decided or forwarded by it.
type Glimpse struct {
	Method string
	Name   string // of the tool or prompt, or the address of the resource
	Inner  string // the name that the arguments hold, where one tool calls another
}

// The bounds of what is looked at, in bytes.
const (
	glimpsed   = 64 << 10
	maxGlimpse = 256 // of each text
)

// GlimpseOf reads raw as far as it is JSON, whatever is wrong with it. Of members that are
// there twice it takes the first.
func GlimpseOf(raw []byte) (g Glimpse) {
	in := bytes.NewReader(raw[:min(len(raw), glimpsed)])
	dec := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	wanted := map[jsontext.Pointer]*string{
		"/method":                &g.Method,
		"/params/name":           &g.Name,
		"/params/uri":            &g.Name,
		"/params/arguments/name": &g.Inner,
	}
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return g
		}
		if token.Kind() != '"' || dec.StackDepth() > 3 {
			continue
		}
		// A member's name is a string too, and is at an odd place of its object.
		if _, n := dec.StackIndex(dec.StackDepth()); n%2 != 0 {
			continue
		}
		if to := wanted[dec.StackPointer()]; to != nil && *to == "" {
			s := token.String()
			*to = strings.ToValidUTF8(s[:min(len(s), maxGlimpse)], "")
		}
	}
}
