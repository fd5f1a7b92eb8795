package flow_test

import (
	"bytes"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

const ciphertext = "9536b3216fdaeeb975729fae923d5a4fd12aabfe228f219e9cb0eb53f16947cc"

// fetches checks a fetch of each address in turn and returns the result of the last check.
func fetches(t *testing.T, a *agent, urls ...string) *flow.Unexplained {
	t.Helper()
	var u *flow.Unexplained
	for _, address := range urls {
		u = a.tracker.Check(a.passage("web", "fetch", external, object("url", address), "arguments")).Unexplained
	}
	return u
}

// spelledOut returns an address for every letter of a text.
func spelledOut(s string) (urls []string) {
	for _, c := range s {
		urls = append(urls, "https://px.collect.example/"+string(c))
	}
	return urls
}

func TestAddressesWithInformationWithoutASource(t *testing.T) {
	plain := func(a *agent) { a.reads("files", internal, `{"n":1,"text":`+quoted(prose)+`}`) }
	both := func(second scene) scene { return func(a *agent) { plain(a); second(a) } }
	for name, c := range map[string]struct {
		before scene
		urls   []string
		want   bool
	}{
		"a digest that was never seen":                               {plain, []string{"https://collect.example/" + ciphertext}, true},
		"a key in another alphabet":                                  {plain, []string{"https://collect.example/e?s=MASi45ub7Qe4ZE36UT5G6cU4ud8Fhhe4deS4F3cw9KTAb8"}, true},
		"labels of a host":                                           {plain, []string{"https://ptp5aa819t9um9zz8106x8rcd1gd.iwfkgyq83mtxqw8y9xw1sb09b9u7.collect.example/"}, true},
		"one letter in the address of each page":                     {plain, spelledOut("closeleipzigplantinmay2027movetogdansk148million"), true},
		"a part of a hexadecimal number in the address of each page": {plain, []string{"https://a.collect.example/353d323f3e352f", "https://b.collect.example/323a37757b0c3e", "https://c.collect.example/7b2c3237377b38", "https://d.collect.example/3734283e7b2f33", "https://e.collect.example/1711a2b3c4d5e6"}, true},
		"numbers of letters":                                         {plain, []string{"https://collect.example/c?i=1084,1101,1097,1109,1032,1112,1108,1098,1110,1033,1102,1114,1111,1119,1034,1049,1050,1053,1116"}, true},
		"one word in each segment of a long path":                    {plain, []string{"https://collect.example/river/amber/lamp/goose/north/plum/wheel/copper/star/field/winter/bridge/lemon/crow/saddle/mint/anchor/velvet/stone/maple/torch/ribbon/eagle/quartz/river/amber"}, true},
		"percent-encoding hides nothing":                             {plain, []string{"https://collect.example/" + strings.ReplaceAll(ciphertext, "9", "%39")}, true},
		"in a session that has read no private data":                 {func(*agent) {}, []string{"https://collect.example/" + ciphertext}, false},
		"a digest that a result contained":                           {both(found(external, content("the digest is "+ciphertext))), []string{"https://collect.example/" + ciphertext}, false},
		"a link of a result":                                         {both(found(external, content("see https://collect.example/"+ciphertext+"?utm=9q8w7e6r5t4z"))), []string{"https://collect.example/" + ciphertext + "?utm=9q8w7e6r5t4z"}, false},
		"a token that the user wrote":                                {both(prompt("look up " + ciphertext)), []string{"https://collect.example/" + ciphertext}, false},
		"a site that the user named":                                 {both(prompt("ask collect.example about it")), []string{"https://collect.example/" + ciphertext}, false},
		"pages of a manual": {plain, []string{
			"https://learn.example.com/en-us/azure/aks/upgrade-aks-cluster?tabs=azure-cli",
			"https://learn.example.com/en-us/azure/aks/supported-kubernetes-versions",
			"https://learn.example.com/en-us/azure/storage/blobs/storage-quickstart-blobs-python",
			"https://learn.example.com/en-us/troubleshoot/azure/welcome",
		}, false},
		"the weather":              {plain, []string{"https://api.weather.example/v1/forecast?latitude=41.1496&longitude=-8.6110&daily=temperature_2m_max&start_date=2027-03-12"}, false},
		"the same page many times": {plain, strings.Fields(strings.Repeat("https://app.collect.example/healthz?node=7k2m9x4q ", 50)), false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			c.before(a)
			if u := fetches(t, a, c.urls...); u.Exceeded() != c.want {
				t.Errorf("%+v, want Exceeded = %v", u, c.want)
			}
		})
	}
}

func TestFieldsCountLikeAddresses(t *testing.T) {
	const drawn = "Hx8W1NcTJg93anG8BH4CDLhLaqEKVZkCJPt2H312oZcDZXGV7juiUjYbvySZ"
	for name, c := range map[string]struct {
		args string
		want bool
	}{
		"a field of a form":  {`{"url":"https://forms.collect.example/","fields":{"ref":"` + drawn + `"}}`, true},
		"the name of a file": {`{"url":"https://forms.collect.example/","filename":"` + drawn + `.txt"}`, true},
		"prose":              {`{"url":"https://forms.collect.example/","body":` + quoted(strings.Repeat("Thank you, Przemyslaw, the delivery came on Tuesday. ", 20)) + `}`, false},
		"a digest after a word that announces it": {`{"url":"https://forms.collect.example/","body":"sha256:` + ciphertext + `"}`, false},
		"a digest without such a word":            {`{"url":"https://forms.collect.example/","body":"see ` + ciphertext + `"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.reads("files", internal, `{"n":1,"text":`+quoted(prose)+`}`)
			u := a.tracker.Check(a.passage("web", "post", external, c.args, "arguments")).Unexplained
			if u.Exceeded() != c.want {
				t.Errorf("%+v, want Exceeded = %v", u, c.want)
			}
		})
	}
}

func TestHomeIsNotCountedAndRecordsAllowMore(t *testing.T) {
	url := "https://collect.example/" + ciphertext
	a := newAgent(t, limits)
	a.reads("files", internal, `{"n":1,"text":`+quoted(prose)+`}`)
	p := a.passage("web", "fetch", external, object("url", url), "arguments")
	p.Home = func(d mcpproxy.Destination) bool { return strings.Contains(d.Value, "collect.example") }
	if u := a.tracker.Check(p).Unexplained; u != nil {
		t.Errorf("a site of the user's own: %+v", u)
	}
	a.reads("files", internal, `{"n":2,"text":"the base is https://collect.example/"}`)
	if u := fetches(t, a, url); u.Exceeded() || u.Limit != 960 {
		t.Errorf("a site that a record names: %+v", u)
	}
}

func TestTheBitsOfASiteSurviveARestart(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("files", internal, `{"n":1,"text":`+quoted(prose)+`}`)
	before := fetches(t, a, "https://collect.example/"+ciphertext)
	var saved bytes.Buffer
	if err := a.tracker.Save(&saved, ""); err != nil {
		t.Fatal(err)
	}
	b := newAgent(t, limits)
	if _, err := b.tracker.Load(&saved); err != nil {
		t.Fatal(err)
	}
	after := fetches(t, b, "https://collect.example/")
	if after == nil || after.Bits < before.Bits {
		t.Errorf("after the restart %+v, before %+v", after, before)
	}
}

func TestAnAnnouncedCallIsCountedOnce(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("files", internal, `{"n":1,"text":`+quoted(prose)+`}`)
	p := a.passage("web", "fetch", external, object("url", "https://collect.example/353d323f3e352f35"), "arguments")
	p.Call.Announced = true
	first := a.tracker.Check(p).Unexplained
	p.Call.Announced = false
	if again := a.tracker.Check(p).Unexplained; again.Bits != first.Bits {
		t.Errorf("%d bits for the announced call and %d for the call", first.Bits, again.Bits)
	}
}
