package detect

import "strings"

// placeholders are words that stand for a secret, in lower case.
var placeholders = []string{
	"example",
	"sample",
	"placeholder",
	"your_",
	"your-",
	"yourkey",
	"yourtoken",
	"yourapi",
	"yoursecret",
	"yourpass",
	"my_api_key",
	"my-api-key",
	"my_secret",
	"my-secret",
	"changeme",
	"change_me",
	"change-me",
	"change_this",
	"replaceme",
	"replace_me",
	"replace-me",
	"replace_with",
	"xxxxxx",
	"dummy",
	"redacted",
	"insert",
	"fixme",
	"todo_",
	"foobar",
	"lorem",
	"notreal",
	"not-real",
	"not_real",
	"fakekey",
	"fake_",
	"fake-",
	"mock_",
	"mock-",
	"deadbeef",
	"cafebabe",
	"secret_here",
	"key_here",
	"key-here",
	"token_here",
	"token-here",
	"keyhere",
	"tokenhere",
	"secrethere",
	"goes_here",
	"goes-here",
	"goeshere",
	"000000000000",
	"****",
	"#####",
	"......",
	"______",
	"user:pass",
	"username:password",
	"<",
	"${",
	"{{",
}

// urlPlaceholders are words that only URLs in documentation contain.
var urlPlaceholders = []string{
	":password@",
	":pass@",
	":passwd@",
	":pwd@",
	":secret@",
	":xxx",
	"://user:pass",
	"://username:",
	"your_",
	"your-",
	"changeme",
	"placeholder",
	"@example.",
	".example.",
	"@host:",
	"@host/",
	"@hostname",
	"<",
	"${",
	"{{",
}

// published are keys that their providers print in their documentation. Each is written here in two halves.
var published = []string{
	"AKIAIOSFODNN7" + "EXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
	"4eC39HqLyjWDarj" + "tT1zdp7dc", // Stripe
	"BQokikJOvBiI2HlWg" + "H4olfQ2", // Stripe
	"TYooMQauvdEDq54Ni" + "TphI7jx", // Stripe
	"AIzaSyDaGmWKa4JsXZ" + "-HjGw7ISLn_3namBGewQe",
	"ACXXXXXXXXXXXXXX" + "XXXXXXXXXXXXXXXXXX",
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/" + "K1SZFPTOtr/KBHBeksoGMGw==",                         // the storage emulator of Azure
	"C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPM" + "bIZnqyMsEcaGQy67XIw/Jw==",                         // the Cosmos DB emulator of Azure
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.", // jwt.io
	"QWxhZGRpbjpvcGVu" + "IHNlc2FtZQ==", // Aladdin, from the HTTP standard
	"QWxhZGRpbjpvcGVu" + "c2VzYW1l",
	"mF_9.B5f" + "-4.1JqM",                          // from the OAuth standards
	"eyJzdWIiOiIxMjM0NT" + "Y3ODkwIiwi",             // the subject of jwt.io's token, with any signature
	"gho_16C7e42F292c69" + "12E7710c838347Ae178B4a", // GitHub
	"2YotnFZFEjr" + "1zCsicMWpAA",
	"tGzv3JOkF0XG" + "5Qx2TlKWIA",
	"SplxlOBeZQ" + "QYbYS6WxSbIA",
	"7Fjfp0ZBr1K" + "tDRbnfVdmIw",
	"czZCaGRSa3F0Mzp" + "nWDFmQmF0M2JW",
}

// standIns are words that are written in place of a password.
var standIns = words(
	`password passwd passwrd passphrase pass passw pwd pw pswd secret secrets token user username userpass userpassword usr login
	name test tests testing tester xxx yyy zzz xyz foo bar baz qux none null nil true false undefined string required optional empty value var variable
	mypass mypassword mysecret mytoken yourpass yourpassword yourtoken yoursecret thepassword somepassword apassword newpassword oldpassword
	dbpass dbpassword dbuser apikey apitoken key xxxx xxxxx yyyy zzzz abc abcd default hidden masked unknown todo tbd env environ input prompt proxypass proxyuser
	password1 password123 pass123 secret123 test123 changeit letmein`,
)

func words(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

// isStandIn reports whether value is one of the standIns, in any case and with any punctuation.
func isStandIn(value string) bool {
	var buf [32]byte
	plain := letters(buf[:0], value)
	return len(plain) == 0 || standIns[string(plain)]
}

// isExample reports whether a value looks like documentation, not like a secret.
func isExample(value string) bool {
	low := strings.ToLower(value)
	words := placeholders
	if strings.Contains(value, "://") { // its host and path may contain any word
		words = urlPlaceholders
		if isLocalDefault(low) {
			return true
		}
	} else if isSequence(low) || isMonotonous(low) {
		return true
	}
	for _, p := range words {
		if strings.Contains(low, p) {
			return true
		}
	}
	for _, p := range published {
		if strings.Contains(value, p) {
			return true
		}
	}
	return false
}

// testCards are the numbers that payment providers publish for tests. No bank has issued them.
var testCards = words(`
	4242424242424242 4000056655665556 4000002500003155 4000002760003184 4000000000000002 4000000000009995 4000000000003220
	4111111111111111 4012888888881881 4222222222222 5555555555554444 5105105105105100 5200828282828210 2223003122003222
	378282246310005 371449635398431 6011111111111117 6011000990139424 3056930009020004 36227206271667 3566002020360505
	6200000000000005 6555900000604105
`)

// isTestCard reports whether a value is one of the testCards, in any grouping.
func isTestCard(value string) bool {
	if len(value) < 13 || len(value) > 24 || value[0] < '2' || value[0] > '6' {
		return false
	}
	return testCards[strings.NewReplacer(" ", "", "-", "").Replace(value)]
}

// isLocalDefault reports whether a URL, in lower case, has the user's name as password and a one-word host or this
// machine: postgres:postgres@localhost.
func isLocalDefault(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	who, where, ok := strings.Cut(rest, "@")
	user, password, _ := strings.Cut(who, ":")
	host := where
	if i := strings.IndexAny(host, ":/?"); i >= 0 {
		host = host[:i]
	}
	return ok && user == password && (!strings.Contains(host, ".") || host == "127.0.0.1")
}

// isSequence reports whether much of value counts up, as in 1234567890 and abcdefgh.
func isSequence(value string) bool {
	run := 1
	for i := 1; i < len(value); i++ {
		if value[i] == value[i-1]+1 || value[i-1] == '9' && value[i] == '0' {
			if run++; run >= 8 {
				return true
			}
		} else {
			run = 1
		}
	}
	return false
}

// isMonotonous reports whether most of value is one character.
func isMonotonous(value string) bool {
	var seen [256]int
	most := 0
	for i := 0; i < len(value); i++ {
		seen[value[i]]++
		most = max(most, seen[value[i]])
	}
	return len(value) >= 8 && most*10 >= len(value)*6
}
