package value

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/flow/model"
)

const (
	base62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base16 = "0123456789abcdef"
)

func randomWord(r *rand.Rand, n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// A random secret is sent in pieces of at least eight characters, in any calls, order and direction. The call that
// reaches the needed number of characters is a hit.
func TestASecretInPiecesIsAHitWhenEnoughIsSent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		n := rapid.IntRange(16, 120).Draw(rt, "length")
		secret := randomWord(r, n, base62)
		for !wordless(model.Cost(skeletonOf(secret), nil)) { // a random secret can contain a word
			secret = randomWord(r, n, base62)
		}
		v := &Values{}
		v.Add(0, result(t, customersCSV), nil, maxScanned, nil)
		v.Add(1, result(t, "x"), nil, maxScanned, []Secret{{Value: secret, Category: "api_token"}})
		var pieces []string
		for rest := secret; len(rest) >= 8; {
			size := min(8+r.IntN(6), len(rest))
			pieces = append(pieces, rest[:size])
			rest = rest[size:]
		}
		r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		backwards := rapid.Bool().Draw(rt, "backwards")
		needed := max(12, min((2*n+4)/5, 48))
		left := 0
		for i, p := range pieces {
			left += len(p)
			if backwards {
				b := []byte(p)
				slices.Reverse(b)
				p = string(b)
			}
			hit := slices.ContainsFunc(sent(t, v, says("part "+p+" thanks")), func(h Hit) bool { return h.Ref == 1 })
			if !hit && left >= needed ||
				hit && left+2*(i+1) < needed { // a character next to a piece may match by chance
				rt.Fatalf("%d of %d characters are sent and %d are needed: hit = %v", left, n, needed, hit)
			}
		}
	})
}

// A call that was stopped may be repeated. Its pieces count as sent both times.
func TestASecretThatIsSentTwiceIsAHitTwice(t *testing.T) {
	secret := randomWord(rand.New(rand.NewPCG(4, 4)), 40, base62)
	v := &Values{}
	v.Add(0, result(t, "x"), nil, maxScanned, []Secret{{Value: secret, Category: "api_token"}})
	for range 2 {
		seen := false
		for i := 0; i+8 <= len(secret); i += 8 {
			seen = len(sent(t, v, says("n "+secret[i:i+8]+" n"))) > 0
		}
		if !seen {
			t.Error("the last piece is not a hit")
		}
	}
}

func TestShortPiecesCountIfTheyContinueEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	secret := randomWord(r, 40, base62)
	v := &Values{}
	v.Add(0, result(t, "x"), nil, maxScanned, []Secret{{Value: secret, Category: "api_token"}})
	for i := 0; i+6 <= len(secret); i += 6 {
		hit := len(sent(t, v, says("n "+secret[i:i+6]+" n"))) > 0
		if want := i+6 >= 16; hit != want {
			t.Errorf("%d characters are sent: hit = %v", i+6, hit)
		}
	}
}

// Ordinary text that a session sends must not add up to a secret.
func TestBenignTextDoesNotAddUpToSecrets(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	v := &Values{}
	for i := range 200 {
		v.Add(uint16(i), result(t, "x"), nil, maxScanned, []Secret{
			{
				Value:    randomWord(r, 40, base62),
				Category: "api_token",
			},
			{Value: randomWord(r, 32, base16), Category: "api_token"},
			{Value: "the-quick-brown-fox-jumps-over-" + randomWord(r, 8, base62), Category: "credential"},
		})
	}
	for range 30 {
		if hits := sent(t, v, says(randomWord(r, 4<<10, base62)+" "+randomWord(r, 4<<10, base16))); len(hits) != 0 {
			t.Fatalf("%+v", hits)
		}
		if hits := sent(
			t,
			v,
			says("The quick brown fox jumps over the lazy dog, and over the fence."),
		); len(
			hits,
		) != 0 {
			t.Fatalf("%+v", hits)
		}
	}
}

func TestSecretsWithTheSameBeginningAreDistinguished(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	head := "eyJhbGciOiJIUzI1NiJ9."
	v := &Values{}
	var secrets []string
	for i := range 50 {
		secrets = append(secrets, head+randomWord(r, 60, base62))
		v.Add(uint16(i), result(t, "x"), nil, maxScanned, []Secret{{Value: secrets[i], Category: "api_token"}})
	}
	if hits := sent(t, v, says("a token begins with "+head)); len(hits) != 0 {
		t.Errorf("the common beginning is a hit: %+v", hits)
	}
	hits := sent(t, v, says("half of it: "+secrets[17][:60]))
	if len(hits) != 1 || hits[0].Ref != 17 || hits[0].Match != "shards" {
		t.Errorf("%+v", hits)
	}
}
