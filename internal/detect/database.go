package detect

import (
	"strings"

	"mcpproxy"
)

// databaseSchemes are the schemes of URLs of databases.
const databaseSchemes = `postgres(?:ql)?|pgsql|mysqlx?|mariadb|mongodb|rediss?|valkeys?|amqps?|mssql|sqlserver|clickhouses?|cockroach(?:db)?|oracle|` +
	`db2|cassandra|scylla|neo4js?|bolts?|couchbases?|couchdb|elastic(?:search)?|opensearch|influxdb|timescaledb?|redshift|snowflake|trino|presto|` +
	`hive|impala|vertica|firebird|sybase|libsql|surrealdb|arangodb|orientdb|memcached|kafka|nats|rabbitmq|pulsar|mqtts?|stomp|ibmmq|jdbc:[a-z0-9:]{2,30}`

// databaseRules are for addresses and settings that contain the password of a database or of another server.
var databaseRules = []Rule{
	{
		ID:         "database_url",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityCritical,
		Confidence: 0.95,
		Check:      hasURLPassword,
		Pattern:    `(?i)\b((?:` + databaseSchemes + `)(?:\+[a-z0-9]+)*://[^\s:/@"'<>]*:[^\s/"'<>]{3,}@[^\s"'<>,;]{2,})`,
	},
	{
		ID:         "url_credentials",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Check:      isUserPassword,
		Pattern:    `(?i)\b(?:https?|ftps?|ftpes|sftp|scp|ssh|smtps?|imaps?|pop3s?|ldaps?|ldapi|rsync|git|svn|dav|davs|webdavs?|wss?|rtsps?|rtmps?|socks[45]h?|smb|cifs|afp|nfs|sip|sips|xmpp|ircs?|vnc|rdp|telnet|wsman|proxy|hdfs|s3|docker|nexus)(?:\+[a-z0-9]+)*://([^\s:/@"'<>?#\\]*:[^\s/"'<>?#\\@]{3,})@[^\s"'<>,;@]{2,}`,
	},
	{
		ID:         "jdbc_password",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityCritical,
		Confidence: 0.93,
		Check:      isPassword,
		Pattern:    `(?i)\bjdbc:[a-z0-9]+:[^\s"'<>]*[?;&:]password=([^\s"'&;<>]{3,})`,
	},
	{
		ID:         "oracle_credentials",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityCritical,
		Confidence: 0.93,
		Check:      func(v string) bool { return isUserPassword(strings.Replace(v, "/", ":", 1)) },
		Pattern:    `(?i)\b(?:jdbc:oracle:(?:thin|oci[0-9]?):|(?:sqlplus|expdp|impdp|sqlldr|rman)\s(?:[^\n]*\s)?)([A-Za-z0-9_$#]+/[^\s/@"']{3,})@`,
	},
	{
		ID:         "ado_connection_string",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    1.5,
		Confidence: 0.92,
		Check:      isPassword,
		Pattern:    `(?i)\b(?:server|data source|host|addr(?:ess)?|driver|dsn|provider|endpoint|network address|initial catalog|database|user id|uid)\s{0,2}=[^\n]{2,}?;\s{0,2}(?:password|pwd)\s{0,2}=\s{0,2}["'{]?([^;\s"'}]{3,})`,
	},
	{
		ID:         "libpq_password",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Check:      isPassword,
		Pattern:    `\b(?:host|hostaddr|dbname|user|port)\s{0,2}=\s{0,2}[^\s=]+\s(?:[^\n"]*\s)?password\s{0,2}=\s{0,2}'?([^\s'";]{3,})`,
	},
	{
		ID:         "pgpass_line",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    1.5,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `[A-Za-z0-9*]:(?:[0-9]{4,5}|\*):(?:\*|[A-Za-z_][A-Za-z0-9_\-]*):[A-Za-z_][A-Za-z0-9_.\-]*:((?:[^\s:"',;)\\]|\\[:\\]){5,})(?:[\s"')]|$)`,
	},
	{
		ID:         "netrc_password",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.95,
		Check:      isPassword,
		Pattern:    `\b(?:machine\s+[^\s]+|default)\s+login\s+[^\s]+\s+(?:account\s+[^\s]+\s+)?password\s+([^\s]{3,})`,
	},
	{
		ID:         "mysql_option_file",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Check:      isPassword,
		Pattern:    `(?i)\[(?:client|mysql|mysqldump|mysqladmin|mariadb|mysqlsh)[a-z0-9_\-]*\]\s*\n(?:[^\[\n]*\n)*?\s*password\s*=\s*["']?([^\s"'#]{3,})`,
	},
	{
		ID:         "database_cli_password",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Check:      isPassword,
		Pattern:    `\b(?:(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb)\s(?:[^\n|;&]*\s)?(?:-p|--password=)|(?:mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport)\s(?:[^\n|;&]*\s)?(?:-p\s|--password[ =])|sshpass\s+-p\s*|redis-cli\s(?:[^\n|;&]*\s)?(?:-a\s+|--pass\s+)|(?:sqlcmd|bcp|isql)\s(?:[^\n|;&]*\s)?-P\s?|(?:cqlsh|clickhouse-client|cypher-shell|ldapsearch|influx|psql)\s(?:[^\n|;&]*\s)?(?:-p\s|-w\s|--password[ =]))["']?([^\s"'\-][^\s"']{2,})`,
	},
	{
		ID:         "database_password",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    1.5,
		Confidence: 0.75,
		Check:      isChosenPassword,
		Names: []string{
			"dbpass",
			"dbpwd",
			"dbuserpass",
			"databasepass",
			"databasepwd",
			"pgpass",
			"postgrespass",
			"postgresqlpass",
			"mysqlpass",
			"mysqlpwd",
			"mysqlrootpass",
			"mariadbpass",
			"mariadbrootpass",
			"mongopass",
			"mongodbpass",
			"mongoinitdbrootpass",
			"redispass",
			"redisauth",
			"rediscliauth",
			"mssqlpass",
			"mssqlsapass",
			"sapassword",
			"oraclepass",
			"oraclepwd",
			"elasticpass",
			"elasticsearchpass",
			"opensearchpass",
			"neo4jpass",
			"clickhousepass",
			"rabbitmqpass",
			"rabbitmqdefaultpass",
			"couchdbpass",
			"cassandrapass",
			"influxdbpass",
			"influxdbadminpass",
			"snowflakepass",
			"redshiftpass",
			"ldappass",
			"ldapadminpass",
			"bindpass",
			"smtppass",
			"smtppwd",
			"ftppass",
			"sftppass",
			"imappass",
		},
		NotNames: []string{
			"passwordfile",
			"passfile",
			"secretname",
			"passwordref",
			"passwordkey",
			"passwordhash",
			"passwordpolicy",
		},
		Value: `[^\s]{4,120}`,
	},
	{
		ID:         "neo4j_auth",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Check:      func(v string) bool { return isUserPassword(strings.Replace(v, "/", ":", 1)) },
		Names:      []string{"neo4jauth"},
		Value:      `[A-Za-z0-9_]+/[^\s]{4,}`,
	},
}

// hasURLPassword reports whether the password in the user part of a URL is not a placeholder.
func hasURLPassword(value string) bool {
	_, rest, _ := strings.Cut(value, "://")
	user := rest[:max(strings.LastIndexByte(rest, '@'), 0)]
	_, password, _ := strings.Cut(user, ":")
	return len(password) >= 3 && !isTemplate(password)
}

// isChosenPassword reports whether value looks like a password rather than a word or the name of a variable. A word or
// a name may follow the name of a password by chance, for example in a list.
func isChosenPassword(value string) bool {
	if isIdentifier(value) && !hasDigit(value) {
		return len(value) >= 8 && !isWordy(value) && !isCode(value)
	}
	return isPassword(value) && !isPath(value) && !isExpression(value) && !(isIdentifier(value) && isCode(value))
}

// isUserPassword reports whether value is "user:password" and neither part is a placeholder.
func isUserPassword(value string) bool {
	user, password, ok := strings.Cut(value, ":")
	return ok && !isTemplate(user) && isPassword(password)
}
