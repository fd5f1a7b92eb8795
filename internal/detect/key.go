package detect

import "mcpproxy"

// keyRules: private keys and signed tokens.
var keyRules = []Rule{
	{ID: "private_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.99,
		Pattern: `(-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.\-]{40,}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,.\-]{40,}))`},
	{ID: "putty_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.98,
		Pattern: `(PuTTY-User-Key-File-[23]: [\s\S]{20,}?Private-Lines: [0-9]{1,3}[A-Za-z0-9+/=\s]{20,})`},
	{ID: "age_secret_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.99,
		Pattern: `\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b`},
	{ID: "jwt", Category: "auth_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.97,
		Pattern: `\b(ey[A-Za-z0-9_\-]{14,}\.ey[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{16,})`},
}
