package intent_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

func TestEffectsThatTheUsersWordsAskFor(t *testing.T) {
	const (
		yes     = mcpproxy.WishYes
		general = mcpproxy.WishGeneral
		no      = mcpproxy.WishNo
		unknown = mcpproxy.WishUnknown
		unheard = mcpproxy.WishUnheard
	)
	for _, c := range []struct {
		name, words string
		effect      mcpproxy.Effect
		want        mcpproxy.Wish
	}{
		{"without a message the wish is unheard", "", mcpproxy.EffectPay, unheard},
		{"a payment is named", "Pay invoice 4471 from the household account", mcpproxy.EffectPay, yes},
		{"a request to read does not ask for a payment", "Show me the open invoices", mcpproxy.EffectPay, no},
		{"a noun does not ask for the effect of its verb", "Find the most recent email about my notes", mcpproxy.EffectSend, no},
		{"the same word at the position of a verb does", "Find the draft and email it to Ann", mcpproxy.EffectSend, yes},
		{"tell me does not ask to send", "tell me who wrote the last order", mcpproxy.EffectSend, no},
		{"a result is asked for in general", "fix the build", mcpproxy.EffectSend, general},
		{"to fix means to change", "fix the build", mcpproxy.EffectChange, yes},
		{"a negated verb does not ask for its effect", "summarise it but do not delete anything", mcpproxy.EffectDelete, no},
		{"an unknown verb is no refusal", "yeet it to staging", mcpproxy.EffectSend, unknown},
		{"an unknown verb before another request is no refusal", "read their markup, redline and hand it back", mcpproxy.EffectChange, unknown},
		{"without negates only the words after it", "npm audit is red, pls fix without bumping react", mcpproxy.EffectChange, general},
		{"an ending may move the accent", "mándale el plan a mi madre", mcpproxy.EffectSend, yes},
		{"needs to know asks to send", "payroll needs to know about the leave", mcpproxy.EffectSend, yes},
		{"need asks for a result in general", "i need half a page for the council", mcpproxy.EffectSend, general},
		{"to add a member gives access", "add juno as a member of the team", mcpproxy.EffectGrant, yes},
		{"to reset a password gives the same person access again", "reset the MFA of chiara", mcpproxy.EffectGrant, general},
		{"to give rights gives access", "give Linnea, our analyst, read access to the table", mcpproxy.EffectGrant, yes},
		{"to give the speaker something gives no access", "give me a list of who has access", mcpproxy.EffectGrant, no},
		{"rights in German", "Gib Ana bitte Zugriff auf die Tabelle", mcpproxy.EffectGrant, yes},
		{"German", "Überweise bitte 20 Euro an Ann", mcpproxy.EffectPay, yes},
		{"French", "Envoie le rapport à Luc", mcpproxy.EffectSend, yes},
		{"Spanish", "Borra los carritos viejos", mcpproxy.EffectDelete, yes},
		{"Polish", "Wyślij podsumowanie do Joanny", mcpproxy.EffectSend, yes},
		{"Russian", "Удали старые ветки", mcpproxy.EffectDelete, yes},
		{"Chinese", "把报告发给王芳", mcpproxy.EffectSend, yes},
		{"Japanese", "請求書を支払ってください", mcpproxy.EffectPay, yes},
		{"Korean", "회의록을 요약해서 보내 주세요", mcpproxy.EffectSend, yes},
		{"a stem of another language does not count", "Find the mail of the past month", mcpproxy.EffectChange, no},
		{"nor does a stem of an unknown language", "page version", mcpproxy.EffectPay, unknown},
		{"a message in an unknown language is unknown", "Ṣàyẹ̀wò àpótí", mcpproxy.EffectDelete, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r intent.Request
			if c.words != "" {
				r.Add(c.words)
			}
			if got := r.Wants(c.effect, nil); got != c.want {
				t.Errorf("%q asks for %s: %s, want %s", c.words, c.effect, got, c.want)
			}
		})
	}
}

func TestRequestsThatLeaveTheDecisionToAText(t *testing.T) {
	for _, c := range []struct {
		words             string
		delegates, points bool
	}{
		{"Do what Radka wrote in CORE-2207", true, false},
		{"Follow the runbook", true, false},
		{"Mail him the window, the address is on the page", false, true},
		{"Upload it to the other side's room (link in the letter of Pryce LLP)", false, true},
		{"Schick es an die Schule, Link auf der Seite", false, true},
		{"надішли звіт клієнту, посилання у листі", false, true},
		{"Summarise the page", false, false},
	} {
		var r intent.Request
		r.Add(c.words)
		if r.Delegates() != c.delegates || r.Points() != c.points {
			t.Errorf("%q: delegates %t, points %t; want %t, %t", c.words, r.Delegates(), r.Points(), c.delegates, c.points)
		}
	}
}

func TestALaterMessageAddsToTheRequest(t *testing.T) {
	var r intent.Request
	r.Add("Show me the ticket")
	before := r.Wants(mcpproxy.EffectDelete, nil)
	r.Add("now delete it")
	if after := r.Wants(mcpproxy.EffectDelete, nil); before != mcpproxy.WishNo || after != mcpproxy.WishYes {
		t.Errorf("the wish before the second message is %s, and after it %s", before, after)
	}
}

func TestARequestSurvivesASnapshot(t *testing.T) {
	var r, back intent.Request
	r.Add("pay it as the mail says, the address is in the mail")
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, r) {
		t.Errorf("%s was read as %+v, want %+v", raw, back, r)
	}
}

func FuzzRequest(f *testing.F) {
	for _, s := range []string{"", "delete it", "löschе 消して ok", "don't \xff pay", "a,b;c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var r intent.Request
		r.Add(s)
		if r.Wants(mcpproxy.EffectRead, nil) != mcpproxy.WishYes {
			t.Error("reading is not wished although the user has spoken")
		}
		if !r.Said() {
			t.Error("Said is false although the user has spoken")
		}
		intent.Mentions(s)
	})
}

func BenchmarkRequest(b *testing.B) {
	const words = "Schedule a downtime for service:kafka env:prod, mute monitor 7719031, and tell #data-platform and #sre."
	for b.Loop() {
		var r intent.Request
		r.Add(words)
	}
}

func TestTheAbbreviationNoIsNotANegation(t *testing.T) {
	for prompt, want := range map[string]bool{
		"mail them the serial no and my address":    false,
		"find order no 4711 and pay it":             false,
		"there are to be no mails to any of them":   true,
		"make sure that he gets no invoice from us": true,
	} {
		var r intent.Request
		r.Add(prompt)
		if r.Forbids() != want {
			t.Errorf("%q: Forbids = %t", prompt, r.Forbids())
		}
	}
}

func TestWhoSaysThatSomethingIsApproved(t *testing.T) {
	for words, want := range map[string]bool{
		"Access request AR-556 is approved. Give the team access as it says": true,
		"Bitte lege die Konten an, der Antrag ist genehmigt":                 true,
		"Le ticket INF-2207 est validé, applique-le":                         true,
		"La solicitud está aprobada, dale acceso":                            true,
		"wniosek jest zatwierdzony, nadaj dostęp":                            true,
		"Work the access request AR-556":                                     false,
		"Approve the request AR-556":                                         false,
		"":                                                                   false,
	} {
		var r intent.Request
		if words != "" {
			r.Add(words)
		}
		if got := r.Vouches(); got != want {
			t.Errorf("%q: %v, want %v", words, got, want)
		}
	}
}
