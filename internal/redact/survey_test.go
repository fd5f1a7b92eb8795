package redact_test

import "testing"

func TestCompilersAndToolsAreRead(t *testing.T) {
	kept(t,
		"src/components/Button.tsx(12,5): error TS2339: Property 'onPress' does not exist on type 'Props'.",
		"src/index.ts:3:10 - error TS2305: Module '\"./lib/util\"' has no exported member 'parse'.",
		"error[E0308]: mismatched types\n --> src/lib.rs:10:5\n  |\n10 |     x\n  |     ^ expected `u32`, found `&str`",
		"internal/store/db_test.go:88: got 3, want 4",
		"main.cpp:14:10: fatal error: foo/bar.h: No such file",
		"lib/foo.py:10: error: Incompatible return value type (got \"int\", expected \"str\")  [return-value]",
		"test/user.spec.ts:14:3 expected 2 to equal 3",
		"app.module.css:3: unknown property",
		"error: pathspec 'feature/JIRA-1234-add-api-keys' did not match any file(s) known to git",
		"fatal: couldn't find remote ref refs/heads/release/2024.11",
		"Your branch is ahead of 'origin/api-v2-rewrite' by 2 commits.",
		"merge base of 3f2a9c1 and d670460b4b4aece5915caf5c68d12f560a9fe3e4 not found",
		"npm ERR! Could not resolve dependency: peer react@\"^17.0.2\" from react-dom@17.0.2",
		"npm WARN deprecated core-js@2.6.12: core-js@<3.23.3 is no longer maintained",
		"No matching version found for lodash@>=4.17.21 <5.0.0 || ~3.10.1",
		"Deployment.apps \"x\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0",
		"error validating data: ValidationError(Pod.spec): unknown field \"image\" in io.k8s.api.core.v1.PodSpec",
		"pods \"web-6d4b75cb6d-hk8dw\" is forbidden",
		"Error from server (NotFound): configmaps \"key-rotation-settings-v2\" not found",
		"ERROR: Could not find a version that satisfies the requirement foo==1.2.3.4 (from versions: 1.0.0.1, 1.2.0)",
		"Dependency \"log4j:log4j:1.2.17\" is not allowed",
		"image acme/api-server:2.3.4 not found; did you mean acme/api-server:2.3.5?",
	)
}

func TestDatabasesAreRead(t *testing.T) {
	kept(
		t,
		"ERROR: column \"created_at2\" of relation \"order_items\" does not exist\nLINE 1: SELECT created_at2 FROM order_items\n               ^",
		"ERROR: duplicate key value violates unique constraint \"users_email_key\"\nDETAIL:  Key (email)=(x) already exists.",
		"ERROR: insert or update on table \"line_items\" violates foreign key constraint \"fk_line_items_order_id\"",
		"ER_BAD_FIELD_ERROR: Unknown column 'pk_customers2024' in 'where clause'",
		"SQLSTATE[42S22]: Column not found: 1054 Unknown column 'u.api_key_hash' in 'field list'",
		"no such table: main.sk_sessions",
		"UNIQUE constraint failed: api_tokens.key_name_v2",
		"key_columns must not be empty; primary key (pk_id, sk_date) expected",
		"DynamoDB: The provided key element does not match the schema: pk, sk",
		"ValidationException: Query condition missed key schema element: sk_created",
		"index \"idx_api_keys_user_id_2\" already exists",
	)
}

func TestValuesAreNoInsides(t *testing.T) {
	kept(t,
		"cron \"0 9 * * 1-5\" overlaps with \"0 9/2 * * *\"",
		"Unsupported media type 'application/vnd.api+json'; use application/json; charset=utf-8",
		"Content-Type image/svg+xml is not accepted; Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
		"date 2024-11-22T10:15:30.123+01:00 is in the past",
		"MAC 00:1b:44:11:3a:b7 is not registered",
		"etag W/\"33a64df551425fcc55e4d42a148795d9f25f89d4\" is stale",
		"ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV is unknown",
		"50% of 1.5 GB used; 100.0% expected",
		"ratio must be 16:9 or 4:3",
		"locale en_US.UTF-8 is not installed",
		"timezone Europe/Berlin is not known; use America/New_York",
		"Le champ « nom » est requis",
		"値「limit」は1～100の範囲で指定してください",
		"Поле «имя» обязательно",
		"glob src/**/*.ts matched nothing",
		"regex error at position 4: unmatched )",
		"tool_use ids were found without tool_result blocks: toolu_01A09q90qw90lq917835lq9",
		"firmware 2.0.1.8 is required, 2.0.1.7 installed",
		"OID 1.3.6.1.4.1 is unknown",
		"S3 key reports/2024/11/summary.csv does not exist in bucket acme-reports",
		"cannot connect shape-1 to shape-2",
		"Timeout of 5000ms exceeded; retries:12",
		"timeout at step build:12 of the pipeline",
		"listen on event user:10 failed",
		"No such host group: web-servers",
		"Unknown host \"foo bar\"",
		"version mismatch: expected 10.2.3.4, got 10.2.3.5",
		"upgrade from 10.0.19041.1 to 10.0.22000.1 failed",
		"driver version 10.1.2.3 < 10.2.0.0",
		"#3 in the list (a.go:12)",
		"bei Meier (Montag) um 12:30",
		"a@b:1:2",
		"pk_test_results2 has no rows",
		"key-value-store-2024-11 is full",
		"api-reference-2024-11-22-final.md not found",
		"bind parameter p1:int is wrong",
	)
}

// Shows: GW-14.
func TestInsidesOfManyKindsGo(t *testing.T) {
	check(t, []shape{
		{
			"a broker",
			"org.apache.kafka.common.errors.TimeoutException: broker kafka-2:9092 (id: 2 rack: null) disconnected",
			"org.apache.kafka.common.errors.TimeoutException: broker [address] (id: 2 rack: null) disconnected",
		},
		{
			"who did not answer",
			"pymongo.errors.ServerSelectionTimeoutError: mongo-0.mongo:27017: [Errno 111] Connection refused",
			"pymongo.errors.ServerSelectionTimeoutError: [address]: [Errno 111] Connection refused",
		},
		{
			"the server that is asked about",
			"psycopg2.OperationalError: could not connect to server: Connection refused\n\tIs the server running on host \"pgmaster\" (52.4.5.6) and accepting\n\tTCP/IP connections on port 5432?",
			"psycopg2.OperationalError: could not connect to server: Connection refused\n\tIs the server running on host \"[host]\" ([host]) and accepting\n\tTCP/IP connections on port 5432?",
		},
		{
			"a pool's host",
			"requests.exceptions.ConnectionError: HTTPConnectionPool(host='inventory-svc', port=8080): Max retries exceeded with url: /v1/items (Caused by NewConnectionError('<urllib3.connection.HTTPConnection object at 0x7f2>: Failed to establish a new connection: [Errno -2] Name or service not known'))",
			"requests.exceptions.ConnectionError: HTTPConnectionPool(host='[address]', port=8080): Max retries exceeded with url: /v1/items",
		},
		{
			"ssh",
			"ssh: connect to host bastion-eu port 22: Connection timed out",
			"ssh: connect to host [address] port 22: Connection timed out",
		},
		{
			"a mirror",
			"ssh: Could not resolve hostname git-mirror: nodename nor servname provided, or not known",
			"ssh: Could not resolve hostname [address]: nodename nor servname provided, or not known",
		},
		{"ping", "ping: unknown host backup01", "ping: unknown host [host]"},
		{
			"an endpoint",
			"etcdserver: request timed out, endpoint: etcd-0:2379",
			"etcdserver: request timed out, endpoint: [address]",
		},
		{"who was contacted", "Failed to contact vault at vault01:8200", "Failed to contact vault at [address]"},
		{"a timeout", "timeout while reading from cache-7:11211", "timeout while reading from [address]"},
		{"the only broker", "No broker available at kafka:9092", "No broker available at [address]"},
		{
			"a resolver",
			"rpc error: dial tcp: lookup billing on 169.254.169.253:53: server misbehaving",
			"rpc error: dial tcp: lookup [host] on [address]: server misbehaving",
		},
		{
			"a proxy",
			"proxyconnect tcp: dial tcp: lookup squid: no such host",
			"proxyconnect tcp: dial tcp: lookup …: no such host",
		},
		{
			"a name and its address",
			"java.net.ConnectException: Connection refused: db-master/10.2.3.4:3306",
			"java.net.ConnectException: Connection refused: db-master/[address]",
		},
		{
			"a carrier's network",
			"upstream connect error: 100.96.1.7:8443 reset",
			"upstream connect error: [address] reset",
		},
		{"a process", "cannot write /proc/1/environ", "cannot write [path]"},
		{"a log in Japanese", "エラー：/var/log/アプリ/x.logを開けません", "エラー：[path]を開けません"},
		{"a home in Russian", "Не удалось открыть «/home/иван/секрет.txt»", "Не удалось открыть «[path]»"},
		{"German quotes", "Fehler beim Öffnen von „/etc/mcp/geheim.toml“", "Fehler beim Öffnen von „[path]“"},
		{"Chinese", "连接到服务器 192.168.3.4 失败", "连接到服务器 [address] 失败"},
		{
			"a data source",
			"System.Data.SqlClient.SqlException: Login failed for 'Data Source=sql-prod-01;Initial Catalog=x;User ID=sa;Password=Hunter2!'",
			"System.Data.SqlClient.SqlException: Login failed for 'Data Source=[address];Initial Catalog=x;User ID=sa;Password=[key]'",
		},
		{
			"a login",
			"amqp connection failed: guest:guest@rabbit:5672/vhost",
			"amqp connection failed: [key]@[address]/vhost",
		},
		{"Stripe", "stripe: No such key: sk_test_4eC39HqLyjWDarjtT1zdp7dc", "stripe: No such key: [credential]"},
		{"a header", "x-api-key: 9f8e7d6c5b4a39281706", "x-api-key: [credential]"},
		{"a URL in a query", "GET /x?redirect=http://10.0.0.5/y", "GET /x?redirect=[url]"},
		{"who has the wrong version", "version from 10.0.0.5", "version from [host]"},
		{"a route into a home", "route /home/x/y.txt", "route [path]"},
	})
}
