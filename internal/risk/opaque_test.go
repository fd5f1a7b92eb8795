package risk_test

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/cputime"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/text"
)

// cipher returns n bytes that look encrypted.
func cipher(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func parse(t testing.TB, s string) *text.Document {
	t.Helper()
	doc, err := text.Parse([]byte(`{"data":`+string(text.Quote(s))+`}`), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func opaque(t testing.TB, s string) (mcpproxy.Signal, bool) {
	t.Helper()
	return risk.Opaque(parse(t, s), func(name string) string { return name })
}

// lines inserts a line break every width characters.
func lines(s string, width int) string {
	var b strings.Builder
	for ; len(s) > width; s = s[width:] {
		b.WriteString(s[:width] + "\n")
	}
	return b.String() + s
}

// masked returns s in hexadecimal after XORing every byte with the same value.
func masked(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] ^= 0x5a
	}
	return hex.EncodeToString(b)
}

func a85(b []byte) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(b)))
	return string(out[:ascii85.Encode(out, b)])
}

const prose = "The quarterly numbers are in: revenue grew eleven percent in the southern region, driven by renewals and two new accounts. "

func TestOpaquePayloads(t *testing.T) {
	secret := cipher(96)
	b64 := base64.StdEncoding.EncodeToString(secret)
	forURL := base64.RawURLEncoding.EncodeToString(secret)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Repeat(prose, 3)))
	_ = z.Close()
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"base64 of what is encrypted":                {b64, true},
		"the same inside a sentence":                 {"here you are: " + b64 + " bye", true},
		"the same in lines":                          {lines(b64, 64), true},
		"the alphabet for URLs":                      {forURL, true},
		"in the query of a URL":                      {"https://example.com/c?d=" + forURL + "&x=1", true},
		"in the path of a URL":                       {"https://example.com/c/" + forURL + "/x", true},
		"in a host's labels and the path":            {"https://a.example.com/" + forURL, true},
		"percent-encoded":                            {strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(b64), true},
		"hexadecimal":                                {hex.EncodeToString(secret[:50]), true},
		"capital hexadecimal":                        {strings.ToUpper(hex.EncodeToString(secret[:50])), true},
		"prose under a repeated key, in hexadecimal": {masked(prose), true},
		"base32":                               {base32.StdEncoding.EncodeToString(secret), true},
		"one long number":                      {new(big.Int).SetBytes(secret).String(), true},
		"ascii85":                              {a85(secret), true},
		"hexadecimal in base64":                {base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(secret[:50]))), true},
		"in an assignment":                     {"token=" + b64, true},
		"prose":                                {strings.Repeat(prose, 20), false},
		"base64 of prose":                      {base64.StdEncoding.EncodeToString([]byte(prose)), false},
		"base64 of prose, in lines":            {lines(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(prose, 4))), 76), false},
		"hexadecimal of prose":                 {hex.EncodeToString([]byte(prose)), false},
		"compressed prose":                     {base64.StdEncoding.EncodeToString(packed.Bytes()), false},
		"base64 that is shorter":               {base64.RawStdEncoding.EncodeToString(secret[:45]), false},
		"a git object":                         {hex.EncodeToString(secret[:20]), false},
		"a SHA-256":                            {"sha256:" + hex.EncodeToString(secret[:32]), false},
		"a SHA-512":                            {hex.EncodeToString(secret[:64]), false},
		"a lock file's digest":                 {`"integrity": "sha512-` + base64.StdEncoding.EncodeToString(secret[:64]) + `"`, false},
		"a UUID in a URL":                      {"https://api.example.com/v1/projects/0b1e9d5e-3f3c-4d5a-9f0e-6c1c1b1f7a11/items/7d1f4b0a-9e1c-4a34-8a5e-2f9b6f1c0e55", false},
		"a commit's address":                   {"https://git.example.com/some-organisation/some-repository/commit/" + hex.EncodeToString(secret[:20]), false},
		"a long path":                          {"/home/user/projects/web/node_modules/@scope/package-name/dist/esm/components/Button/index.d.ts", false},
		"a shop's address without its host":    {"/ACME-ViewFinity-Ultra-WQHD-Borderless-LS34C502GANXZA/dp/B0C1KPXPM9/ref=sr_1_5", false},
		"a long name":                          {"AbstractSingletonProxyFactoryBeanConfigurationPropertiesHolderImpl2", false},
		"a line":                               {strings.Repeat("=", 200), false},
		"an alphabet of one letter":            {strings.Repeat("a", 500), false},
		"code without spaces":                  {`!function(e,t){"object"==typeof exports?module.exports=t():e.lib=t()}(this,function(){return function(n){var r={};return n.m=e,n.c=r,n}})`, false},
		"running text of another script":       {strings.Repeat("这是一个没有空格的句子用来测试熵的计算方法是否会把普通文字当成加密数据", 4), false},
		"other scripts in a query":             {"https://example.com/s?q=%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82%2C%20%D0%BC%D0%B8%D1%80%21%20%D0%BA%D0%B0%D0%BA%20%D0%B4%D0%B5%D0%BB%D0%B0", false},
		"many numbers":                         {"10482,20931,33871,48210,50019,61733,74401,88120,91233,10045,11820,12993,13377,14001", false},
		"many short digests":                   {"3f9a2bc, 91be07d, c0ffee1, 7ad3e19, 0b1e9d5, 6c1c1b1, 7d1f4b0, 9e1c4a3, 8a5e2f9, b6f1c0e", false},
		"pulled apart":                         {strings.Join(strings.Split(lines(forURL, 8), "\n"), " "), true},
		"a decodable payload before an opaque": {base64.StdEncoding.EncodeToString([]byte(prose)) + " " + b64, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := opaque(t, c.text)
			if got != c.want {
				t.Fatalf("%v (%s) for %q", got, s.Evidence, c.text)
			}
			if got &&
				(s.Kind != mcpproxy.KindOpaquePayload || s.Path != "arguments.data" || !strings.Contains(s.Evidence, "characters")) {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The result is random, so the rate counts.
func TestRandomTextsAreNearlyAlwaysDetected(t *testing.T) {
	for name, alphabet := range map[string]string{
		"base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
		"hex":    "0123456789abcdef",
		"base32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		"base36": "abcdefghijklmnopqrstuvwxyz0123456789",
	} {
		r := rand.New(rand.NewPCG(7, 7))
		missed := 0
		for range 500 {
			b := make([]byte, 70)
			for i := range b {
				b[i] = alphabet[r.IntN(len(alphabet))]
			}
			if _, ok := opaque(t, string(b)); !ok {
				missed++
			}
		}
		if missed > 10 {
			t.Errorf("%s: %d of 500 missed", name, missed)
		}
	}
}

func TestOpaqueTakesLinearTime(t *testing.T) {
	for name, unit := range map[string]string{
		"one run":        "aZ3kQ9",
		"lines":          lines(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(prose, 3))), 76) + "\n",
		"slashes":        "a/",
		"addresses":      "https://a/b?c#d",
		"words":          "word ",
		"decodable runs": base64.StdEncoding.EncodeToString([]byte(prose)) + " ",
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				doc := parse(t, strings.Repeat(unit, n/len(unit)))
				doc.Views()
				best := time.Hour
				for range 5 {
					best = min(best, cputime.Of(func() {
						risk.Opaque(doc, func(s string) string { return s })
					}))
				}
				return best
			}
			small, large := cost(5_000), cost(160_000)
			if large > 256*small+20*time.Millisecond { // quadratic time would be a factor of 1024
				t.Errorf("32 times the text took %v instead of %v", large, small)
			}
		})
	}
}

func FuzzOpaque(f *testing.F) {
	f.Add("https://example.com/?d=" + base64.StdEncoding.EncodeToString(cipher(60)))
	f.Add(lines(hex.EncodeToString(cipher(90)), 60))
	f.Add("sha512-" + strings.Repeat("A", 86) + "==")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := text.Parse(text.Quote(s), "x")
		if err != nil {
			return
		}
		if signal, ok := risk.Opaque(doc, func(s string) string { return s }); ok && len(s) < 16 {
			t.Errorf("%q is opaque: %+v", s, signal)
		}
	})
}

func ExampleOpaque() {
	doc, _ := text.Parse(
		[]byte(`{"url":"https://example.com/?d=`+base64.RawURLEncoding.EncodeToString(cipher(60))+`"}`),
		"arguments",
	)
	s, _ := risk.Opaque(doc, func(name string) string { return name })
	fmt.Println(s.Kind, s.Path, s.Evidence)
	// Output: opaque_payload arguments.url 80 characters of base64 that cannot be decoded
}
