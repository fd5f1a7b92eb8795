package detect_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// secretNames are names for which every random value counts.
var secretNames = []string{"API_KEY=", "auth_secret: ", `"token": "`, "--access-key "}

// Shows: RFC-3.
func TestRandomValuesUnderASecretNameAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]string{alnum, hex, lower + digits, upper + digits}).Draw(t, "alphabet")
		value := mix(alphabet, rapid.IntRange(24, 80).Draw(t, "length"))
		at := rapid.IntRange(0, 9).Draw(t, "turn")
		value = value[at:] + value[:at]
		name := rapid.SampledFrom(secretNames).Draw(t, "name")
		if strings.Contains(name, `"`) {
			value += `"`
		}
		if _, found := find(t, text.Quote(name+value)); len(found) == 0 {
			t.Errorf("nothing found in %q", name+value)
		}
	})
}

// Sentences about keys, tokens and passwords from ordinary documents.
func TestOrdinaryTextHoldsNoGenericSecret(t *testing.T) {
	for name, s := range map[string]string{
		"a function call":           "token = generateAccessToken2(user)",
		"a field of a structure":    "secret = config.Providers.Main2.Secret",
		"a shell variable":          `API_KEY="$PROD_API_KEY_2"`,
		"a template":                "password: {{ .Values.db.password2 }}",
		"a workflow's secret":       "token: ${{ secrets.DEPLOY_TOKEN_2 }}",
		"a printf verb":             `log.Printf("token=%s12345678901234567", t)`,
		"a path":                    "key_file = /etc/ssl/private2/server.key",
		"a vault path":              "secret: secret/data/production/database2",
		"a module's hash":           "example.com/token v1.2.0 h1:" + mix(alnum, 43) + "=",
		"a page token":              `"nextPageToken": "` + mix(alnum, 40) + `"`,
		"a public key":              "public_key = " + mix(hex, 64),
		"a key's fingerprint":       "api_key_fingerprint: " + mix(hex, 40),
		"an identifier of a secret": `"secret_arn": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf"`,
		"a date":                    "token_expires = 2026-01-01T00:00:00Z",
		"a version":                 "auth-token-library: jwt-tools-1.22.3",
		"a count":                   `"max_tokens": 4096, "prompt_tokens": 12345678901234567890`,
		"a kind of password":        "password: argon2id-with-salt",
		"a label":                   "Password: must contain 8 characters",
		"a type":                    "password: string; token: string | undefined",
		"a class":                   `<input class="token-field-32-large" name="password">`,
		"a test's result":           "--- PASS: TestPasswordReset2 (0.00s)",
		"a question":                "password? (yes/no)",
		"words joined by dashes":    "token: correct-horse-battery-staple-4",
		"an upper-case name":        "secret_name: PROD_DATABASE_PASSWORD_2",
	} {
		t.Run(name, func(t *testing.T) {
			_, found := find(t, text.Quote(s))
			for _, f := range found {
				if f.Rule.Category != "sensitive_file" && !f.Example {
					t.Errorf("%s: %q in %q", f.Rule.ID, f.Value, s)
				}
			}
		})
	}
}

func TestGenericRulesYieldToSpecificRules(t *testing.T) {
	for name, s := range map[string]string{
		"a provider's token": "API_TOKEN=ghp_" + mix(alnum, 36),
		"a provider's name":  "DISCORD_API_TOKEN=" + mix(hex, 64),
		"a bearer token":     "Authorization: Bearer " + mix(alnum, 40),
		"a client's secret":  "CLIENT_SECRET=" + mix(alnum, 40),
	} {
		t.Run(name, func(t *testing.T) {
			_, found := find(t, text.Quote(s))
			if len(found) != 1 || found[0].Rule.Category == "high_entropy" ||
				found[0].Severity == mcpproxy.SeverityLow {
				t.Errorf("%+v", found)
			}
		})
	}
}
