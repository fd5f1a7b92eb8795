package detect

import "mcpproxy"

// databaseRules: connection strings that carry a password.
var databaseRules = []Rule{
	{ID: "database_url", Category: "database_credential", Severity: mcpproxy.SeverityCritical, Confidence: 0.95,
		Pattern: `(?i)\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|valkeys?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle)(?:\+[a-z0-9]+)?://[^\s:/@"'<>]*:[^\s:/@"'<>]{3,}@[^\s"'<>,;]{2,})`},
	{ID: "ado_connection_string", Category: "database_credential", Severity: mcpproxy.SeverityHigh, Entropy: 2.5, Confidence: 0.9,
		Pattern: `(?i)(?:server|data source|host)\s{0,2}=[^\n]{2,300}?;\s{0,2}(?:password|pwd)\s{0,2}=\s{0,2}([^;\s"']{4,})`},
}
