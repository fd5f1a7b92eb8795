package wire

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Partial is the readable part of a message that [Parse] refuses. It is only for the record of the refusal: do not
// decide or forward anything based on it.
type Partial struct {
	Method string
	Name   string // name of the tool or prompt, or URI of the resource
	Inner  string // the name in the arguments, if the tool calls another tool
}

// The limits for reading, in bytes.
const (
	partialBytes   = 64 << 10
	maxPartialText = 256 // of each string
)

// PartialOf reads raw as far as it is valid JSON. If a member is repeated, the first one counts.
func PartialOf(raw []byte) (g Partial) {
	in := bytes.NewReader(raw[:min(len(raw), partialBytes)])
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
		// A member's name is also a string, but it has an odd index in its object.
		if _, n := dec.StackIndex(dec.StackDepth()); n%2 != 0 {
			continue
		}
		if to := wanted[dec.StackPointer()]; to != nil && *to == "" {
			s := token.String()
			*to = strings.ToValidUTF8(s[:min(len(s), maxPartialText)], "")
		}
	}
}
