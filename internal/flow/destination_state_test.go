package flow

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
)

// informed returns a directory with a value of every kind.
func informed() *directory {
	var d directory
	d.choose("mail ann@corp.example")
	page, list := &mcpproxy.Origin{CallID: "page", Injected: true}, &mcpproxy.Origin{CallID: "list"}
	d.dictated.put(name{inMails, "mallory@example.org"}.letters(), page, maxDictated)
	d.meet(name{inNames, "eve"}, met{stranger, page})
	d.meet(name{inNames, "bob"}, met{known, list})
	return &d
}

func sources(d *directory) map[string]mcpproxy.DestinationSource {
	out := map[string]mcpproxy.DestinationSource{}
	for _, r := range []recipient{{value: "ann@corp.example", kind: kindEmail}, {value: "mallory@example.org", kind: kindEmail},
		{value: "Eve", kind: kindName}, {value: "Bob", kind: kindName}, {value: "Fred", kind: kindName}} {
		out[r.value], _ = d.sourceOf(r)
	}
	return out
}

var wanted = map[string]mcpproxy.DestinationSource{
	"ann@corp.example":    mcpproxy.FromUser,
	"mallory@example.org": mcpproxy.FromInjected,
	"Eve":                 mcpproxy.FromUntrusted,
	"Bob":                 mcpproxy.FromInternal,
	"Fred":                mcpproxy.FromNowhere,
}

func TestADirectorySurvivesARestart(t *testing.T) {
	body, err := json.Marshal(informed().save())
	if err != nil {
		t.Fatal(err)
	}
	var again directory
	if err := again.load(body); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, sources(&again)); diff != "" {
		t.Error(diff)
	}
	if _, from := again.sourceOf(recipient{value: "Bob", kind: kindName}); from == nil || from.CallID != "list" {
		t.Errorf("Bob was found in %+v", from)
	}
}

func TestADirectoryAbsorbsAnother(t *testing.T) {
	var d directory
	d.meet(name{inNames, "eve"}, met{stranger, &mcpproxy.Origin{}})
	d.meet(name{inNames, "bob"}, met{stranger, &mcpproxy.Origin{}})
	d.absorb(informed())
	if diff := cmp.Diff(wanted, sources(&d)); diff != "" {
		t.Error(diff)
	}
	if d.bytes() == 0 {
		t.Error("the directory counts no memory")
	}
}

func TestADamagedDirectoryIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"no JSON":        `{`,
		"no such origin": `{"origins":[],"dictated":"AAAAAAAAAAAAAAAAAAAAAAAAAAA="}`,
		"no origin":      `{"origins":[null],"dictated":"AAAAAAAAAAAAAAAAAAAAAAAAAAA="}`,
		"no source":      `{"origins":[{}],"met":"AAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`,
	} {
		if new(directory).load([]byte(body)) == nil {
			t.Errorf("%s was loaded", name)
		}
	}
}

func FuzzLoadDirectory(f *testing.F) {
	body, err := json.Marshal(informed().save())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Fuzz(func(t *testing.T, body []byte) {
		var d directory
		if d.load(body) == nil {
			sources(&d)
			if _, err := json.Marshal(d.save()); err != nil {
				t.Error(err)
			}
		}
	})
}
