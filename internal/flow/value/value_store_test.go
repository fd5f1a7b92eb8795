package value

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

func full(t testing.TB) *Values {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	v := &Values{}
	for i, s := range []string{customersCSV, settings, customersJSON} {
		v.Add(
			uint16(i),
			result(t, s),
			nil,
			maxScanned,
			[]Secret{
				{Value: randomWord(r, 40, base62), Category: "api_token"},
				{Value: "Oda#1988", Category: "password"},
			},
		)
	}
	v.AddPublic(result(t, "Tibor Vancsura"))
	return v
}

func saved(v *Values) []byte {
	var e table.Encoder
	v.Save(&e)
	return e
}

func TestSavedValuesAreRecognisedAfterLoading(t *testing.T) {
	v := full(t)
	raw := saved(v)
	if !bytes.Equal(raw, saved(full(t))) {
		t.Error("equal values are saved as different bytes")
	}
	again := &Values{}
	d := table.Decoder{R: bytes.NewReader(raw)}
	if again.Load(&d, 3); d.Err != nil {
		t.Fatal(d.Err)
	}
	for _, body := range []string{"Oda Brekkhus has 48,210.70", "it is Oda#1988", "Tibor Vancsura", "DE62370400440532013000"} {
		if want, got := sent(t, v, says(body)), sent(t, again, says(body)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", body, got, want)
		}
	}
}

func FuzzLoadValues(f *testing.F) {
	f.Add(saved(full(f)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var v Values
		d := table.Decoder{R: bytes.NewReader(raw)}
		if v.Load(&d, 3); d.Err == nil {
			v.Find(
				[]Reading{ReadingOf(AllLetters(&text.View{Text: "Oda Brekkhus has 48,210.70 of Oda#1988"}), "")},
				nil,
				everything,
				nil,
			)
			var again Values
			second := table.Decoder{R: bytes.NewReader(saved(&v))}
			if again.Load(&second, 3); second.Err != nil {
				t.Errorf("loaded values are saved in a form that cannot be loaded: %v", second.Err)
			}
		}
	})
}

func TestAbsorbKeepsTheValuesOfBothSessions(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	secret := randomWord(r, 40, base62)
	one, two := full(t), &Values{}
	two.Add(0, result(t, "name\tamount\tplan\nRuna Askeland\t77120.45\tgold\n"), nil, maxScanned, nil)
	two.Add(1, result(t, "x"), nil, maxScanned, []Secret{{Value: secret, Category: "cloud_credentials"}})
	two.Add(2, result(t, "name\tamount\tplan\nEmil Torvund\t55310.95\tgold\n"), nil, maxScanned, nil)
	one.Absorb(two, []uint16{10, 11, 0}, []bool{true, true, false})
	for body, ref := range map[string]int{
		"Runa Askeland: 77120.45":    10,
		"half is " + secret[10:35]:   11,
		"Emil Torvund: 55310.95":     -1,
		"Oda Brekkhus may 48,210.70": 0,
	} {
		got := -1
		if hits := sent(t, one, says(body)); len(hits) > 0 {
			got = int(hits[0].Ref)
		}
		if got != ref {
			t.Errorf("%q is found in source %d, want %d", body, got, ref)
		}
	}
}
