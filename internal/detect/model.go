package detect

import "mcpproxy"

// modelRules: keys of model providers.
var modelRules = []Rule{
	{ID: "openai_key", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3, Confidence: 0.97,
		Pattern: `\b(sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_\-]{12,}|sk-[A-Za-z0-9]{32,64})(?:[^A-Za-z0-9_\-]|$)`},
	{ID: "anthropic_key", Category: "api_token", Severity: mcpproxy.SeverityCritical, Entropy: 3.5, Confidence: 0.99,
		Pattern: `\b(sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_\-]{24,})(?:[^A-Za-z0-9_\-]|$)`},
	{ID: "huggingface_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.97,
		Pattern: `\b(hf_[A-Za-z]{34})\b`},
	{ID: "groq_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3.5, Confidence: 0.98,
		Pattern: `\b(gsk_[A-Za-z0-9]{52})\b`},
	{ID: "replicate_token", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.98,
		Pattern: `\b(r8_[A-Za-z0-9]{37})\b`},
	{ID: "perplexity_key", Category: "api_token", Severity: mcpproxy.SeverityHigh, Entropy: 3, Confidence: 0.97,
		Pattern: `\b(pplx-[A-Za-z0-9]{48})\b`},
}
