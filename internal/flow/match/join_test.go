package match

import (
	"strings"
	"testing"
)

const told = "Marieke negotiates the severance of forty-one people in Rotterdam with the union"

// Data that is sent in pieces is compared as one text, whichever tools and parameters of a server receive them.
func TestPiecesOverManyCallsAreJoined(t *testing.T) {
	for name, c := range map[string]struct {
		tools, fields []string
		hit           bool
	}{
		"one tool and one parameter": {[]string{"s\x00post"}, []string{"text"}, true},
		"several parameters in turn": {[]string{"s\x00post"}, []string{"text", "title"}, true},
		"several tools in turn":      {[]string{"s\x00post", "s\x00reply", "s\x00edit"}, []string{"text"}, true},
		"several servers in turn":    {[]string{"s\x00post", "other\x00post"}, []string{"text"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := New()
			x.Add(document(t, "We heard this: "+told+". Keep it."), options, Source{ID: 1})
			hit := false
			for i, piece := range strings.Split(wrapped(told, 9, "\x00"), "\x00") {
				doc := document(t, map[string]string{"channel": "#general", c.fields[i%len(c.fields)]: piece})
				hit = hit || len(x.Find(NewQuery(doc, nil, options), c.tools[i%len(c.tools)])) > 0
			}
			if hit != c.hit {
				t.Errorf("hit = %v, want %v", hit, c.hit)
			}
		})
	}
}
