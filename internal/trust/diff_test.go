package trust_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"mcpproxy/internal/trust"
)

func TestADifferenceIsNamedByItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"the same":                        {`{"a":1}`, `{"a":1}`, ""},
		"another order":                   {`{"a":{"x":1,"y":2},"b":1}`, `{"b":1,"a":{"y":2,"x":1}}`, ""},
		"another spelling":                {`{"a":"é","n":1.0}`, "{ \"a\" : \"\\u00e9\", \"n\":1 }", ""},
		"required in another order":       {`{"inputSchema":{"required":["a","b"]}}`, `{"inputSchema":{"required":["b","a"]}}`, ""},
		"an order that matters":           {`{"inputSchema":{"anyOf":["a","b"]}}`, `{"inputSchema":{"anyOf":["b","a"]}}`, "inputSchema.anyOf[0] changed a b; inputSchema.anyOf[1] changed b a"},
		"a property":                      {`{"inputSchema":{"properties":{}}}`, `{"inputSchema":{"properties":{"note":{"type":"string"}}}}`, `inputSchema.properties.note added  {"type":"string"}`},
		"one less required":               {`{"inputSchema":{"required":["a","b"]}}`, `{"inputSchema":{"required":["a"]}}`, "inputSchema.required[1] removed b "},
		"a hint":                          {`{"annotations":{"readOnlyHint":true}}`, `{"annotations":{"readOnlyHint":false}}`, "annotations.readOnlyHint changed true false"},
		"a whole number beyond a double":  {`{"inputSchema":{"maximum":9007199254740992}}`, `{"inputSchema":{"maximum":9007199254740993}}`, "inputSchema.maximum changed 9007199254740992 9007199254740993"},
		"a number that becomes a text":    {`{"a":1}`, `{"a":"1"}`, "a changed 1 1"},
		"something hidden":                {`{"description":"a"}`, "{\"description\":\"a\\u200b\U000E0041\\u001b[2J\"}", "description changed a a⟦U+200B⟧⟦U+E0041⟧⟦ESC⟧[2J"},
		"a name that looks like a path":   {`{"a":{}}`, `{"a":{"b.c":1}}`, `a["b.c"] added  1`},
		"a member that nobody knows":      {`{}`, `{"_meta":{"x":1}}`, `_meta added  {"x":1}`},
		"null where there was nothing":    {`{}`, `{"title":null}`, `title added  null`},
		"a name in another case is other": {`{"description":"a"}`, `{"Description":"a"}`, "Description added  a; description removed a "},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := trust.Diff(json.RawMessage(c.before), json.RawMessage(c.after))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range d {
				got = append(got, x.Path+" "+x.Change+" "+x.Before+" "+x.After)
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

func TestALongDifferenceIsCutAroundWhatDiffers(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	quote := func(s string) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"description":%q}`, s)) }
	d, err := trust.Diff(quote(long+"end"+long), quote(long+"STEAL"+long))
	if err != nil || len(d) != 1 || !strings.Contains(d[0].After, "STEAL") || len(d[0].After) > 1000 ||
		len(d[0].Before) > 1000 {
		t.Fatalf("%v %v", d, err)
	}
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, `"m%d":1,`, i)
	}
	d, err = trust.Diff(json.RawMessage(`{}`), json.RawMessage("{"+strings.TrimSuffix(many.String(), ",")+"}"))
	if err != nil || len(d) != 101 || d[100].Path != "… and 400 more" {
		t.Errorf("%d differences, the last is %+v", len(d), d[len(d)-1])
	}
}

// Shows: RFC-12.
func TestEachPartHasAFingerprintOfItsOwn(t *testing.T) {
	base := `{"name":"n","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"title":"x"},"title":"t","icons":[]}`
	of := func(raw string) trust.Fingerprint {
		f, err := trust.FingerprintOf(
			trust.Definition{Key: trust.Key{Server: "s", Kind: trust.Tool, Name: "n"}, Raw: json.RawMessage(raw)},
		)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	was := of(base)
	for part, c := range map[string]struct{ from, to string }{
		"description":   {`"d"`, `"e"`},
		"input schema":  {`"inputSchema":{"type":"object"}`, `"inputSchema":{"type":"array"}`},
		"output schema": {`"outputSchema":{"type":"object"}`, `"outputSchema":{"type":"array"}`},
		"annotations":   {`{"title":"x"}`, `{"title":"y"}`},
		"title":         {`"t"`, `"u"`},
		"other":         {`[]`, `[1]`},
	} {
		is := of(strings.Replace(base, c.from, c.to, 1))
		differs := map[string]bool{
			"description":   was.DescriptionHash != is.DescriptionHash,
			"input schema":  was.SchemaHash != is.SchemaHash,
			"output schema": was.OutputSchemaHash != is.OutputSchemaHash,
			"annotations":   was.AnnotationsHash != is.AnnotationsHash,
			"title":         was.TitleHash != is.TitleHash,
			"other":         was.OtherHash != is.OtherHash,
		}
		for p, d := range differs {
			if d != (p == part) {
				t.Errorf("a change of the %s: the hash of the %s differs: %t", part, p, d)
			}
		}
		if was.CombinedHash == is.CombinedHash {
			t.Errorf("a change of the %s leaves the combined hash", part)
		}
	}
	other, err := trust.FingerprintOf(
		trust.Definition{Key: trust.Key{Server: "s", Kind: trust.Prompt, Name: "n"}, Raw: json.RawMessage(base)},
	)
	if err != nil || other.CombinedHash == was.CombinedHash {
		t.Error("a prompt has the hash of a tool")
	}
}

func TestAFileThatDoesNotFitTogetherIsAnError(t *testing.T) {
	s, _ := newStore(t, strict)
	list(s, honest)
	if _, err := s.Approve(read, "me", ""); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "trust.json")
	var changes []trust.Change
	s = reopen(t, path, strict, &changes)
	list(s, honest)
	if _, err := s.Approve(read, "me", ""); err != nil {
		t.Fatal(err)
	}
	list(s, changed)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to string }{
		"it is cut off":                         {"}\n ]\n}", ""},
		"it holds an unknown state":             {`"state": "rug_pull"`, `"state": "fine"`},
		"a state without its ground":            {`"state": "rug_pull"`, `"state": "approved"`},
		"the definition is another":             {"First send it", "Second send it"},
		"the approved definition is another":    {`"description": "Reads a file."`, `"description": "Reads a file!"`},
		"the version is of the future":          {`"version": 2`, `"version": 3`},
		"a key stands twice":                    {`"version": 2`, `"version": 2, "version": 2`},
		"a key that this program does not know": {`"version": 2`, `"version": 2, "more": 1`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := bytes.Replace(good, []byte(c.from), []byte(c.to), 1)
			if bytes.Equal(bad, good) {
				t.Fatalf("%q is not in the file:\n%s", c.from, good)
			}
			file := filepath.Join(t.TempDir(), "trust.json")
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := trust.Open(file, strict, trust.Deps{})
			if err == nil || !strings.Contains(err.Error(), "mcpproxy trust baseline") ||
				!strings.Contains(err.Error(), file) {
				t.Errorf("no error that says what to do: %v", err)
			}
		})
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("beside the file there is %v", left)
	}
}

func TestADecisionThatCannotBeWrittenHasNoEffect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	failures := 0
	s, err := trust.Open(filepath.Join(dir, "trust.json"), strict, trust.Deps{Failed: func(error) { failures++ }})
	if err != nil {
		t.Fatal(err)
	}
	list(s, honest)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Approve(read, "me", ""); err == nil {
		t.Error("an approval that is not on disk is confirmed")
	}
	if _, err := s.Baseline("files", "me", true); err == nil {
		t.Error("a baseline that is not on disk is confirmed")
	}
	if usable(t, s, honest) {
		t.Error("it is in force")
	}
	list(s, changed)
	if failures == 0 {
		t.Error("nobody hears that what was observed is not kept")
	}
}

// nested returns a tool with a description and a schema of n nested objects.
func nested(description string, levels int) string {
	return `{"name":"read","description":"` + description + `","inputSchema":` +
		strings.Repeat(`{"a":`, levels) + `1` + strings.Repeat(`}`, levels) + `}`
}

// A definition that cannot be hashed has no fingerprint. With an empty fingerprint, all such definitions would be
// equal, and a change from one to another would not be noticed.
func TestADefinitionThatCannotBeHashedIsRefused(t *testing.T) {
	for _, levels := range []int{1, 900, 1100, 9_997, 9_998, 9_999, 10_000, 20_000} {
		key := trust.Key{Server: "files", Kind: trust.Tool, Name: "read"}
		honest, errHonest := trust.FingerprintOf(trust.Definition{Key: key, Raw: []byte(nested("reads", levels))})
		changed, errChanged := trust.FingerprintOf(
			trust.Definition{Key: key, Raw: []byte(nested("reads and sends", levels))},
		)
		if (errHonest != nil) != (levels > 1000) || (errChanged != nil) != (levels > 1000) {
			t.Errorf("%d levels: %v, %v", levels, errHonest, errChanged)
		}
		if errHonest == nil && errChanged == nil && honest.CombinedHash == changed.CombinedHash {
			t.Errorf("%d levels: two definitions have one fingerprint", levels)
		}
	}
}

// An approved tool whose new form cannot be hashed is held.
func TestAnApprovedToolThatBecomesTooDeepIsHeld(t *testing.T) {
	s, _ := newStore(t, strict)
	list(s, nested("reads", 10))
	if _, err := s.Approve(read, "me", ""); err != nil {
		t.Fatal(err)
	}
	list(s, nested("reads", 9_998))
	if i, _ := s.Item(read); i.State != trust.RugPull || s.Held(call("read")) == "" {
		t.Errorf("it is %s", i.State)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(honest), []byte(changed))
	f.Add([]byte(`{"a":[1,{"b":"\u200b"}]}`), []byte(`{"a":[{"b":"x"},1]}`))
	f.Add([]byte(`{"inputSchema":{"required":["a",1,null]}}`), []byte(`{"inputSchema":{"required":[null,"a",1]}}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d, err := trust.Diff(a, b)
		key := trust.Key{Server: "s", Kind: trust.Tool, Name: "n"}
		x, errX := trust.FingerprintOf(trust.Definition{Key: key, Raw: a})
		y, errY := trust.FingerprintOf(trust.Definition{Key: key, Raw: b})
		if (err != nil) != (errX != nil || errY != nil) {
			t.Fatalf("%v, but %v and %v", err, errX, errY)
		}
		if err != nil {
			return
		}
		if (len(d) == 0) != (x.CombinedHash == y.CombinedHash) {
			t.Fatalf("%d differences between %s and %s", len(d), x.CombinedHash, y.CombinedHash)
		}
		for _, c := range d {
			for _, s := range []string{c.Path, c.Part, c.Before, c.After} {
				i := strings.IndexFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
				if i >= 0 {
					t.Fatalf("not safe to print: %q", s)
				}
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	s, _ := newStore(f, strict)
	list(s, honest)
	f.Add([]byte(`{"version":1,"definitions":[]}`))
	f.Add([]byte(`{"version":1,"quarantined_servers":{"a":null},"definitions":[null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "trust.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := trust.Open(path, strict, trust.Deps{})
		if err != nil {
			return
		}
		for _, i := range s.Items("") {
			if i.State == trust.Approved && !i.Trusted() {
				t.Fatalf("%v is approved in another form than it has", i.Key)
			}
			c := call(i.Name)
			c.Server = i.Server
			if s.Held(c) == "" && i.Kind == trust.Tool {
				t.Fatalf("%v can be called before its server has declared it", i.Key)
			}
		}
	})
}
