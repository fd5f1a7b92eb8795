package detect_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

const (
	digits = "0123456789"
	hex    = "abcdef" + digits
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum  = lower + upper + digits
	base32 = upper + "234567"
	bech32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
)

// mix is n characters of an alphabet, spread so evenly that no entropy check
// takes them for a placeholder.
func mix(alphabet string, n int) string {
	var b strings.Builder
	for i, at := 0, 3; i < n; i, at = i+1, at+(len(alphabet)*5/8|1) {
		if i > 0 && i%len(alphabet) == 0 {
			at++
		}
		b.WriteByte(alphabet[at%len(alphabet)])
	}
	return b.String()
}

// sample is a made-up secret of one rule: the value, the text it stands in
// (with % in its place; alone when empty), and texts that only look like it.
type sample struct {
	value, in string
	near      []string
}

// text is the sample as it would be met.
func (s sample) text() string {
	if s.in == "" {
		return s.value
	}
	return strings.ReplaceAll(s.in, "%", s.value)
}

// samples hold one sample per rule. The values are put together here, so that
// no file of this repository holds anything that looks like a secret.
var samples = map[string]sample{
	"aws_access_key":       {value: "AKIA" + mix(base32, 16), near: []string{"AKIA" + mix(base32, 15), "AKIA" + strings.Repeat("A", 16), "xAKIA" + mix(base32, 16)}},
	"aws_secret_key":       {value: mix(alnum+"/+", 40), in: "aws_secret_access_key = %", near: []string{mix(alnum, 40), "aws_secret_access_key = " + mix(alnum, 39), "aws_secret_access_key = " + mix(alnum, 41)}},
	"gcp_api_key":          {value: "AIza" + mix(alnum, 35), near: []string{"AIza" + mix(alnum, 34), "AIza" + mix(alnum, 36), "AIza" + strings.Repeat("x", 35)}},
	"gcp_oauth_secret":     {value: "GOCSPX-" + mix(alnum, 28), near: []string{"GOCSPX-" + mix(alnum, 27), "GOCSPX_" + mix(alnum, 28)}},
	"azure_storage_key":    {value: mix(alnum+"+/", 86) + "==", in: "AccountName=x;AccountKey=%;Endpoint=y", near: []string{"AccountKey=" + mix(alnum, 85) + "==", mix(alnum, 86) + "=="}},
	"azure_client_secret":  {value: "aB3" + "8Q~" + mix(alnum, 34), near: []string{"aB3" + "8Q~" + mix(alnum, 30), "aB3" + "8Q-" + mix(alnum, 34)}},
	"digitalocean_token":   {value: "dop_v1_" + mix(hex, 64), near: []string{"dop_v1_" + mix(hex, 63), "dox_v1_" + mix(hex, 64)}},
	"cloudflare_origin_ca": {value: "v1.0-" + mix(hex, 24) + "-" + mix(hex, 146), near: []string{"v1.0-" + mix(hex, 24) + "-" + mix(hex, 145)}},

	"github_token":              {value: "ghp_" + mix(alnum, 36), near: []string{"ghp_" + mix(alnum, 35), "ghx_" + mix(alnum, 36), "xghp_" + mix(alnum, 36), "ghp_" + strings.Repeat("x", 36)}},
	"github_fine_grained_token": {value: "github_pat_" + mix(alnum, 22) + "_" + mix(alnum, 59), near: []string{"github_pat_" + mix(alnum, 22) + "_" + mix(alnum, 58)}},
	"gitlab_token":              {value: "glpat-" + mix(alnum, 20), near: []string{"glpat-" + mix(alnum, 19), "glpxt-" + mix(alnum, 20)}},
	"slack_token":               {value: "xoxb-" + mix(digits, 12) + "-" + mix(alnum, 24), near: []string{"xoxb-" + mix(alnum, 10), "xoxz-" + mix(alnum, 30)}},
	"slack_webhook":             {value: "https://hooks.slack.com/services/" + "T" + mix(base32, 8) + "/B" + mix(base32, 10) + "/" + mix(alnum, 24), near: []string{"https://hooks.slack.com/services/T1/B2", "https://hooks.slack.example.com/services/" + mix(alnum, 44)}},
	"discord_webhook":           {value: "https://discord.com/api/webhooks/" + mix(digits, 18) + "/" + mix(alnum, 68), near: []string{"https://discord.com/api/webhooks/" + mix(digits, 18) + "/" + mix(alnum, 20)}},
	"stripe_key":                {value: "sk_live_" + mix(alnum, 24), near: []string{"sk_live_" + mix(alnum, 15), "pk_live_" + mix(alnum, 24)}},
	"npm_token":                 {value: "npm_" + mix(alnum, 36), near: []string{"npm_" + mix(alnum, 35), "npm_" + mix(alnum, 37)}},
	"pypi_token":                {value: "pypi-AgEI" + "cHlwaS5vcmc" + mix(alnum, 60), near: []string{"pypi-AgEI" + "cHlwaS5vcmc" + mix(alnum, 40), "pypi-" + mix(alnum, 80)}},
	"sendgrid_key":              {value: "SG." + mix(alnum, 22) + "." + mix(alnum, 43), near: []string{"SG." + mix(alnum, 22) + "." + mix(alnum, 42), "SG." + mix(alnum, 22) + "." + mix(alnum, 44)}},
	"twilio_key":                {value: "SK" + mix(hex, 32), near: []string{"SK" + mix(hex, 31), "SK" + strings.ToUpper(mix(hex, 32)), "AC" + mix(hex, 32)}},
	"telegram_bot_token":        {value: mix(digits, 10) + ":AA" + mix(alnum, 33), near: []string{mix(digits, 10) + ":AB" + mix(alnum, 33), mix(digits, 10) + ":AA" + mix(alnum, 32)}},
	"shopify_token":             {value: "shpat_" + mix(hex, 32), near: []string{"shpat_" + mix(hex, 31), "shpxx_" + mix(hex, 32)}},
	"notion_token":              {value: "ntn_" + mix(digits, 11) + mix(alnum, 35), near: []string{"ntn_" + mix(digits, 11) + mix(alnum, 34)}},
	"linear_key":                {value: "lin_api_" + mix(alnum, 40), near: []string{"lin_api_" + mix(alnum, 39)}},
	"hashicorp_vault_token":     {value: "hvs." + mix(alnum, 24), near: []string{"hvs." + mix(alnum, 23), "hvx." + mix(alnum, 24)}},
	"bearer_token":              {value: mix(alnum, 32), in: "Authorization: Bearer %", near: []string{"Authorization: Bearer " + mix(alnum, 20), "Authorization: Basic " + mix(alnum, 32), "Bearer of bad news"}},

	"openai_key":        {value: "sk-proj-" + mix(alnum, 40), near: []string{"sk-proj-" + mix(alnum, 8), "sk-learn-" + mix(alnum, 40), "task-" + mix(alnum, 40)}},
	"anthropic_key":     {value: "sk-ant-" + "api03-" + mix(alnum, 80), near: []string{"sk-ant-" + "api03-" + mix(alnum, 20)}},
	"huggingface_token": {value: "hf_" + mix(lower+upper, 34), near: []string{"hf_" + mix(lower+upper, 33), "hf_" + mix(digits, 34)}},
	"groq_key":          {value: "gsk_" + mix(alnum, 52), near: []string{"gsk_" + mix(alnum, 51)}},
	"replicate_token":   {value: "r8_" + mix(alnum, 37), near: []string{"r8_" + mix(alnum, 36)}},
	"perplexity_key":    {value: "pplx-" + mix(alnum, 48), near: []string{"pplx-" + mix(alnum, 47)}},

	"private_key": {value: pem("RSA PRIVATE KEY"), near: []string{pem("PUBLIC KEY"), "-----BEGIN " + "PRIVATE KEY-----\nMII"}},
	"putty_key": {value: "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 2\n" + mix(alnum, 64) +
		"\nPrivate-Lines: 1\n" + mix(alnum, 64), near: []string{"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\n" + mix(alnum, 64)}},
	"age_secret_key": {value: "AGE-SECRET-KEY-" + "1" + mix(bech32, 58), near: []string{"AGE-SECRET-KEY-" + "1" + mix(bech32, 57)}},
	"jwt":            {value: "ey" + mix(alnum, 20) + ".ey" + mix(alnum, 30) + "." + mix(alnum, 43), near: []string{"ey" + mix(alnum, 20) + ".xy" + mix(alnum, 30) + "." + mix(alnum, 43), "ey" + mix(alnum, 20) + ".ey" + mix(alnum, 30)}},

	"database_url":          {value: "postgres://app:" + mix(alnum, 14) + "@db.internal:5432/prod", near: []string{"postgres://db.internal:5432/prod", "postgres://app@db.internal/prod", "https://app:" + mix(alnum, 14) + "@db.internal"}},
	"ado_connection_string": {value: mix(alnum, 14), in: "Server=db;Database=x;User Id=sa;Password=%;", near: []string{"Server=db;Database=x;Integrated Security=true;", "Password=" + mix(alnum, 14)}},
}

func pem(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + mix(alnum, 64) + "\n" + mix(alnum, 48) + "\n-----END " + kind + "-----"
}

// detector is shared by the tests, as it is by the calls of a proxy.
var detector = detect.New(detect.Rules())

// find reads raw, which must be valid.
func find(t interface{ Fatal(...any) }, raw []byte) (*text.Document, []detect.Finding) {
	doc, err := text.Parse(raw, "arguments")
	if err != nil {
		t.Fatal(err)
	}
	found, err := detector.Find(doc)
	if err != nil {
		t.Fatal(err)
	}
	return doc, found
}

// values lists what rule found in s.
func values(t *testing.T, rule, s string) []string {
	t.Helper()
	_, found := find(t, text.Quote(s))
	var out []string
	for _, f := range found {
		if f.Rule.ID == rule {
			out = append(out, f.Value)
		}
	}
	return out
}
