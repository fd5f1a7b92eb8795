package value

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/text"
)

// threshold is the evidence, in bits, that the caller requires.
const threshold = 60

// everything says that all data of a source is stored.
func everything(uint16) Remains { return AllRemains }

// result returns a tool's result that contains one text.
func result(t testing.TB, s string) *text.Document {
	t.Helper()
	return parsed(t, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text.Quote(s)))
}

func parsed(t testing.TB, raw string) *text.Document {
	t.Helper()
	doc, err := text.Parse([]byte(raw), "r")
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return doc
}

// holding returns values that contain the given results, each as one source.
func holding(t testing.TB, results ...string) *Values {
	t.Helper()
	v := &Values{}
	for i, s := range results {
		v.Add(uint16(i), result(t, s), nil, maxScanned, nil)
	}
	return v
}

// sent returns the hits in arguments.
func sent(t testing.TB, v *Values, args string) []Hit {
	t.Helper()
	doc := parsed(t, args)
	var readings []Reading
	for _, view := range doc.Views() {
		if p := doc.Parts[view.Part]; p.Kind != text.Key {
			readings = append(readings, ReadingOf(AllLetters(view), doc.Field(p)))
		}
	}
	return v.Find(readings, nil, everything, nil)
}

func says(body string) string {
	b, _ := json.Marshal(map[string]string{"channel": "#general", "text": body})
	return string(b)
}

const (
	customersCSV = "id,name,email,balance,iban,created_at\n" +
		"4411209,Oda Brekkhus,oda.brekkhus@post.example,48210.70,DE44500105175407324931,2026-03-01T12:23:57Z\n" +
		"4411210,Tibor Vancsura,tibor.v@post.example,166565.38,DE62370400440532013000,2026-03-02T08:11:02Z\n"
	customersJSON = `{"data":[{"id":4411209,"name":"Oda Brekkhus","email":"oda.brekkhus@post.example","balance":48210.7,"address":{"city":"Utvik"}},
		{"id":4411210,"name":"Tibor Vancsura","email":"tibor.v@post.example","balance":166565.38}]}`
	customersTable = "| name | balance | phone |\n|---|---|---|\n| Oda Brekkhus | 48,210.70 | +47 917 204 1182 |\n| Tibor Vancsura | 166,565.38 | +36 301 884 2093 |\n"
	customersTabs  = "name\tbalance\nOda Brekkhus\t48210.7\textra\n"
	settings       = "region: north\nowner_name: Oda Brekkhus\nquota: 48210.70\n"
)

func TestRecordsAreRecognisedWithinOtherText(t *testing.T) {
	tabs := "name\tbalance\tplan\nOda Brekkhus\t48210.7\tgold\nTibor Vancsura\t166565.38\tgold\n"
	for name, c := range map[string]struct {
		from, body string
		want       string // "" for no hit
	}{
		"a name and an amount of one row":                  {customersCSV, "Outstanding for Oda Brekkhus: 48,210.70", "record"},
		"of one object":                                    {customersJSON, "Oda Brekkhus owes us $48210.7, says finance.", "record"},
		"of one row of a markdown table":                   {customersTable, "oda brekkhus (48210.70 EUR)", "record"},
		"of one row between tabs":                          {tabs, "Tibor Vancsura: 166.565,38", "record"},
		"of one paragraph of settings":                     {settings, "Oda Brekkhus may use 48 210,70", "record"},
		"names written with accents":                       {customersCSV, "Ôdà Brèkkhüs has 48,210.7 left", "record"},
		"a name and an amount of two rows are no evidence": {customersCSV, "Outstanding for Oda Brekkhus: 166,565.38", ""},
		"a name alone is no evidence":                      {customersCSV, "Please call Oda Brekkhus about the meeting.", ""},
		"an amount alone is no evidence":                   {customersCSV, "The total is 166,565.38.", ""},
		"an account alone is personal":                     {customersCSV, "Wire it to DE44 5001 0517 5407 3249 31 today", "value"},
		"an address alone is personal":                     {customersCSV, "reach her at oda.brekkhus@post.example", "value"},
		"a phone number and a name":                        {customersTable, "Oda Brekkhus, +47-917-204-1182", "record"},
		"an identifier alone is only a reference":          {customersCSV, "see customer 4411209", ""},
		"a time alone is only a reference":                 {customersCSV, "since 2026-03-01T12:23:57Z", ""},
	} {
		t.Run(name, func(t *testing.T) {
			hits := sent(t, holding(t, "nothing here\n", c.from), says(c.body))
			got := ""
			for _, h := range hits {
				if h.Bits >= threshold {
					got = h.Match
					if h.Ref != 1 {
						t.Errorf("source %d, want 1", h.Ref)
					}
				}
			}
			if got != c.want {
				t.Errorf("%q is recognised as %q, want %q: %+v", c.body, got, c.want, hits)
			}
		})
	}
}

func TestAHitHasThePositionsOfItsValues(t *testing.T) {
	hits := sent(t, holding(t, customersCSV), says("To whom: Oda  Brekkhus, 48,210.70!"))
	if len(hits) != 1 || len(hits[0].Places) != 2 {
		t.Fatalf("%+v", hits)
	}
	body := "To whom: Oda  Brekkhus, 48,210.70!"
	var got []string
	for _, p := range hits[0].Places {
		got = append(got, body[p.Start:p.End])
	}
	if strings.Join(got, "|") != "Oda  Brekkhus|48,210.70" && strings.Join(got, "|") != "48,210.70|Oda  Brekkhus" {
		t.Errorf("%q", got)
	}
}

func TestSeveralNumbersOfOneSourceAreRecognised(t *testing.T) {
	v := holding(
		t,
		"amount\tfee\ttotal\n71093.55\t80412.19\t93377.02\n",
		"amount\tfee\ttotal\n11093.25\t20412.99\t13377.12\n",
	)
	hits := sent(t, v, says("71,093.55 / $80412.19 / 93.377,02"))
	if len(hits) != 1 || hits[0].Ref != 0 || hits[0].Bits < threshold {
		t.Errorf("%+v", hits)
	}
	if hits := sent(t, v, says("71,093.55 / 20412.99 / 55,555.12")); len(hits) != 0 {
		t.Errorf("a hit for one number of each source: %+v", hits)
	}
}

func TestADestinationIsNotData(t *testing.T) {
	v := holding(t, customersCSV)
	for _, args := range []string{
		`{"to":"oda.brekkhus@post.example","subject":"Hi"}`,
		`{"to":["Oda Brekkhus <oda.brekkhus@post.example>"],"subject":"Hi"}`,
		`{"url":"https://bank.example/accounts/DE44500105175407324931"}`,
		`{"id":4411209,"path":"/data/4411209/oda.brekkhus@post.example"}`,
	} {
		if hits := sent(t, v, args); len(hits) != 0 {
			t.Errorf("%s: %+v", args, hits)
		}
	}
	for _, args := range []string{
		`{"to":"x@y.example","body":"oda.brekkhus@post.example"}`,
		`{"url":"https://bank.example/log?d=DE44500105175407324931"}`,
		`{"url":"https://bank.example/log?d=oda.brekkhus%40post.example"}`,
	} {
		if hits := sent(t, v, args); len(hits) == 0 || hits[0].Bits < threshold {
			t.Errorf("%s: no hit", args)
		}
	}
}

func TestPublicValuesAreNotData(t *testing.T) {
	v := holding(t, customersCSV)
	v.AddPublic(parsed(t, `{"prompt":"Tell Oda Brekkhus (oda.brekkhus@post.example) that 48,210.70 is due"}`))
	if hits := sent(t, v, says("Oda Brekkhus, oda.brekkhus@post.example: 48210.70")); len(hits) != 0 {
		t.Errorf("%+v", hits)
	}
	if hits := sent(t, v, says("tibor.v@post.example: 166565.38")); len(hits) != 1 {
		t.Error("a value that is not public is not found")
	}
}

func TestAPublicTextDoesNotMakeASecretPublic(t *testing.T) {
	const key = "kf83Jq0aLm2Zx7Tr"
	v := &Values{}
	v.Add(7, result(t, "use "+key), nil, maxScanned, []Secret{{Value: key, Category: "api_token"}})
	v.AddPublic(result(t, key))
	hits := sent(t, v, `{"channel":"`+key+`"}`)
	if len(hits) == 0 || hits[0].Match != "secret" || hits[0].Category != "api_token" || hits[0].Ref != 7 {
		t.Errorf("%+v", hits)
	}
}

func TestDroppedDataIsNotFound(t *testing.T) {
	const key = "kf83Jq0aLm2Zx7Tr"
	args := says("Oda Brekkhus 48210.70 " + key)
	for name, c := range map[string]struct {
		left Remains
		want int
	}{"all of it": {NothingRemains, 0}, "all but its secrets": {SecretsRemain, 1}} {
		t.Run(name, func(t *testing.T) {
			v := &Values{}
			var more strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&more, "%d,Customer %d,c%d@post.example,%d.55,,\n", 5000000+i, i, i, 70000+i)
			}
			v.Add(
				0,
				result(t, customersCSV+more.String()),
				nil,
				maxScanned,
				[]Secret{{Value: key, Category: "api_token"}},
			)
			v.Add(1, result(t, "unrelated: 99120.44\n"), nil, maxScanned, nil)
			before := v.Bytes() + v.SetBytes()
			v.Sweep(func(ref uint16) Remains {
				if ref == 0 {
					return c.left
				}
				return AllRemains
			})
			sources := map[uint16]bool{}
			for _, h := range sent(t, v, args) {
				sources[h.Ref] = true
				if h.Match == "record" {
					t.Errorf("the record is still known: %+v", h)
				}
			}
			if len(sources) != c.want {
				t.Errorf("%d sources are known, want %d", len(sources), c.want)
			}
			if v.Bytes()+v.SetBytes() > before/2 {
				t.Errorf("%d of %d bytes are still in use", v.Bytes()+v.SetBytes(), before)
			}
		})
	}
}

func TestASingleReferenceIsNoHit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		pointer := rapid.SampledFrom([]string{
			fmt.Sprintf(
				"%08x-%04x-4%03x-8%03x-%012x",
				r.Uint32(),
				r.IntN(1<<16),
				r.IntN(1<<12),
				r.IntN(1<<12),
				r.Int64N(1<<48),
			),
			fmt.Sprintf("%040x", r.Uint64()),
			fmt.Sprintf(
				"20%02d-%02d-%02dT%02d:%02d:%02dZ",
				r.IntN(30),
				1+r.IntN(12),
				1+r.IntN(28),
				r.IntN(24),
				r.IntN(60),
				r.IntN(60),
			),
			fmt.Sprintf("/srv/data/%d/report-%d.pdf", r.IntN(1e6), r.IntN(1e6)),
			fmt.Sprintf("https://files.example.com/a/%d/b/%d", r.IntN(1e6), r.IntN(1e6)),
			fmt.Sprint(r.IntN(1e9)),
		}).Draw(rt, "pointer")
		from := rapid.SampledFrom([]string{"seen %s there", `{"id":%q}`, "id,at\tname\n%s,1,2\n", "ref: %s\nfound: yes\n", "%s"}).
			Draw(rt, "source")
		v := holding(t, strings.Replace(strings.Replace(from, "%q", `"%s"`, 1), "%s", pointer, 1))
		for _, h := range sent(t, v, says("please look at "+pointer)) {
			if h.Bits >= threshold {
				rt.Fatalf("%s: %+v", pointer, h)
			}
		}
	})
}
