package auth

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/token"
)

const key = "the-owners-key"

// rig is an authenticator with one agent's and one auditor's token, and a clock.
type rig struct {
	*Authenticator
	tokens         *token.Store
	agent, auditor string
	now            time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	store, err := token.Open(filepath.Join(t.TempDir(), "tokens.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{tokens: store, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	r.Authenticator = New(func() string { return key }, store)
	r.guesses = newGuesses(func() time.Time { return r.now })
	for name, role := range map[string]token.Role{"ci": token.Agent, "eve": token.Auditor} {
		plain, _, err := store.Create(token.Spec{Name: name, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		if role == token.Agent {
			r.agent = plain
		} else {
			r.auditor = plain
		}
	}
	return r
}

func request(address string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = address
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

func TestWhichCredentialsAreAdmitted(t *testing.T) {
	r := newRig(t)
	const bearer, apiKey = "Authorization", "X-API-Key"
	const nobody = ""
	for _, c := range []struct {
		name          string
		header        []string
		trusted, open bool
		want          string
	}{
		{"nothing", nil, false, false, nobody},
		{"nothing, where nothing is needed", nil, false, true, Owner},
		{"nothing, over the socket", nil, true, false, Owner},
		{"the key", []string{apiKey, key}, false, false, Owner},
		{"the key as bearer", []string{bearer, "Bearer " + key}, false, false, Owner},
		{"the scheme in another case", []string{bearer, "bearer " + key}, false, false, Owner},
		{"another scheme", []string{bearer, "Basic " + key}, false, false, nobody},
		{"the beginning of the key", []string{apiKey, key[:5]}, false, false, nobody},
		{"more than the key", []string{apiKey, key + "x"}, false, false, nobody},
		{"a wrong key, where none is needed", []string{apiKey, "x"}, false, true, nobody},
		{"a wrong key over the socket", []string{apiKey, "x"}, true, false, nobody},
		{"the key, where none is needed", []string{apiKey, key}, false, true, Owner},
		{"the key over the socket", []string{apiKey, key}, true, true, Owner},
		{"a mangled token", []string{bearer, "Bearer " + r.agent[len(token.Prefix):]}, false, true, nobody},
		{"a mangled token of another scheme", []string{bearer, "Basic " + r.agent[len(token.Prefix):]}, true, true, nobody},
		{"a mangled token without a scheme", []string{bearer, r.agent[1:]}, false, true, nobody},
		{"a token that came out empty", []string{bearer, "Bearer "}, false, true, nobody},
		{"an empty key, which is none", []string{apiKey, ""}, true, true, Owner},
		{"the key without a scheme", []string{bearer, key}, false, false, nobody},
		{"a token", []string{bearer, "Bearer " + r.agent}, false, false, "ci"},
		{"a token as key", []string{apiKey, r.agent}, false, false, "ci"},
		{"a token, where none is needed", []string{apiKey, r.agent}, false, true, "ci"},
		{"a token over the socket", []string{apiKey, r.agent}, true, false, "ci"},
		{"an auditor", []string{apiKey, r.auditor}, false, false, "eve"},
		{"a wrong token, where none is needed", []string{apiKey, r.agent + "x"}, false, true, nobody},
		{"a wrong token over the socket", []string{apiKey, token.Prefix}, true, true, nobody},
		{"the key, and a token", []string{apiKey, key, bearer, "Bearer " + r.agent}, false, false, "ci"},
		{"the key, and a wrong token", []string{apiKey, key, bearer, "Bearer " + token.Prefix + "x"}, false, true, nobody},
		{"two tokens", []string{apiKey, r.auditor, bearer, "Bearer " + r.agent}, false, true, nobody},
		{"a token without a scheme", []string{bearer, r.agent}, false, true, "ci"},
		{"a token of another scheme", []string{bearer, "Token " + r.agent}, false, true, "ci"},
		{"a token in a parameter", []string{bearer, `Token token="` + r.agent + `"`}, false, true, "ci"},
		{"a token as a password", []string{bearer, "Basic " + base64.StdEncoding.EncodeToString([]byte("x:"+r.agent))}, false, true, "ci"},
		{"a bearer token as key", []string{apiKey, "Bearer " + r.agent}, false, true, "ci"},
		{"a token in the second header of that name", []string{apiKey, key, apiKey, r.agent}, false, true, "ci"},
		{"a wrong token in the second header", []string{bearer, "Bearer " + key, bearer, token.Prefix + "x"}, true, true, nobody},
		{"two tokens in one header", []string{apiKey, r.agent + "," + r.auditor}, false, true, nobody},
		{"the key in the second header of that name", []string{apiKey, "x", apiKey, key}, false, false, nobody},
		{"the same token twice", []string{apiKey, r.agent, bearer, "Bearer " + r.agent}, false, false, "ci"},
	} {
		id, refusal := r.Admit(request("192.0.2.1:1234", c.header...), c.trusted, c.open)
		if id.Principal != c.want || (refusal == nil) == (c.want == nobody) {
			t.Errorf("%s: let in as %q, refusal %v", c.name, id.Principal, refusal)
		}
		if refusal != nil && (refusal.Status != http.StatusUnauthorized || refusal.Message == "") {
			t.Errorf("%s: %+v", c.name, refusal)
		}
		if id.Principal != nobody && id.Local != c.trusted {
			t.Errorf("%s: local is %t", c.name, id.Local)
		}
	}
}

func TestWithoutAConfiguredKeyEveryKeyIsRefused(t *testing.T) {
	d := New(func() string { return "" }, nil)
	for _, header := range [][]string{nil, {"X-API-Key", ""}, {"Authorization", "Bearer "}, {"X-API-Key", token.Prefix + "x"}} {
		if id, refusal := d.Admit(request("192.0.2.1:1", header...), false, false); refusal == nil {
			t.Errorf("%v is let in as %q", header, id.Principal)
		}
	}
}

// guess sends n different wrong keys.
func (r *rig) guess(address string, n int) (last *Refusal) {
	for i := range n {
		_, last = r.Admit(request(address, "X-API-Key", fmt.Sprintf("guess-%d", i)), false, false)
	}
	return last
}

func TestGuessingIsLimited(t *testing.T) {
	r := newRig(t)
	if last := r.guess("192.0.2.1:1", maxGuesses); last.Status != http.StatusUnauthorized {
		t.Fatalf("the last of the allowed guesses: %+v", last)
	}
	id, refusal := r.Admit(request("192.0.2.1:99", "X-API-Key", key), false, false)
	if refusal == nil || refusal.Status != http.StatusTooManyRequests {
		t.Fatalf("after that many guesses the address is let in as %q", id.Principal)
	}
	h := http.Header{}
	refusal.Header(h)
	if h.Get("Retry-After") == "" || refusal.After <= 0 || refusal.After > forgiveAfter {
		t.Errorf("Retry-After %q, %s", h.Get("Retry-After"), refusal.After)
	}
	for name, c := range map[string]struct {
		address string
		trusted bool
	}{"from another address": {"192.0.2.2:1", false}, "over the socket": {"@", true}} {
		if _, refusal := r.Admit(request(c.address, "X-API-Key", key), c.trusted, false); refusal != nil {
			t.Errorf("the key is refused %s: %+v", name, refusal)
		}
	}
	r.now = r.now.Add(refusal.After)
	if _, refusal := r.Admit(request("192.0.2.1:1", "X-API-Key", key), false, false); refusal != nil {
		t.Errorf("after the wait it is refused still: %+v", refusal)
	}
}

// All programs on a machine share one address. None of them can lock the owner out with wrong keys, unless the key is
// short enough to be guessed.
func TestProgramsOfThisMachineDoNotKeepTheOwnerOut(t *testing.T) {
	for name, c := range map[string]struct {
		key, from string
		want      bool
	}{
		"a long key":              {strings.Repeat("k", longKey), "127.0.0.1:1", true},
		"a long key, over IPv6":   {strings.Repeat("k", longKey), "[::1]:1", true},
		"a long key, from afar":   {strings.Repeat("k", longKey), "192.0.2.1:1", false},
		"a key that is too short": {strings.Repeat("k", longKey-1), "127.0.0.2:1", false},
	} {
		r := newRig(t)
		r.key = func() string { return c.key }
		r.guess(c.from, 2*maxGuesses)
		if _, refusal := r.Admit(request(c.from, "X-API-Key", c.key), false, false); (refusal == nil) != c.want {
			t.Errorf("%s: %+v", name, refusal)
		}
	}
}

func TestTokensCannotBeGuessedFasterThanKeys(t *testing.T) {
	r := newRig(t)
	for i := range maxGuesses {
		r.Admit(request("192.0.2.1:1", "X-API-Key", fmt.Sprintf("%s%d", token.Prefix, i)), false, true)
	}
	_, refusal := r.Admit(request("192.0.2.1:1", "X-API-Key", r.agent), false, true)
	if refusal == nil || refusal.Status != http.StatusTooManyRequests {
		t.Errorf("refusal %+v", refusal)
	}
}

func TestRepeatingOneWrongKeyIsNotGuessing(t *testing.T) {
	r := newRig(t)
	for range 10 * maxGuesses {
		for _, old := range []string{"an-old-key", token.Prefix + "revoked"} {
			_, refusal := r.Admit(request("192.0.2.1:1", "X-API-Key", old), false, false)
			if refusal.Status != http.StatusUnauthorized {
				t.Fatalf("%+v", refusal)
			}
		}
		r.Admit(request("192.0.2.1:1"), false, false) // a missing key is not a guess
	}
	if _, refusal := r.Admit(request("192.0.2.1:1", "X-API-Key", key), false, false); refusal != nil {
		t.Errorf("a program with an old key keeps the owner out: %+v", refusal)
	}
}

func TestAllAddressesOfAnIPv6NetworkCountAsOne(t *testing.T) {
	r := newRig(t)
	for i := range maxGuesses {
		r.Admit(request(fmt.Sprintf("[2001:db8::%x]:1", i+1), "X-API-Key", fmt.Sprintf("guess-%d", i)), false, false)
	}
	if _, refusal := r.Admit(request("[2001:db8::ffff]:1", "X-API-Key", key), false, false); refusal == nil {
		t.Error("an address of the same network may go on guessing")
	}
	if _, refusal := r.Admit(request("[2001:db8:0:1::1]:1", "X-API-Key", key), false, false); refusal != nil {
		t.Error("an address of another network is kept out")
	}
}

func TestTheNumberOfRememberedAddressesIsBounded(t *testing.T) {
	r := newRig(t)
	r.guess("192.0.2.1:1", maxGuesses)
	for i := range 3 * maxAddresses {
		r.Admit(request(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), "X-API-Key", "x"), false, false)
	}
	if n := len(r.guesses.by); n > maxAddresses {
		t.Errorf("%d addresses are remembered", n)
	}
	if _, refusal := r.Admit(request("192.0.2.1:1", "X-API-Key", key), false, false); refusal == nil {
		t.Error("a crowd of addresses makes the authenticator forget who guessed most")
	}
}

// Wherever the prefix of a token occurs in the two headers, the sender does not count as the owner.
func FuzzATokenIsSeenInWhateverForm(f *testing.F) {
	f.Add("", "Bearer ", "")
	f.Add("k", "Token token=\"", "\"")
	f.Add("", "", " x")
	f.Fuzz(func(t *testing.T, apiKey, before, after string) {
		if before != "" && !isBorder([]rune(before)[len([]rune(before))-1]) {
			before += " "
		}
		d := New(func() string { return key }, nil)
		r := request("192.0.2.1:1")
		r.Header["X-Api-Key"], r.Header["Authorization"] = []string{
			apiKey,
		}, []string{
			before + token.Prefix + "x" + after,
		}
		if id, refusal := d.Admit(r, true, true); refusal == nil {
			t.Errorf("%q and %q are let in as %q", apiKey, r.Header["Authorization"], id.Principal)
		}
	})
}

func FuzzNoCredentialIsAdmittedBecauseOfItsForm(f *testing.F) {
	f.Add("k", "Bearer x")
	f.Add("", "bearer  "+key+"x")
	f.Add(token.Prefix, "")
	f.Fuzz(func(t *testing.T, apiKey, authorization string) {
		d := New(func() string { return key }, nil)
		r := request("192.0.2.1:1")
		r.Header["X-Api-Key"], r.Header["Authorization"] = []string{apiKey}, []string{authorization}
		id, refusal := d.Admit(r, false, false)
		if refusal == nil && apiKey != key && credentialsOf(r).all[0] != key {
			t.Errorf("%q and %q are let in as %q", apiKey, authorization, id.Principal)
		}
	})
}
