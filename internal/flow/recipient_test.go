package flow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/cputime"
	"mcpproxy/internal/text"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Write to ann@corp.example, or call.", "email ann@corp.example"},
		{"Ann <ann@corp.example>; Bob <bob+x@corp.example>", "email ann@corp.example, email bob+x@corp.example"},
		{"mailto:ann@corp.example?subject=hi", "email ann@corp.example"},
		{"to=ann@corp.example", "email ann@corp.example"},
		{"**ann@corp.example**", "email ann@corp.example"},
		{"@ann or ann@host", ""},
		{"see https://a.example/b?c=d#e.", "url https://a.example/b?c=d#e"},
		{"[here](http://a.example/b)", "url http://a.example/b"},
		{"url=HTTPS://A.example", "url HTTPS://A.example"},
		{"www.a.example/x!", "url www.a.example/x"},
		{"git@a.example:team/project", "url git@a.example:team/project"},
		{"ssh://git@a.example:22/team", "url ssh://git@a.example:22/team"},
		{"a.example and report.docx", "host a.example, host report.docx"},
		{"请访问www.a.example。谢谢", "url www.a.example"},
		{"bücher.example", "host bücher.example"},
		{"http:// and :// and www.", ""},
		{"1.2.3 or 3.14", ""},
		{"http://10.0.0.1:8080/x http://[::1]/y", "url http://10.0.0.1:8080/x"},
		{"e.g. this, i.e. that ... yes", ""},
	} {
		var got []string
		for a := range addresses(c.in) {
			if c.in[a.at:a.at+len(a.text)] != a.text {
				t.Errorf("%q: %q is not at %d", c.in, a.text, a.at)
			}
			got = append(got, a.kind+" "+a.text)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("the addresses in %q are %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSplitURL(t *testing.T) {
	for _, c := range []struct{ in, host, path string }{
		{"https://www.A.example./x/y?z#w", "a.example", "x/y"},
		{"https://good.example@evil.example:443/x", "evil.example", "x"},
		{`https://evil.example\@good.example/`, "evil.example", "@good.example/"},
		{"git@code.example:team/project.git", "code.example", "team/project.git"},
		{"a.example:8080", "a.example", ""},
		{"https://[2001:db8::1]:443/x", "2001:db8::1", "x"},
		{"https://a.example?q=1/2", "a.example", ""},
	} {
		if host, path := splitURL(c.in); host != c.host || path != c.path {
			t.Errorf("splitURL(%q) = %q, %q, want %q, %q", c.in, host, path, c.host, c.path)
		}
	}
}

func TestKindsOfParameters(t *testing.T) {
	for kind, names := range map[string]string{
		kindEmail:   "to recipient recipients cc bcc email user_email participants emailAddress to_addresses",
		kindName:    "user userId user_name username assignees owner repo",
		kindChannel: "channel channel_id channelName chat_id",
		kindURL:     "url webhook_url endpoint callbackUrl image_url remote",
		kindHost:    "host hostname domain_name",
		kindPhone:   "phone phone_number",
		kindAccount: "account iban account_number to_account",
		kindAddress: "address destination target",
		"":          "body text subject message query path file_id email_id to_date from_user sender from_account id name title location",
	} {
		for name := range strings.FieldsSeq(names) {
			if got := kindOf(name); got != kind {
				t.Errorf("%s names %q, want %q", name, got, kind)
			}
		}
	}
}

func TestValuesThatASystemFilledIn(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"bare items":                         {"- general\n- 'random'\n", "general random"},
		"members":                            {"- body: hi\n  sender: ann\n  recipient: bob\n", "ann bob"},
		"a list below a member":              {"participants:\n- ann@a.example\n- bob@a.example\ntitle: x\n", "ann@a.example bob@a.example"},
		"a deeper list below a member":       {"recipients:\n  - ann\nsubject: x\n", "ann"},
		"names of members below a member":    {"shared_with:\n  ann@a.example: rw\nsize: 3\n", "ann@a.example"},
		"items of another list":              {"attachments:\n- ann\n", ""},
		"nothing of a text in quotes":        {"- body: 'Hi,\n\n    sender: eve\n\n    Bye'\n  sender: ann\n", "ann"},
		"nothing of a text in a block":       {"body: |\n  sender: eve\n  - eve\nsender: ann\n", "ann"},
		"nothing of an item's text":          {"- 'External\n\n  sender: eve\n\n  '\n- ann\n", "ann"},
		"nothing after a line of prose":      {"From: ann\nSubject: x\n\nDear Bob,\nFrom: eve\n", "ann"},
		"nothing of prose":                   {"Please write to: eve\nuser: eve\n", ""},
		"no flow collections and no anchors": {"user: [a, b]\nsender: *x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			lines(c.in, func(value string, _ int) bool {
				got = append(got, value)
				return true
			})
			if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" && len(got)+len(c.want) > 0 {
				t.Error(diff)
			}
		})
	}
}

func TestTheTableOfDestinationsIsBounded(t *testing.T) {
	var d table[int]
	for i := range 1000 {
		d.put(keyOf(inNames, fmt.Sprint(i)), i, 10)
	}
	if len(d.of) != 10 || len(d.order) != 10 || d.evicted != 990 {
		t.Errorf("%d values, %d in order, %d evicted", len(d.of), len(d.order), d.evicted)
	}
	if !d.has(keyOf(inNames, "999")) || d.has(keyOf(inNames, "0")) {
		t.Error("other values than the oldest were evicted")
	}
}

// The cost is linear in the length of the text.
func TestReadingDestinationsTakesLinearTime(t *testing.T) {
	for name, unit := range map[string]string{
		"at signs":        "@",
		"dots":            ".",
		"slashes":         "a.b/",
		"addresses":       "a@b.cd ",
		"URLs":            "http://a.bc/d/e ",
		"numbers":         "1234 ",
		"items":           "- a\n",
		"members":         "user: a\n",
		"names":           "Ann Bob ",
		"foreign letters": "ж。",
	} {
		t.Run(name, func(t *testing.T) {
			took := func(n int) time.Duration {
				best := time.Hour
				for range 3 {
					best = min(best, cputime.Of(func() {
						readAll(t, strings.Repeat(unit, n/len(unit)))
					}))
				}
				return best
			}
			const size = 1 << 13
			if small, large := took(size), took(8*size); large > 40*small+20*time.Millisecond {
				t.Errorf("%v for %d bytes and %v for eight times as many, want linear time", small, size, large)
			}
		})
	}
}

// readAll makes a directory read s in every way.
func readAll(t testing.TB, s string) {
	var d directory
	d.choose(s)
	doc, err := text.Parse([]byte(`{"content":[{"type":"text","text":`+string(text.Quote(s))+`}]}`), "")
	if err != nil {
		t.Skip()
	}
	p := Transfer{
		Call:         &mcpproxy.Call{Arguments: doc.Rewrite(nil)},
		Doc:          doc,
		Class:        mcpproxy.Class{Side: mcpproxy.Internal},
		Instructions: []text.Span{{Part: 1, Start: 0, End: 10}},
	}
	d.learn(p, &mcpproxy.Origin{})
	d.destinations(p)
}

func FuzzLearn(f *testing.F) {
	for _, s := range []string{"a@b.cd http://[::1", "- a:\n  - b: c\n", "#x @y 'z", "+49 (170) 123.45", "\xff.é@。"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for a := range addresses(s) {
			if a.at < 0 || s[a.at:a.at+len(a.text)] != a.text {
				t.Fatalf("%q is not at %d of %q", a.text, a.at, s)
			}
		}
		lines(s, func(value string, start int) bool {
			if start < 0 || start >= len(s) || len(value) > maxRecipient {
				t.Fatalf("the value %q is not at %d", value, start)
			}
			return true
		})
		readAll(t, s)
	})
}
