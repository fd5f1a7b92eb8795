package detect

import "mcpproxy"

// keyRules: private keys and signed tokens.
var keyRules = []Rule{
	{ID: "private_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.99,
		Pattern: `(----[- ]BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?[- ]----(?:[A-Za-z0-9+/=\s\\:,.\-]{40,}?----[- ]END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?[- ]----|[A-Za-z0-9+/=\s\\:,.\-]{40,}))`, Check: isPEM},
	{ID: "putty_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.98,
		Pattern: `(PuTTY-User-Key-File-[23]: [^\x00]{20,}?Private-Lines: [0-9]{1,3}\s{1,4}(?:[A-Za-z0-9+/=]{20,}\s{0,4})+)`},
	{ID: "age_secret_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.99,
		Pattern: `\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b`},
	{ID: "jwk_private_member", Category: "private_key", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.93,
		Pattern: `"d"\s{0,3}:\s{0,3}"([A-Za-z0-9_\-]{42,})"`, Check: isRandom},
	{ID: "wireguard_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Entropy: 4, Confidence: 0.95,
		Names: []string{"privatekey", "presharedkey", "wgkey"}, NotNames: []string{"publickey"}, Value: `[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=`},
	{ID: "private_key_hex", Category: "private_key", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.87,
		Names: []string{"privatekey", "private key", "privkey", "deployerkey", "signingkey", "walletkey"}, NotNames: idNames,
		Value: `(?:0x)?[0-9a-fA-F]{64}`},
	{ID: "bitcoin_private_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.99,
		Pattern: `\b([5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}|[xyzt]prv[1-9A-HJ-NP-Za-km-z]{107,108})\b`, Check: isBase58Check},
	{ID: "stellar_secret_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Confidence: 0.99,
		Pattern: `\b(S[A-Z2-7]{55})\b`, Check: isStellarSeed},
	{ID: "nostr_secret_key", Category: "private_key", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.98,
		Pattern: `\b(nsec1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}|NSEC1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b`},

	{ID: "jwt", Category: "auth_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.97,
		Pattern: `\b(ey[A-Za-z0-9_\-]{14,}\.ey[A-Za-z0-9_\-]{10,}\.(?:[A-Za-z0-9_\-]{10,}={0,2})?)`},
	{ID: "encrypted_jwt", Category: "auth_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.96,
		Pattern: `\b(eyJ[A-Za-z0-9_\-]{14,}\.[A-Za-z0-9_\-]*\.[A-Za-z0-9_\-]{12,24}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{20,44})(?:[^A-Za-z0-9_\-]|$)`},
	{ID: "macaroon", Category: "auth_token", Severity: mcpproxy.SeverityHigh, Entropy: 4, Confidence: 0.9,
		Pattern: `\b(MDA[a-z0-9][A-Z][A-Za-z0-9]xvY2F0aW9u[A-Za-z0-9+/_\-]{60,}={0,2})`},
}
