package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy/internal/wire"
)

// space draws JSON white space.
var space = rapid.StringOfN(rapid.RuneFrom([]rune(" \t\r\n")), 0, 3, -1)

// values are JSON values that decoding and encoding would change.
var values = rapid.SampledFrom([]string{
	`12345678901234567890`, `1.0`, `1e2`, `-0`, `0.10000000000000000000000001`, `null`, `true`,
	`"\u0041\/"`, `"é\ud83d\ude00"`, `"}{\"id\":9"`, `[ 1 ,2,[ ] ]`, `{ "z":1, "a": {"id" :2,"params":{}} }`, `{}`,
})

// drawMessage draws a message with unknown members and unusual white space. It returns the text before and after the
// value of the chosen member, so that the test knows the value's position without using the tested code.
func drawMessage(t *rapid.T, deciding string) (before, after string) {
	members := []string{`"jsonrpc"` + space.Draw(t, "s1") + `:` + space.Draw(t, "s2") + `"2.0"`}
	if deciding != "id" {
		members = append(members, `"id":`+space.Draw(t, "s3")+`"i\u0064"`)
	}
	if deciding == "params" || deciding == "id" {
		members = append(members, `"method" : "tools\/call"`)
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "_meta", "paramsx", "é", "i-d", ""}), 0, 4, rapid.ID[string]).Draw(t, "unknown") {
		members = append(members, string(wire.Quote(name))+":"+values.Draw(t, "value"))
	}
	members = rapid.Permutation(members).Draw(t, "order")
	at := rapid.IntRange(0, len(members)).Draw(t, "at")
	join := func(m []string) string { return strings.Join(m, space.Draw(t, "s4")+","+space.Draw(t, "s5")) }
	before = space.Draw(t, "s6") + "{" + join(members[:at])
	if at > 0 {
		before += ","
	}
	before += `"` + deciding + `":` + space.Draw(t, "s7")
	after = space.Draw(t, "s8")
	if at < len(members) {
		after += "," + join(members[at:])
	}
	return before, after + "}" + space.Draw(t, "s9")
}

// checkSplice checks that change replaces the value of one member and nothing else.
func checkSplice(
	t *testing.T,
	deciding string,
	olds, news *rapid.Generator[string],
	change func(*wire.Message, []byte) *wire.Message,
) {
	rapid.Check(t, func(t *rapid.T) {
		old, replacement := olds.Draw(t, "old"), news.Draw(t, "new")
		before, after := drawMessage(t, deciding)
		raw := []byte(before + old + after)
		kept := bytes.Clone(raw)
		m, err := wire.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		got := change(m, []byte(replacement))
		if diff := cmp.Diff(before+replacement+after, string(got.Raw)); diff != "" {
			t.Fatalf("other bytes changed (-want +got):\n%s", diff)
		}
		again, err := wire.Parse(got.Raw)
		if err != nil {
			t.Fatalf("%s: %v", got.Raw, err)
		}
		for _, pair := range [][2][]byte{{got.ID, again.ID}, {got.Params, again.Params}, {got.Result, again.Result}} {
			if !bytes.Equal(pair[0], pair[1]) {
				t.Fatalf("a field is %q, the message says %q", pair[0], pair[1])
			}
		}
		if !bytes.Equal(m.Raw, kept) {
			t.Fatal("the first message changed")
		}
	})
}

var (
	ids     = rapid.SampledFrom([]string{`1`, `-7`, `"a"`, `"\u0062"`, `12345678901234567890`, `""`})
	objects = rapid.SampledFrom(
		[]string{`{}`, `{ "a" : 12345678901234567890 }`, `{"id":1,"params":{"x":"}"}}`, `[ 1.0 ]`},
	)
)

func TestWithIDKeepsEveryOtherByte(t *testing.T) {
	checkSplice(t, "id", ids, ids, (*wire.Message).WithID)
}

func TestWithParamsKeepsEveryOtherByte(t *testing.T) {
	checkSplice(t, "params", objects, objects, (*wire.Message).WithParams)
}

func TestWithResultKeepsEveryOtherByte(t *testing.T) {
	checkSplice(t, "result", values, values, (*wire.Message).WithResult)
}

func TestWithParamsAddsThemWhereThereWereNone(t *testing.T) {
	m, err := wire.Parse([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"x\":\"}\" }\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := m.WithParams([]byte(`{"a":1}`))
	if want := "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"x\":\"}\" ,\"params\":{\"a\":1}}\n"; string(got.Raw) != want {
		t.Errorf("got  %s\nwant %s", got.Raw, want)
	}
	if string(got.Params) != `{"a":1}` {
		t.Errorf("Params = %s", got.Params)
	}
}

func TestSet(t *testing.T) {
	cases := []struct {
		name, object, want string
		path               []string
	}{
		{
			"replaces a value and nothing else",
			`{ "a" : 1.0 ,"big":12345678901234567890}`,
			`{ "a" : 9 ,"big":12345678901234567890}`,
			[]string{"a"},
		},
		{
			"replaces deep inside",
			`{"a":{"b":{"c":[1]} }, "z":1e5}`,
			`{"a":{"b":{"c":9} }, "z":1e5}`,
			[]string{"a", "b", "c"},
		},
		{"adds to an empty object", `{ }`, `{ "a":9}`, []string{"a"}},
		{"adds beside others", `{"b":"}"}`, `{"b":"}","a":9}`, []string{"a"}},
		{"makes the objects on the way", `{"b":1}`, `{"b":1,"x":{"y":9}}`, []string{"x", "y"}},
		{"counts nil as an empty object", ``, `{"a":9}`, []string{"a"}},
		{"finds a key spelled with an escape", `{"\u0061":1}`, `{"\u0061":9}`, []string{"a"}},
		{"finds a key after white space", ` {"a":1}`, ` {"a":9}`, []string{"a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := wire.Set([]byte(c.object), []byte(`9`), c.path...); string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A peer chooses the values on the path: "_meta" may be a string, and a result an array. Such messages must not cause
// a panic.
func TestSetSurvivesWhatIsNoObject(t *testing.T) {
	cases := []struct{ name, object string }{
		{"a string on the way", `{"_meta":"x"}`},
		{"a number on the way", `{"_meta":1}`},
		{"null on the way", `{"_meta":null}`},
		{"an array on the way", `{"_meta":[1]}`},
		{"an array holding an object on the way", `{"_meta":[{"a":1}]}`},
		{"a null at the top", `null`},
		{"an array at the top", `[1]`},
		{"a string at the top", `"x"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			got := wire.Set([]byte(c.object), []byte(`9`), "_meta", "k")
			if string(got) != c.object && string(wire.Member(got, "_meta", "k")) != "9" {
				t.Errorf("%s became %s: neither untouched nor set", c.object, got)
			}
		})
	}
}

func TestSetThenMemberLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.RuneFrom([]rune(`ab"\é `)), 0, 4, -1), 0, 5, rapid.ID[string]).
			Draw(t, "names")
		var object []byte
		for _, n := range names {
			object = wire.Set(object, []byte(values.Draw(t, "v")), n)
		}
		if len(names) > 0 {
			object = append([]byte(space.Draw(t, "lead")), object...)
		}
		name, value := rapid.SampledFrom(append(names, "new")).Draw(t, "name"), values.Draw(t, "value")
		old, err := wire.Members(object)
		if err != nil {
			t.Fatal(err)
		}
		now, err := wire.Members(wire.Set(object, []byte(value), name))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]json.RawMessage{}
		for k, v := range old {
			want[k] = v
		}
		want[name] = json.RawMessage(value)
		if diff := cmp.Diff(want, now); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestMembersRefusesWhatAnotherParserReadsOtherwise(t *testing.T) {
	cases := []struct{ name, object string }{
		{"a duplicate key", `{"name":1,"name":2}`},
		{"a known key in another case", `{"name":1,"Name":2}`},
		{"a known key that folds over Unicode", `{"args":1,"argſ":2}`},
		{"an array", `["name"]`},
		{"something after the object", `{"name":1}{}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if m, err := wire.Members([]byte(c.object), "name", "args"); err == nil {
				t.Errorf("accepted as %v", m)
			}
		})
	}
	if m, err := wire.Members([]byte(`{"name":1,"Other":2,"other":3}`), "name"); err != nil || len(m) != 3 {
		t.Errorf("unknown keys may differ in case: %v, %v", m, err)
	}
}

func TestMemberAndString(t *testing.T) {
	object := []byte(`{"a":{"b":[1],"s":"x\ny"},"n":12345678901234567890}`)
	if got := wire.Member(object, "n"); string(got) != "12345678901234567890" {
		t.Errorf("n = %s", got)
	}
	if got := wire.String(object, "a", "s"); got != "x\ny" {
		t.Errorf("a.s = %q", got)
	}
	for _, path := range [][]string{{"x"}, {"a", "x"}, {"n", "x"}, {"a", "b", "0"}} {
		if got := wire.Member(object, path...); got != nil {
			t.Errorf("%v = %s, want nothing", path, got)
		}
	}
	if got := wire.String(object, "n"); got != "" {
		t.Errorf("a number read as the string %q", got)
	}
}
