package detect

import (
	"slices"
	"strings"

	"mcpproxy"
)

// Patterns of this family begin with the distinctive part of a path and leave out the folders before it. A pattern
// that can begin anywhere in a path would slow down all reading.

// pathTo returns the pattern of a path that ends with one of some names. The names in hidden follow a dot; those in
// others do not. Only the end of the text, or characters that cannot continue a path, may follow the name.
func pathTo(hidden, others string) string {
	var names []string
	if hidden != "" {
		names = append(names, `\.(?:`+hidden+`)`)
	}
	if others != "" {
		names = append(names, `\b(?:`+others+`)`)
	}
	return `(?i)(` + strings.Join(names, "|") + `)` + pathEnd
}

// fileOf returns the pattern of files with one of the extensions.
func fileOf(endings string) string {
	return `(?i)[A-Za-z0-9_\-*)}](\.(?:` + endings + `))` + pathEnd
}

const pathEnd = `\.?(?:[^A-Za-z0-9_.\-/\\]|$)`

// fileRules are for paths of files that contain secrets. They are weaker signals than the secrets themselves, because
// a call that names a file need not read it.
var fileRules = []Rule{
	{
		ID:         "ssh_key_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Check:      isNoSSHConfig,
		Pattern:    pathTo(`ssh[/\\]+[a-z0-9_\-*]+`, `id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|ssh_host_[a-z0-9]+_key`),
	},
	{
		ID:         "credential_directory",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern:    `[/\\](\.(?:ssh|aws|gnupg|kube|docker|azure|password-store|mozilla|config[/\\]gcloud))[/\\]?(?:[^A-Za-z0-9_.\-/\\]|$)`,
	},
	{
		ID:         "ssh_config_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityLow,
		Confidence: 0.85,
		Pattern:    pathTo(`ssh[/\\]+(?:authorized_keys2?|known_hosts|config)`, `sshd_config`),
	},
	{
		ID:         "gnupg_key_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Pattern: pathTo(
			`gnupg[/\\]+(?:secring\.gpg|private-keys-v1\.d[a-z0-9/\\.\-]*|trustdb\.gpg)`,
			`secring\.gpg`,
		),
	},
	{
		ID:         "aws_credentials_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Pattern: pathTo(
			`aws[/\\]+(?:credentials|config|(?:sso|cli)[/\\]+cache[a-z0-9/\\.\-]*)|boto|s3cfg|passwd-s3fs`,
			``,
		),
	},
	{
		ID:         "gcloud_credentials_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			``,
			`gcloud[/\\]+(?:credentials\.db|access_tokens\.db|legacy_credentials[a-z0-9/\\.@\-]*)|application_default_credentials\.json|service[_\-]?account[a-z0-9_\-]*\.json|client_secrets?(?:_[a-z0-9_.\-]+)?\.json`,
		),
	},
	{
		ID:         "firebase_key_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Pattern:    `\b(firebase-adminsdk-[a-z0-9]+-[a-z0-9]+\.json)`,
	},
	{
		ID:         "azure_credentials_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			`azure[/\\]+(?:accesstokens\.json|msal_token_cache\.(?:json|bin)|azureprofile\.json|service_principal_entries\.(?:json|bin))`,
			`azureauth\.json`,
		),
	},
	{
		ID:         "cloud_tool_credentials_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Pattern: pathTo(
			`config[/\\]+(?:doctl|hcloud|scw|linode-cli|op|stripe|fly|heroku|netlify|vercel|configstore|rclone)[/\\]+[a-z0-9_.\-]+|oci[/\\]+config|bluemix[/\\]+config\.json|fly[/\\]+config\.yml|aliyun[/\\]+config\.json`,
			`rclone\.conf`,
		),
	},
	{
		ID:         "key_folder_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.85,
		Pattern: pathTo(
			`(?:keys|secrets|credentials|creds)[/\\]+[a-z0-9_.\-]+`,
			`(?:keys|secrets|credentials|creds)[/\\]+[a-z0-9_.\-]+\.(?:json|p12|pfx|pem|key|kdbx|env|txt)`,
		),
		Check: isNoTranslation,
	},
	{
		ID:         "vault_password_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern:    pathTo(`vault-token|vault_pass(?:word)?(?:\.txt)?|vaultpass`, ``),
	},
	{
		ID:         "kubernetes_config_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Pattern: pathTo(
			`kube[/\\]+config`,
			`kubeconfig\.ya?ml|etc[/\\]+kubernetes[/\\]+(?:admin|controller-manager|scheduler|kubelet|super-admin)\.conf|serviceaccount[/\\]+token|k3s\.yaml`,
		),
	},
	{
		ID:         "docker_config_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern:    pathTo(`docker[/\\]+config\.json|dockercfg|dockerconfigjson`, `containers[/\\]+auth\.json`),
	},
	{
		ID:         "env_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern:    `(?i)(?:^|[\s"'` + "`" + `=:(,/\\<>\[])((?:\.env(?:\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|secrets?|ci|live|docker|backup|bak|vault|keys)(?:\.local)?)?|\.envrc|\.flaskenv|(?:prod|production|staging|secrets?)\.env))` + pathEnd,
	},
	{
		ID:         "netrc_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Pattern:    pathTo(`netrc`, `_netrc`),
	},
	{
		ID:         "package_registry_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.9,
		Pattern: pathTo(
			`npmrc|pypirc|yarnrc(?:\.yml)?|gem[/\\]+credentials|cargo[/\\]+credentials(?:\.toml)?|m2[/\\]+settings(?:-security)?\.xml|composer[/\\]+auth\.json|gradle[/\\]+gradle\.properties|bundle[/\\]+config|hex[/\\]+hex\.config`,
			`nuget\.config`,
		),
	},
	{
		ID:         "git_credentials_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Pattern: pathTo(
			`git-credentials|config[/\\]+git[/\\]+credentials|config[/\\]+(?:gh[/\\]+hosts\.yml|hub|glab-cli[/\\]+config\.yml|tea[/\\]+config\.yml)`,
			``,
		),
	},
	{
		ID:         "database_password_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Pattern: pathTo(
			`pgpass|my\.cnf|mylogin\.cnf|mongorc\.js|odbc\.ini`,
			`pgpass\.conf|data-sources-local\.xml|tnsnames\.ora|wp-config\.php|database\.yml`,
		),
	},
	{
		ID:         "system_password_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			``,
			`etc[/\\]+(?:shadow|gshadow|master\.passwd|security[/\\]+o?passwd|sudoers(?:\.d[/\\]+[a-z0-9_.\-]+)?|krb5\.keytab)-?|var[/\\]+db[/\\]+dslocal[/\\]+nodes[a-z0-9/\\.\-]*`,
		),
	},
	{
		ID:         "system_account_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern: pathTo(
			``,
			`etc[/\\]+(?:passwd|group)-?|proc[/\\]+(?:self|[0-9]+|\*)[/\\]+(?:environ|cmdline|mem|maps)`,
		),
	},
	{
		ID:         "windows_credential_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			``,
			`system32[/\\]+config[/\\]+(?:sam|system|security|regback[/\\]+[a-z]+)|ntds\.dit|repair[/\\]+sam|microsoft[/\\]+(?:credentials|protect|vault)(?:[/\\]+[a-z0-9/\\.\-]*)?|unattend(?:ed)?\.xml|sysprep\.(?:inf|xml)|groups\.xml|web\.config|hklm[/\\]+(?:sam|security)`,
		),
	},
	{
		ID:         "macos_keychain_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			``,
			`login\.keychain(?:-db)?|system\.keychain|library[/\\]+keychains(?:[/\\]+[a-z0-9_.\-/]*)?|keychain-2\.db`,
		),
	},
	{
		ID:         "key_store_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern:    fileOf(`p12|pfx|ppk|jks|jceks|keystore|keytab|pkcs12|pvk|snk|mobileprovision|publishsettings`),
	},
	{
		ID:         "pem_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityLow,
		Confidence: 0.75,
		Pattern:    fileOf(`pem`),
	},
	{
		ID:         "private_key_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern:    `(?i)([/\\](?:private|privkey|server|client|tls|ssl|ca|host|key|rsa|ecdsa|ed25519)\.(?:key|pem)|\b(?:private[_\-]?key|privkey|rsa_key|id_rsa)\.(?:pem|key|der)|\bauthkey_[a-z0-9]+\.p8)` + pathEnd,
	},
	{
		ID:         "kerberos_ticket_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Pattern:    pathTo(``, `krb5cc_[a-z0-9]+`),
	},
	{
		ID:         "password_manager_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern:    fileOf(`kdbx?|agilekeychain|opvault|1pif|1pux|psafe3|enpassdb|walletx`),
	},
	{
		ID:         "password_store_directory",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern:    pathTo(`password-store[a-z0-9_.\-/\\]*`, `bitwarden(?: cli)?[/\\]+data\.json`),
	},
	{
		ID:         "crypto_wallet_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			`ethereum[/\\]+keystore[a-z0-9_.\-/\\]*|electrum[/\\]+wallets[a-z0-9_.\-/\\]*|bitcoin[/\\]+[a-z0-9_.\-]+|monero[/\\]+[a-z0-9_.\-]+`,
			`wallet\.dat|electrum[/\\]+wallets[a-z0-9_.\-/\\]*|keystore[/\\]+utc--[a-z0-9.\-]+|solana[/\\]+id\.json|exodus[/\\]+exodus\.wallet[a-z0-9_.\-/\\]*|nkbihfbeogaeaoehlefnkodbefgpgknn`,
		),
	},
	{
		ID:         "browser_credential_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern: pathTo(
			`mozilla[/\\]+firefox[a-z0-9_.\-/\\]*`,
			`(?:default|profile [0-9]+|network|user data)[/\\]+(?:login data|cookies|web data|local state)|logins\.json|key[34]\.db|cookies\.sqlite|signons\.sqlite|cookies\.binarycookies|(?:google-chrome|chromium|bravesoftware)[/\\]+default[a-z0-9_.\-/\\]*`,
		),
	},
	{
		ID:         "terraform_state_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Pattern:    fileOf(`tfstate(?:\.backup)?|tfvars(?:\.json)?`),
	},
	{
		ID:         "terraform_credentials_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Pattern:    pathTo(`terraformrc|pulumi[/\\]+credentials\.json`, `credentials\.tfrc\.json`),
	},
	{
		ID:         "shell_history_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.93,
		Pattern: pathTo(
			`(?:bash|zsh|sh|ksh|fish|mysql|psql|sqlite|python|node_repl|rediscli|irb|mongo|dbshell)_?history|zhistory|dbshell|lesshst|viminfo`,
			`fish_history|consolehost_history\.txt`,
		),
	},
	{
		ID:         "remote_access_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Pattern: pathTo(
			`vnc[/\\]+passwd|remmina|ftpconfig`,
			`wireguard[/\\]+[a-z0-9_.\-]+|wg[0-9]\.conf|sitemanager\.xml|recentservers\.xml|filezilla\.xml|winscp\.ini|ultravnc\.ini|confcons\.xml|ws_ftp\.ini|sftp-config\.json`,
		),
	},
	{
		ID:         "vpn_profile_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern:    fileOf(`ovpn|rdp|tblk|pcf`),
	},
	{
		ID:         "secrets_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.8,
		Pattern:    `(?i)\b((?:secrets?|credentials?|creds|passwords?)\.(?:ya?ml|json|toml|ini|txt|env|properties|csv|xml|conf|enc|db|xlsx?)|master\.key|credentials\.yml\.enc|appsettings\.(?:production|staging|development|local)\.json|local\.settings\.json|run[/\\]secrets[/\\][a-z0-9_.\-]+|token\.json)` + pathEnd,
	},
	{
		ID:         "web_password_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.9,
		Pattern:    pathTo(`htpasswd|renviron`, ``),
	},
	{
		ID:         "agent_config_file",
		Category:   "sensitive_file",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Pattern: pathTo(
			`claude\.json|claude[/\\]+(?:\.credentials\.json|settings(?:\.local)?\.json)|codex[/\\]+auth\.json|gemini[/\\]+oauth_creds\.json|cursor[/\\]+mcp\.json|mcp\.json|continue[/\\]+config\.(?:json|ya?ml)|aider\.conf\.yml`,
			`claude_desktop_config\.json|mcp_config\.json|github-copilot[/\\]+(?:hosts|apps)\.json`,
		),
	},
}

// isNoSSHConfig reports whether a path in ~/.ssh is not a file that everybody may read.
func isNoSSHConfig(path string) bool {
	low := strings.ToLower(path)
	name := low[strings.LastIndexAny(low, `/\`)+1:]
	return !slices.Contains(
		[]string{"config", "known_hosts", "authorized_keys", "authorized_keys2", "environment", "rc"},
		name,
	)
}

// isNoTranslation reports whether a file in a folder "keys" contains neither translations, as keys/en.json does, nor
// public keys.
func isNoTranslation(path string) bool {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	base, _, _ := strings.Cut(name, ".")
	language := strings.HasSuffix(name, ".json") && (len(base) == 2 || len(base) == 5 && (base[2] == '-' || base[2] == '_'))
	return !language && !strings.Contains(name, "pub") && !strings.Contains(name, "readme") && !strings.Contains(name, "example")
}
