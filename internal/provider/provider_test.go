package provider_test

import (
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/provider"
)

// nobodys are prefixes of rules whose keys no single provider issues.
var nobodys = strings.Fields(`
	age_secret agent_config argon2 authorization_header basic_auth bcrypt bearer_token bitcoin_private browser_credential client_secret
	chpasswd client_config config_password device_password login_and smb_login sql_
	cloud_tool command_password cookie_header credential_directory crypto_wallet curl_auth database_ digest_auth encrypted_jwt env_file
	framework_password generic_ git_credentials gnupg jdbc jwk jwt kerberos key_folder key_store ldap libpq macaroon macos_keychain mysql_option
	netrc ntlm oauth_token one_time_code otpauth package_registry other_url openssl_pass password_in password_manager password_store pem_file pgpass private_key putty
	remote_access scram secret_in secrets_file session_cookie shell_history signature_header signed_url ssh_ stellar system_ unix_password
	url_credentials url_token vpn web_password webhook_signing user_and_password windows_credential windows_password wireguard psexec`)

func TestEveryKindOfKeyThatTheDetectorKnowsHasAnOwner(t *testing.T) {
	for _, r := range detect.Rules() {
		if slices.ContainsFunc(nobodys, func(n string) bool { return strings.HasPrefix(r.ID, n) }) {
			if p := provider.Of(r.ID); p != nil {
				t.Errorf("%s is a key of any provider, and belongs to %s", r.ID, p.Name)
			}
			continue
		}
		p := provider.Of(r.ID)
		if p == nil {
			t.Errorf("nobody owns %s", r.ID)
		} else if len(p.Hosts) == 0 && !p.Hosted && p.Name != "nostr" {
			t.Errorf("%s belongs to %s, which has no host", r.ID, p.Name)
		}
	}
}

func TestAKeyBelongsToItsProvidersHosts(t *testing.T) {
	for _, c := range []struct {
		kind, host string
		want       bool
	}{
		{"github_token", "api.github.com", true},
		{"github_fine_grained_token", "github.com", true},
		{"github_token", "API.GitHub.com.", true},
		{"github_token", "github.com.evil.example", false},
		{"github_token", "notgithub.com", false},
		{"github_token", "mallory.github.io", false},
		{"github_token", "api.github.com:443", false},
		{"github_token", "gist.githubusercontent.com", false},
		{"stripe_live_key", "api.stripe.com", true},
		{"stripe_live_key", "api.github.com", false},
		{"aws_access_key", "sts.eu-west-1.amazonaws.com", true},
		{"aws_secret_key", "s3.amazonaws.com", true},
		{"aws_secret_key", "mallory.s3.eu-west-1.amazonaws.com", false},
		{"aws_secret_key", "x1.execute-api.us-east-1.amazonaws.com", false},
		{"aws_secret_key", "ec2-1-2-3-4.compute-1.amazonaws.com", false},
		{"aws_secret_key", "lb-1.us-east-1.elb.amazonaws.com", false},
		{"openai_key", "api.openai.com", true},
		{"openai_key", "api.openai.com.mallory.example", false},
		{"slack_bot_token", "slack.com", true},
		{"huggingface_token", "huggingface.co", true},
		{"huggingface_token", "mallory.hf.space", false},
		{"gcp_api_key", "generativelanguage.googleapis.com", true},
		{"datadog_key", "api.datadoghq.eu", true},
		{"generic_secret", "api.github.com", false},
	} {
		if got := provider.Of(c.kind).Host(c.host); got != c.want {
			t.Errorf("%s at %s: %v", c.kind, c.host, got)
		}
	}
}

func TestAVariableNamesItsProvider(t *testing.T) {
	for name, want := range map[string]string{
		"GITHUB_TOKEN":      "github",
		"GH_TOKEN":          "github",
		"OPENAI_API_KEY":    "openai",
		"STRIPE_SECRET_KEY": "stripe",
		"HF_TOKEN":          "huggingface",
		"gh auth token":     "github",
		"API_KEY":           "",
		"MY_STRIPE_KEY":     "",
		"":                  "",
	} {
		got := ""
		if p := provider.Variable(name); p != nil {
			got = p.Name
		}
		if got != want {
			t.Errorf("%s is %q's, want %q", name, got, want)
		}
	}
}

func TestAProviderKnowsItsOwnServer(t *testing.T) {
	github := provider.Of("github_token")
	if !github.Server([]string{"my", "github"}) || github.Server([]string{"bank"}) {
		t.Error("the words of a server's name decide")
	}
	var nobody *provider.Provider
	if nobody.Server([]string{"github"}) || nobody.Host("github.com") {
		t.Error("a key of nobody has no home")
	}
}
