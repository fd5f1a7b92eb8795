package detect

import "mcpproxy"

// cloudRules: credentials of cloud providers.
var cloudRules = []Rule{
	{ID: "aws_access_key", Category: "cloud_credentials", Severity: mcpproxy.SeverityCritical, Entropy: 2.8, Confidence: 0.98,
		Pattern: `\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`},
	{ID: "aws_secret_key", Category: "cloud_credentials", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.95,
		Pattern: `(?i)(?:aws|secret)[a-z0-9_ .\-]{0,25}(?:key|token|secret)["']?\s{0,3}(?:=|:|=>|is)\s{0,3}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`},
	{ID: "gcp_api_key", Category: "cloud_credentials", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.97,
		Pattern: `\b(AIza[0-9A-Za-z_\-]{35})(?:[^0-9A-Za-z_\-]|$)`},
	{ID: "gcp_oauth_secret", Category: "cloud_credentials", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.97,
		Pattern: `\b(GOCSPX-[0-9A-Za-z_\-]{28})(?:[^0-9A-Za-z_\-]|$)`},
	{ID: "azure_storage_key", Category: "cloud_credentials", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.97,
		Pattern: `(?i)AccountKey\s{0,2}=\s{0,2}([A-Za-z0-9+/]{86}==)`},
	{ID: "azure_client_secret", Category: "cloud_credentials", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.9,
		Pattern: `\b([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34})(?:[^A-Za-z0-9_~.\-]|$)`},
	{ID: "digitalocean_token", Category: "cloud_credentials", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.99,
		Pattern: `\b(do[opr]_v1_[a-f0-9]{64})\b`},
	{ID: "cloudflare_origin_ca", Category: "cloud_credentials", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.97,
		Pattern: `\b(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})\b`},
}
