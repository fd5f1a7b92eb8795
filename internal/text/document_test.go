package text_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/text"
)

func ExampleParse() {
	doc, err := text.Parse([]byte(`{"to":"ops","items":[{"note":"{\"id\":123456}"}]}`), "arguments")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range doc.Parts {
		if p.Kind != text.Key {
			fmt.Println(doc.Path(p), "=", p.Text)
		}
	}
	// Output:
	// arguments.to = ops
	// arguments.items[0].note = {"id":123456}
	// arguments.items[0].note.id = 123456
}

// spelled lists the parts of a document as "kind path = text".
func spelled(d *text.Document) []string {
	var out []string
	for _, p := range d.Parts {
		kind := map[text.Kind]string{text.Value: "value", text.Key: "key", text.Number: "number"}[p.Kind]
		out = append(out, kind+" "+d.Path(p)+" = "+p.Text)
	}
	return out
}

func TestParseFindsEveryPart(t *testing.T) {
	cases := []struct {
		name, raw string
		want      []string
	}{
		{"nothing has no parts", " \n", nil},
		{"a bare string stands at the root", `"x"`, []string{"value r = x"}},
		{"booleans and null are no parts", `[true,false,null]`, nil},
		{"keys and values are parts", `{"a":"b"}`, []string{"key r.a = a", "value r.a = b"}},
		{"an empty string is a part", `{"":""}`, []string{`key r[""] = `, `value r[""] = `}},
		{
			"array items are numbered",
			`["x",["y",{"k":"z"}],"w"]`,
			[]string{
				"value r[0] = x",
				"value r[1][0] = y",
				"key r[1][1].k = k",
				"value r[1][1].k = z",
				"value r[2] = w",
			},
		},
		{"items that are no parts count too", `[1,null,{},[],"x"]`, []string{"value r[4] = x"}},
		{
			"long numbers are parts as written",
			`[1234,12345,-1234,1e100,12345678901234567890,1.50]`,
			[]string{
				"number r[1] = 12345",
				"number r[2] = -1234",
				"number r[3] = 1e100",
				"number r[4] = 12345678901234567890",
			},
		},
		{
			"an array of character codes spells a text",
			`{"d":[72,101,108,108,111,32,121,111,117]}`,
			[]string{"key r.d = d", "value r.d = Hello you"},
		},
		{
			"an array of other numbers spells nothing",
			`[[1,2,3,4,5,6,7,8,9],[72,101,108,108,111,32,121,111,"u"],[72,101]]`,
			[]string{"value r[1][8] = u"},
		},
		{"escapes are undone", `{"\u0061":"\u0062\n\ud83d\ude00"}`, []string{"key r.a = a", "value r.a = b\n😀"}},
		{
			"a name with odd characters is quoted",
			`{"a b":1,"a.b":"x","é":"y","a-b_9":"z"}`,
			[]string{
				`key r["a b"] = a b`,
				`key r["a.b"] = a.b`,
				`value r["a.b"] = x`,
				`key r["\u00e9"] = é`,
				`value r["\u00e9"] = y`,
				`key r.a-b_9 = a-b_9`,
				`value r.a-b_9 = z`,
			},
		},
		{"values after a nested object go on", `{"a":{"b":"c"},"d":"e"}`,
			[]string{"key r.a = a", "key r.a.b = b", "value r.a.b = c", "key r.d = d", "value r.d = e"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := text.Parse([]byte(c.raw), "r")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, spelled(d)); diff != "" {
				t.Error(diff)
			}
			if d.Bytes != len(c.raw) {
				t.Errorf("Bytes = %d, want %d", d.Bytes, len(c.raw))
			}
		})
	}
}

func TestParseOpensJSONInStrings(t *testing.T) {
	cases := []struct {
		name, inner string
		want        []string // the parts after the string itself
	}{
		{"an object in a string", `{"k":"v"}`, []string{"key r.k = k", "value r.k = v"}},
		{"an array in a string", ` [ "v" ] `, []string{"value r[0] = v"}},
		{
			"duplicate keys inside are both read",
			`{"k":"a","k":"b"}`,
			[]string{"key r.k = k", "value r.k = a", "key r.k = k", "value r.k = b"},
		},
		{"what was read before a mistake is kept", `{"k":"v",oops`, []string{"key r.k = k", "value r.k = v"}},
		{"prose stays prose", `{not JSON}`, nil},
		{"a quoted string is not opened", `"x"`, nil},
		{"a brace alone is not opened", `{`, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := text.Parse(text.Quote(c.inner), "r")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]string{"value r = " + c.inner}, c.want...), spelled(d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseOpensThreeLevelsOfStrings(t *testing.T) {
	for levels := 0; levels <= 5; levels++ {
		raw := []byte(`{"deep":"treasure"}`)
		for range levels {
			raw = fmt.Appendf(nil, `{"in":%s}`, text.Quote(string(raw)))
		}
		d, err := text.Parse(raw, "r")
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, p := range d.Parts {
			if p.Text == "treasure" {
				found = d.Path(p)
			}
		}
		want := "r" + strings.Repeat(".in", levels) + ".deep"
		if levels > text.MaxNested {
			want = ""
		}
		if found != want {
			t.Errorf("%d levels down: found at %q, want %q", levels, found, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	cases := []struct{ name, raw string }{
		{"duplicate keys", `{"a":1,"a":2}`},
		{"duplicate keys spelled differently", `{"a":1,"\u0061":2}`},
		{"duplicate keys deep inside", `[{"a":[{"b":1,"b":2}]}]`},
		{"invalid UTF-8", "[\"\xff\"]"},
		{"a lone surrogate", `["\udc00"]`},
		{"a value cut short", `{"a":`},
		{"an open array", `["a"`},
		{"two values", `{"a":1} {"b":2}`},
		{"a second brace", `{"a":1}}`},
		{"garbage after the value", `{"a":1}xyz`},
		{"a comment after the value", `{"a":1} // {"b":2}`},
		{"a bare word", `hello`},
		{"single quotes", `{'a':1}`},
		{"a trailing comma", `[1,]`},
		{"a NUL after the value", "[]\x00"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d, err := text.Parse([]byte(c.raw), "r"); err == nil {
				t.Errorf("accepted as %q", spelled(d))
			}
		})
	}
}

func TestParseLimitsDepth(t *testing.T) {
	nest := func(n int, open, end string) []byte {
		return []byte(strings.Repeat(open, n) + "null" + strings.Repeat(end, n))
	}
	cases := []struct {
		name string
		raw  []byte
		ok   bool
	}{
		{"arrays as deep as the limit are read", nest(text.MaxDepth, "[", "]"), true},
		{"objects as deep as the limit are read", nest(text.MaxDepth, `{"a":`, "}"), true},
		{"arrays one deeper are refused", nest(text.MaxDepth+1, "[", "]"), false},
		{"objects one deeper are refused", nest(text.MaxDepth+1, `{"a":`, "}"), false},
		{"a million open brackets are refused", []byte(strings.Repeat("[", 1_000_000)), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := text.Parse(c.raw, "r"); (err == nil) != c.ok {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestField(t *testing.T) {
	d, err := text.Parse([]byte(`{"password":["hunter2",{"x":["y"]}],"s":"{\"token\":\"abc\"}"}`), "r")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"hunter2": "password", "y": "x", "abc": "token"}
	for _, p := range d.Parts {
		if field, ok := want[p.Text]; ok {
			if got := d.Field(p); got != field {
				t.Errorf("%s stands under %q, want %q", p.Text, got, field)
			}
			delete(want, p.Text)
		}
	}
	if len(want) != 0 {
		t.Errorf("not found: %v", want)
	}
	bare, err := text.Parse([]byte(`["x"]`), "r")
	if err != nil {
		t.Fatal(err)
	}
	if got := bare.Field(bare.Parts[0]); got != "" {
		t.Errorf("an item of a bare array stands under %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":["x",{"b":"{\"c\":\"[1,12345]\"}"}]}`))
	f.Add([]byte("\"\\ud83d\\ude00 \u200b\""))
	f.Add([]byte(`[[[[["{"]]]]]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := text.Parse(raw, "r")
		if err != nil {
			return
		}
		if len(strings.TrimSpace(string(raw))) > 0 && !json.Valid(raw) {
			t.Fatalf("%q is read, though it is no JSON", raw)
		}
		// A part takes at least two bytes, and every level of JSON in strings can repeat the same bytes.
		if most := (len(raw) + 1) * (text.MaxNested + 1); len(d.Parts) > most {
			t.Errorf("%d parts in %d bytes", len(d.Parts), len(raw))
		}
		for _, p := range d.Parts {
			if path := d.Path(p); !strings.HasPrefix(path, "r") {
				t.Errorf("path %q", path)
			}
		}
		text.Join(d.Views())
	})
}
