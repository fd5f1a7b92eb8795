package source

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAPathBecomesAPointer(t *testing.T) {
	for path, want := range map[string]string{
		"":                                "",
		"description":                     "/description",
		".inputSchema.properties.a":       "/inputSchema/properties/a",
		`inputSchema.properties["a b"].x`: "/inputSchema/properties/a b/x",
		`p["a\"]b"][2].enum[0]`:           `/p/a"]b/2/enum/0`,
		`_meta["a/b~c"]`:                  "/_meta/a~1b~0c",
		`["\u00e9"]`:                      "/é",
		"inputSchema.prope...ties.x":      "/inputSchema/prope",
		`a["cut`:                          "/a",
		"a[x]":                            "/a",
		"a[":                              "/a",
	} {
		if got := Pointer(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

func TestALineIsWhereItsValueBegins(t *testing.T) {
	l := linesOf([]byte("{\n \"a\": [\n  1,\n  {\"b\":\n   \"xy\"}\n ],\n \"c\": 2}\n"))
	for pointer, want := range map[string]int{
		"":             1,
		"/a":           2,
		"/a/0":         3,
		"/a/1":         4,
		"/c":           7,
		"/a/1/b":       4,
		"/a/1/nothing": 4,
		"/d":           1,
	} {
		if got := l.at(pointer); got != want {
			t.Errorf("%q is on line %d, want %d", pointer, got, want)
		}
	}
}

// Every definition of a file has a line in it.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","description":"b"}]}`))
	f.Add([]byte(`{"jsonrpc":"2.0","result":{"prompts":[{"name":"a"}],"instructions":"x"}}`))
	f.Add([]byte(`[{"name":"a","name":"b"},7,"x"]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		name := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		subjects, err := Read(name, "s")
		if err != nil {
			return
		}
		for _, s := range subjects {
			if s.Line("") < 1 {
				t.Errorf("%q has no line in %q", s.Pointer, raw)
			}
		}
	})
}
