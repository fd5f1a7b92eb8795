package bind_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/bind"
	"mcpproxy/internal/text"
)

// The secret of every test.
const secret = "s3cr3tWombat41"

func TestADocumentBindsASecretToAHost(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // hosts, separated by spaces
	}{
		"userinfo of a URL":                        {"clone https://ana:" + secret + "@git.acme.example/app.git now", "git.acme.example"},
		"query of a URL":                           {"POST https://hooks.acme.example/in?key=" + secret, "hooks.acme.example"},
		"a URL behind other text of another host":  {"see https://other.example and https://x:" + secret + "@git.acme.example", "git.acme.example"},
		"a user name that looks like a host":       {"https://good.example:" + secret + "@evil.example/", "evil.example"},
		"the hosts of a cluster":                   {"mongodb://app:" + secret + "@a.acme.example:27017,b.acme.example/db", "a.acme.example b.acme.example"},
		".netrc":                                   {"machine api.acme.example\n  login ana\n  password " + secret, "api.acme.example"},
		".netrc, the second machine":               {"machine one.example login a password x\nmachine two.example login b password " + secret, "two.example"},
		".netrc, the default":                      {"machine one.example login a password x\ndefault login b password " + secret, ""},
		".npmrc":                                   {"//npm.acme.example/:_authToken=" + secret, "npm.acme.example"},
		".pgpass":                                  {"db.acme.example:5432:orders:app:" + secret, "db.acme.example"},
		"a connection string":                      {"Server=db.acme.example,1433;Database=x;User Id=app;Password=" + secret + ";", "db.acme.example"},
		"a connection string of libpq":             {"host=db.acme.example user=app password=" + secret, "db.acme.example"},
		"a setting of the same name":               {"ACME_API_URL=https://api.acme.example/v1\nACME_API_KEY=" + secret, "api.acme.example"},
		"a setting of the same name, below":        {"export ACME_TOKEN=\"" + secret + "\"\nexport ACME_HOST=acme.example", "acme.example"},
		"a setting of another name":                {"ACME_API_URL=https://api.acme.example\nBETA_API_KEY=" + secret, ""},
		"a name that only begins alike":            {"ACMEX_URL=https://x.example\nACME_KEY=" + secret, ""},
		"plain names":                              {"host: db.acme.example\npassword: " + secret, "db.acme.example"},
		"a value that is no host":                  {"ACME_URL=true\nACME_KEY=" + secret, ""},
		"a note that mentions a host":              {"Please use " + secret + " at evil.example.", ""},
		"a member of the same object":              {`{"host":"db.acme.example","password":"` + secret + `"}`, "db.acme.example"},
		"a member of another object":               {`{"a":{"host":"evil.example"},"b":{"password":"` + secret + `"}}`, ""},
		"a member of the same name":                {`{"acmeUrl":"https://api.acme.example","acmeKey":"` + secret + `"}`, "api.acme.example"},
		"a URL under the name of the service":      {"ACME=https://api.acme.example/v3\nACME_KEY=" + secret, "api.acme.example"},
		"a URL under the name of its interface":    {"ACME_API=https://api.acme.example/v3\nACME_API_KEY=" + secret, "api.acme.example"},
		"a base URL":                               {"OPENWEATHER_BASE_URL=https://w.acme.example\nOPENWEATHER_KEY=" + secret, "w.acme.example"},
		"lines that an agent's Read has numbered":  {"     3→    url: jdbc:postgresql://db.acme.example:5432/x\n     4→    password: " + secret, "db.acme.example"},
		"lines that cat -n has numbered":           {"     3\tDB_HOST=db.acme.example\n     4\tDB_PASSWORD=" + secret, "db.acme.example"},
		"lines that grep -n has numbered":          {"conf/a.env:3:DB_HOST=db.acme.example\nconf/a.env:4:DB_PASSWORD=" + secret, "db.acme.example"},
		"a numbered line of .pgpass":               {"     1→db.acme.example:5432:orders:app:" + secret, "db.acme.example"},
		"a name on this machine, which is no host": {"DB_HOST=localhost\nDB_PASSWORD=" + secret, ""},
	} {
		t.Run(name, func(t *testing.T) {
			raw := []byte(c.text)
			if !strings.HasPrefix(c.text, "{") {
				raw = text.Quote(c.text)
			}
			doc, err := text.Parse(raw, "response")
			if err != nil {
				t.Fatal(err)
			}
			got := bind.New(doc).Hosts(spanOf(t, doc))
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func spanOf(t *testing.T, doc *text.Document) text.Span {
	t.Helper()
	for i, p := range doc.Parts {
		if at := strings.Index(p.Text, secret); at >= 0 && !p.Opened() {
			return text.Span{Part: i, Start: at, End: at + len(secret)}
		}
	}
	t.Fatal("the secret is not there")
	return text.Span{}
}

func TestASpanThatIsNotThereHasNoHost(t *testing.T) {
	doc, _ := text.Parse(text.Quote("x"), "")
	for _, at := range []text.Span{{Part: 9}, {Part: -1}, {Start: 5, End: 9}} {
		if got := bind.New(doc).Hosts(at); got != nil {
			t.Errorf("%v: %q", at, got)
		}
	}
}

func TestASecretHasAtMostEightHosts(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		b.WriteString("ACME_URL=https://h" + strings.Repeat("x", i) + ".example\n")
	}
	b.WriteString("ACME_KEY=" + secret)
	doc, _ := text.Parse(text.Quote(b.String()), "")
	if got := bind.New(doc).Hosts(spanOf(t, doc)); len(got) != 8 {
		t.Errorf("%d hosts", len(got))
	}
}

func TestASecretIsNamedAfterItsService(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // words, separated by spaces
	}{
		"by its own name":                 {"PARCEL_API_KEY=" + secret, "parcel"},
		"by the section around it":        {"[hetzner-dns]\nttl = 60\ntoken = " + secret, "hetzner dns"},
		"by the nearest section":          {"[other]\nx = 1\n[acme]\ntoken = " + secret, "acme"},
		"by a section that Read numbered": {"     1→[acme]\n     2→token = " + secret, "acme"},
		"by both":                         {"[acme]\nmail_password = " + secret, "acme mail"},
		"by nothing":                      {"password: " + secret, ""},
		"by no list":                      {"hosts = [a, b]\npassword = " + secret, ""},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := text.Parse(text.Quote(c.text), "response")
			if err != nil {
				t.Fatal(err)
			}
			start := strings.Index(doc.Parts[0].Text, secret)
			at := text.Span{Part: 0, Start: start, End: start + len(secret)}
			if got := strings.Join(bind.New(doc).Service(at), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
