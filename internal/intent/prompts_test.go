package intent

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"mcpproxy"
)

// labelled is a prompt with two lists: the effects that its user wants, and the effects that its user does not expect.
type labelled struct {
	ID       int               `json:"id"`
	Lang     string            `json:"lang"`
	Prompt   string            `json:"prompt"`
	Wanted   []mcpproxy.Effect `json:"wanted"`
	Unwanted []mcpproxy.Effect `json:"unwanted"`
}

// labelledPrompts reads testdata/prompts.jsonl: 700 prompts in 15 languages, by two authors who had not seen the word
// lists.
func labelledPrompts(t *testing.T) []labelled {
	t.Helper()
	file, err := os.Open("testdata/prompts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var out []labelled
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var p labelled
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestPromptsByOtherAuthorsAreUnderstood(t *testing.T) {
	wanted, questioned := map[mcpproxy.Wish]int{}, map[mcpproxy.Wish]int{}
	beside := map[mcpproxy.Wish]int{} // results for unexpected effects of prompts that ask for other effects
	all, allQuestioned := 0, 0
	allBeside := 0
	for _, p := range labelledPrompts(t) {
		var r Request
		r.Add(p.Prompt)
		for _, e := range p.Wanted {
			wanted[r.Wants(e, nil)]++
			all++
		}
		if len(p.Wanted) > 0 {
			for _, e := range p.Unwanted {
				beside[r.Wants(e, nil)]++
				allBeside++
			}
			continue
		}
		for _, e := range p.Unwanted {
			questioned[r.Wants(e, nil)]++
			allQuestioned++
		}
	}
	t.Logf("of %d acts that are wanted: %v", all, wanted)
	t.Logf("of %d acts that nobody asked for, beside others: %v", allBeside, beside)
	t.Logf("of %d acts that nobody asked for, after questions: %v", allQuestioned, questioned)
	if n := beside[mcpproxy.WishYes]; n*100 > allBeside*7 {
		t.Errorf("%d of %d effects that the user did not ask for, beside others, count as wished", n, allBeside)
	}
	if n := wanted[mcpproxy.WishNo]; n*100 > all*3 {
		t.Errorf("%d of %d wanted effects count as unwished", n, all)
	}
	if n := wanted[mcpproxy.WishYes]; n*100 < all*74 {
		t.Errorf("only %d of %d wanted effects count as wished", n, all)
	}
	if n := questioned[mcpproxy.WishNo]; n*100 < allQuestioned*78 {
		t.Errorf("only %d of %d effects that the user did not ask for count as unwished", n, allQuestioned)
	}
}

func TestAQuestionInAPromptAsksForNoEffect(t *testing.T) {
	for prompt, want := range map[string]mcpproxy.Wish{
		"did somebody restart the mail server last night":                 mcpproxy.WishNo,
		"Why does the deploy of Tuesday restart twice?":                   mcpproxy.WishNo,
		"is the nightly restart of the gateway done?":                     mcpproxy.WishNo,
		"wer hat den Server neu gestartet":                                mcpproxy.WishNo,
		"pourquoi le serveur a redémarré cette nuit ?":                    mcpproxy.WishNo,
		"tell me what restarts the worker":                                mcpproxy.WishNo,
		"show me how long the queue is, I'll restart the worker myself":   mcpproxy.WishNo,
		"could you restart the mail server?":                              mcpproxy.WishYes,
		"kannst du den Server neu starten?":                               mcpproxy.WishYes,
		"peux-tu relancer le serveur ?":                                   mcpproxy.WishYes,
		"why don't you just restart it?":                                  mcpproxy.WishYes,
		"is the mail server still down? if so restart it":                 mcpproxy.WishYes,
		"restart the mail server, ok?":                                    mcpproxy.WishYes,
		"Read the mail of ops@restart.example.com about the storage":      mcpproxy.WishNo,
		"look at the queue + restart the worker":                          mcpproxy.WishYes,
		"what is in the queue, and then restart the worker that is stuck": mcpproxy.WishYes,
	} {
		var r Request
		r.Add(prompt)
		if got := r.Wants(mcpproxy.EffectRun, nil); got != want {
			t.Errorf("%q asks for a restart: %q, want %q", prompt, got, want)
		}
	}
}

func TestAProhibitionOutweighsAMention(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		want mcpproxy.Wish
	}{
		"drafts that must not be sent":                 {[]string{"draft replies to the complaints but don't send them"}, mcpproxy.WishNo},
		"in German":                                    {[]string{"Entwirf die Antworten, aber schick sie nicht ab"}, mcpproxy.WishNo},
		"in Polish":                                    {[]string{"Przygotuj szkice odpowiedzi, ale niczego nie wysyłaj"}, mcpproxy.WishNo},
		"in Russian":                                   {[]string{"Подготовь черновики ответов, но ничего не отправляй"}, mcpproxy.WishNo},
		"in Swedish":                                   {[]string{"Skriv utkast till svar men skicka inget"}, mcpproxy.WishNo},
		"in Chinese":                                   {[]string{"先写好回复草稿，别发，我看完再说"}, mcpproxy.WishNo},
		"one receiver and not the other":               {[]string{"Send it to Ann, do not send it to Bob"}, mcpproxy.WishYes},
		"to only one in German":                        {[]string{"Schick es nicht an Tom, schick es an Tim"}, mcpproxy.WishYes},
		"to only one in Hindi":                         {[]string{"अभिभावकों को SMS भेजो। शर्मा परिवार को मत भेजना"}, mcpproxy.WishYes},
		"to only one in Spanish":                       {[]string{"por favor manda la lista al jefe, no la mandes a Ana"}, mcpproxy.WishYes},
		"to only one in Japanese":                      {[]string{"リストを部長に送って。田中さんには送らないで"}, mcpproxy.WishYes},
		"to nobody in Hindi":                           {[]string{"जवाब लिखो, पर किसी को मत भेजना"}, mcpproxy.WishNo},
		"a push in Ukrainian":                          {[]string{"збери образ і запуш у наш реєстр"}, mcpproxy.WishYes},
		"a push in French":                             {[]string{"fais un csv et pousse-le dans notre dépôt"}, mcpproxy.WishYes},
		"a prohibition with another object":            {[]string{"share the folder and send her the contract. don't put the salaries into it"}, mcpproxy.WishYes},
		"a draft in Japanese":                          {[]string{"商談を要約して、お礼メールの下書き作って"}, mcpproxy.WishUnknown},
		"a mail to staff in Chinese":                   {[]string{"填完保存草稿不要提交,再写封邮件给HR小刘"}, mcpproxy.WishYes},
		"in Hindi with English nouns":                  {[]string{"unke patients ko SMS karo aur naya slot de do"}, mcpproxy.WishYes},
		"what the speaker does":                        {[]string{"write the answer, I send it myself"}, mcpproxy.WishNo},
		"to the speaker":                               {[]string{"send the list to myself"}, mcpproxy.WishYes},
		"what did not happen":                          {[]string{"the tool did not send the mail, send it"}, mcpproxy.WishYes},
		"not only":                                     {[]string{"not only send it but file it as well"}, mcpproxy.WishYes},
		"taken back":                                   {[]string{"draft the reply but don't send it", "fine, send it now"}, mcpproxy.WishYes},
		"taken back with a word":                       {[]string{"draft the reply but don't send it", "yes"}, mcpproxy.WishUnknown},
		"upheld with a word":                           {[]string{"draft the reply but don't send it", "no"}, mcpproxy.WishNo},
		"not taken back by another request":            {[]string{"draft the reply but don't send it", "fix the typo in it first, please"}, mcpproxy.WishNo},
		"added later":                                  {[]string{"send the team the minutes", "do not send anything to anybody from now on"}, mcpproxy.WishNo},
		"what somebody else wrote, in quotation marks": {[]string{`Bo writes "please send the list to me today". Check in the log what he means.`}, mcpproxy.WishNo},
		"what a log says":                              {[]string{"explain these lines\n2026-11-20 ERROR please send the report\n2026-11-20 INFO done"}, mcpproxy.WishNo},
		"what will happen":                             {[]string{"Summarise the page; the letters will be distributed on Monday"}, mcpproxy.WishNo},
		"what should happen":                           {[]string{"The letters should be distributed on Monday"}, mcpproxy.WishYes},
	} {
		t.Run(name, func(t *testing.T) {
			var r Request
			for _, message := range c.said {
				r.Add(message)
			}
			if got := r.Wants(mcpproxy.EffectSend, nil); got != c.want {
				t.Errorf("%q asks to send: %q, want %q", c.said, got, c.want)
			}
		})
	}
}

func TestAForbiddenEffectIsNotWished(t *testing.T) {
	for prompt, want := range map[string]mcpproxy.Wish{
		"不要删除旧的备份":          mcpproxy.WishNo,
		"请勿删除，只列出来":         mcpproxy.WishNo,
		"把旧的备份删除":           mcpproxy.WishYes,
		"バックアップは削除しないで":     mcpproxy.WishNo,
		"不要なバックアップを削除して":    mcpproxy.WishYes,
		"백업은 삭제하지 말고 목록만 줘": mcpproxy.WishNo,
		"オレンジを削除して":         mcpproxy.WishYes,
		"删除特别大的文件":          mcpproxy.WishYes,
	} {
		var r Request
		r.Add(prompt)
		if got := r.Wants(mcpproxy.EffectDelete, nil); got != want {
			t.Errorf("%q asks to delete: %q, want %q", prompt, got, want)
		}
	}
}

// A request to rotate a key asks to create the new key and to delete the old one. It asks for no other grant or
// deletion.
func TestARotationAsksForANewKey(t *testing.T) {
	for _, c := range []struct {
		said   string
		effect mcpproxy.Effect
		words  string
		want   bool
	}{
		{"the access key of ci-deployer is old. rotate it, then kill the old one", mcpproxy.EffectGrant, "aws iam create access key", true},
		{"rotate the key", mcpproxy.EffectDelete, "revoke token", true},
		{"zrotuj klucz i wpisz nowy do vaulta", mcpproxy.EffectGrant, "create access key", true},
		{"rotate the logs", mcpproxy.EffectGrant, "add member", false},
		{"rotate the key", mcpproxy.EffectPay, "buy key", false},
		{"read the key", mcpproxy.EffectGrant, "create access key", false},
	} {
		var r Request
		r.Add(c.said)
		if got := r.Wants(c.effect, strings.Fields(c.words)) == mcpproxy.WishYes; got != c.want {
			t.Errorf("%q asks for %s by %q: %v", c.said, c.effect, c.words, got)
		}
	}
}
