package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

// mistake is a file that must be refused, with the expected line and words of the error.
type mistake struct {
	file string
	line int
	says []string
}

var unknownKeys = map[string]mistake{
	"a misspelt key at the top names the nearest": {
		"{\n  \"listn\": \"127.0.0.1:1\"\n}",
		2,
		[]string{`"listn"`, `"listen"`},
	},
	"a key in the wrong case is another key": {
		"{\n\n  \"Listen\": \"127.0.0.1:1\"\n}",
		3,
		[]string{`"Listen"`, `"listen"`},
	},
	"a misspelt key inside a section": {
		"{\n  \"security\": {\n    \"flow_policy\": {\n      \"internal_to_externl\": \"deny\"\n    }\n  }\n}",
		4,
		[]string{`"internal_to_externl"`, `"internal_to_external"`, "security.flow_policy"},
	},
	"a misspelt section": {"{\n  \"securty\": {}\n}", 2, []string{`"securty"`, `"security"`}},
	"a key like no other lists the known ones": {"{\n  \"state\": {\n    \"zzzzzzzz\": 1\n  }\n}",
		3, []string{`"zzzzzzzz"`, "store"}},
	"a misspelt key of a server in an array": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a\", \"command\": \"x\"},\n    {\"name\": \"b\",\n     \"comand\": \"x\"}\n  ]\n}",
		5,
		[]string{`"comand"`, `"command"`},
	},
	"a misspelt key of a server in the object form": {
		"{\n  \"mcpServers\": {\n    \"files\": {\n      \"comand\": \"x\"\n    }\n  }\n}",
		4,
		[]string{`"comand"`, `"command"`},
	},
	"a misspelt key of a custom pattern": {
		"{\n  \"security\": {\"pii_detection\": {\"custom_patterns\": [\n    {\"name\": \"a\", \"regexp\": \"a+\"}\n  ]}}\n}",
		3,
		[]string{`"regexp"`, `"regex"`},
	},
	"a misspelt key of a group": {
		"{\n  \"groups\": {\n    \"work\": {\"server\": []}\n  }\n}",
		3,
		[]string{`"server"`, `"servers"`},
	},
	"an unknown key whose name stands earlier as a value": {"{\n  \"data_dir\": \"listn\",\n  \"listn\": \"x\"\n}",
		3, []string{`"listn"`, `"listen"`}},
	"an unknown key that stands in a comment before": {
		"{\n  // \"listn\": 1\n  \"listn\": \"x\"\n}",
		3,
		[]string{`"listn"`},
	},
}

var duplicateKeys = map[string]mistake{
	"a key twice at the top": {
		"{\n  \"listen\": \"127.0.0.1:1\",\n  \"listen\": \"127.0.0.1:2\"\n}",
		3,
		[]string{`"listen"`, "twice"},
	},
	"a key twice in a section": {
		"{\n  \"activity\": {\n    \"store\": \"sqlite\",\n\n    \"store\": \"sqlite\"\n  }\n}",
		5,
		[]string{`"store"`, "twice"},
	},
	"a server twice in object form": {
		"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},\n    \"a\": {\"command\": \"y\"}\n  }\n}",
		4,
		[]string{`"a"`, "twice"},
	},
	"an override twice": {
		"{\"security\": {\"flow_policy\": {\"tool_overrides\": {\n  \"chat:post\": \"deny\",\n  \"chat:post\": \"allow\"\n}}}}",
		3,
		[]string{`"chat:post"`, "twice"},
	},
	"a server of this proxy's name": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"MCPProxy\", \"command\": \"x\"}\n  ]\n}",
		2,
		[]string{`"MCPProxy"`, "by that name"},
	},
	"a server name twice in an array": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a\", \"command\": \"x\"},\n    {\"name\": \"a\", \"command\": \"y\"}\n  ]\n}",
		2,
		[]string{`"a"`, "two servers"},
	},
}

var wrongTypes = map[string]mistake{
	"a number where a string is wanted": {"{\n  \"listen\": 8080\n}", 2, []string{"listen", "number", "string"}},
	"a string where a number is wanted": {
		"{\n  \"activity\": {\n    \"retention_days\": \"90\"\n  }\n}",
		3,
		[]string{"activity.retention_days", "string", "int"},
	},
	"a string where a boolean is wanted": {
		"{\n  \"enable_socket\": \"yes\"\n}",
		2,
		[]string{"enable_socket", "string", "bool"},
	},
	"a fraction where a whole number is due": {
		"{\n  \"activity\": {\n    \"max_records\": 1.5\n  }\n}",
		3,
		[]string{"activity.max_records"},
	},
	"a list where a section is wanted": {"{\n  \"security\": []\n}", 2, []string{"security", "array"}},
	"a string where a list is wanted": {
		"{\n  \"security\": {\"flow_policy\": {\n    \"suspicious_endpoints\": \"evil.example\"\n  }}\n}",
		3,
		[]string{"suspicious_endpoints", "string"},
	},
	"a string where the servers stand": {
		"{\n  \"mcpServers\": \"files\"\n}",
		2,
		[]string{"mcpServers", "string"},
	},
	"a list at the top":       {"[]", 1, []string{"array"}},
	"no JSON at all":          {"{\n  \"listen\": \n}", 3, nil},
	"a comma that is missing": {"{\n  \"listen\": \"127.0.0.1:1\"\n  \"api_key\": \"k\"\n}", 3, nil},
	"a second document":       {"{}\n{}", 2, nil},
}

var badValues = map[string]mistake{
	"a decision that is none": {
		"{\n  \"security\": {\n    \"tool_policy\": {\n      \"destructive\": \"block\"\n    }\n  }\n}",
		4,
		[]string{"security.tool_policy.destructive", `"block"`, "deny"},
	},
	"a side that is none": {
		"{\"security\": {\"classification\": {\n  \"server_overrides\": {\n    \"chat\": \"outside\"\n}}}}",
		3,
		[]string{"server_overrides.chat", `"outside"`, "external"},
	},
	"an override that is none": {
		"{\"security\": {\"flow_policy\": {\n  \"tool_overrides\": {\n    \"chat:post\": \"never\"\n}}}}",
		3,
		[]string{"tool_overrides.chat:post", `"never"`},
	},
	"a log store that is none": {
		"{\n  \"activity\": {\n    \"store\": \"redis\"\n  }\n}",
		3,
		[]string{"activity.store", `"redis"`, "sqlite"},
	},
	"a protocol that is none": {
		"{\n  \"mcpServers\": [{\"name\": \"a\", \"command\": \"x\",\n    \"protocol\": \"ftp\"}]\n}",
		3,
		[]string{`"ftp"`, "stdio"},
	},
	"an isolation that is none": {
		"{\n  \"groups\": {\n    \"g\": {\"servers\": [], \"isolation\": \"loose\"}\n  }\n}",
		3,
		[]string{"groups.g.isolation", `"loose"`, "strict"},
	},
	"a scan mode that is none": {
		"{\n  \"security\": {\n    \"content_scan\": {\"results\": \"drop\"}\n  }\n}",
		3,
		[]string{"content_scan.results", `"drop"`},
	},
	"an address without a port": {"{\n  \"listen\": \"127.0.0.1\"\n}", 2, []string{"listen", "127.0.0.1:8080"}},
	"a port beyond the last":    {"{\n  \"listen\": \"127.0.0.1:70000\"\n}", 2, []string{"listen"}},
	"a group of nobody": {
		"{\n  \"groups\": {\n    \"g\": {\"isolation\": \"open\",\n      \"servers\": [\"ghost\"]}\n  }\n}",
		4,
		[]string{"ghost"},
	},
	"a server in two groups": {
		"{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}},\n  \"groups\": {\n    \"g\": {\"servers\": [\"a\"], \"isolation\": \"strict\"},\n    \"h\": {\"servers\": [\"a\"], \"isolation\": \"strict\"}\n  }\n}",
		5,
		[]string{`"a"`, "in the group", "already"},
	},
	"a server twice in a group": {
		"{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}},\n  \"groups\": {\n    \"g\": {\"isolation\": \"open\",\n      \"servers\": [\"a\", \"a\"]}\n  }\n}",
		5,
		[]string{`"a"`, `"g"`, "already"},
	},
	"a redaction that is none": {
		"{\n  \"security\": {\n    \"error_redaction\": \"maybe\"\n  }\n}",
		3,
		[]string{"security.error_redaction", `"maybe"`, "off"},
	},
	"a server without any address": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a\"}\n  ]\n}",
		3,
		[]string{"mcpServers.a", "command", "url"},
	},
	"a server with two addresses": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a\", \"command\": \"x\", \"url\": \"http://h/\"}\n  ]\n}",
		3,
		[]string{"mcpServers.a", "both"},
	},
	"an invalid url": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a\", \"url\": \"h:1\"}\n  ]\n}",
		3,
		[]string{"mcpServers.a.url"},
	},
	"a server name with a slash": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a/b\", \"command\": \"x\"}\n  ]\n}",
		2,
		[]string{`"a/b"`},
	},
	"a pattern that matches everything": {
		"{\"security\": {\n \"pii_detection\": {\n  \"custom_patterns\": [{\"name\": \"p\", \"regex\": \"a*\", \"severity\": \"low\"}]}}}",
		3,
		[]string{"custom_patterns", "everything"},
	},
	"a pattern that does not compile": {
		"{\"security\": {\n \"pii_detection\": {\n  \"custom_patterns\": [{\"name\": \"p\", \"regex\": \"(\", \"severity\": \"low\"}]}}}",
		3,
		[]string{"custom_patterns", "p:"},
	},
	"a host with a path": {
		"{\"security\": {\"flow_policy\": {\n  \"suspicious_endpoints\": [\"evil.example/x\"]}}}",
		2,
		[]string{"evil.example/x"},
	},
	"a window of no minutes": {
		"{\"security\": {\"exfiltration\": {\n  \"window_minutes\": 0}}}",
		2,
		[]string{"window_minutes", "1"},
	},
	"a limit below none": {
		"{\"security\": {\"exfiltration\": {\n  \"max_bytes\": -1}}}",
		2,
		[]string{"max_bytes"},
	},
	"a contradiction that redacts": {
		"{\"security\": {\"tool_policy\": {\n  \"contradiction\": \"redact\"}}}",
		2,
		[]string{"contradiction", "redact", "deny"},
	},
	"a domain that is a URL": {
		"{\"security\": {\"classification\": {\n  \"internal_domains\": [\"https://corp.example\"]}}}",
		2,
		[]string{"internal_domains", "corp.example"},
	},
	"a domain with a wildcard": {
		"{\"security\": {\"classification\": {\n  \"internal_domains\": [\"*.corp.example\"]}}}",
		2,
		[]string{"internal_domains", "corp.example"},
	},
	"a whole top-level domain": {
		"{\"security\": {\"classification\": {\n  \"internal_domains\": [\"com\"]}}}",
		2,
		[]string{"internal_domains", "corp.example"},
	},
	"an address for a domain": {
		"{\"security\": {\"classification\": {\n  \"internal_domains\": [\"10.0.0.1\"]}}}",
		2,
		[]string{"internal_domains", "corp.example"},
	},
	"a domain with a port": {
		"{\"security\": {\"classification\": {\n  \"internal_domains\": [\"corp.example:80\"]}}}",
		2,
		[]string{"internal_domains", "corp.example"},
	},
	"a home that everybody has": {
		"{\"security\": {\n  \"home\": [\"acme.example\", \"gmail.com\"]}}",
		2,
		[]string{"security.home", "gmail.com", "me@gmail.com"},
	},
	"a home of no kind": {
		"{\"security\": {\n  \"home\": [\"acme\"]}}",
		2,
		[]string{"security.home", "workspace:acme"},
	},
	"no domain": {
		"{\"security\": {\"classification\": {\n  \"internal_domains\": [\"\"]}}}",
		2,
		[]string{"internal_domains", "corp.example"},
	},
	"a taint that redacts": {
		"{\"security\": {\"flow_policy\": {\n  \"session_taint\": \"redact\"}}}",
		2,
		[]string{"session_taint", "redact", "deny"},
	},
	"a waiting time without unit": {
		"{\"security\": {\"approvals\": {\n  \"wait\": \"60\"}}}",
		2,
		[]string{"security.approvals.wait", "60s"},
	},
	"a hash length below the least": {"{\"security\": {\"flow_tracking\": {\n  \"hash_min_length\": 2}}}",
		2, []string{"hash_min_length", "8"}},
	"a script that may run for ever": {
		"{\"code_execution\": {\n  \"timeout_secs\": 10000000000}}",
		2,
		[]string{"code_execution.timeout_secs", "a day (86400)"},
	},
	"a negative timeout": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"a\", \"command\": \"x\", \"timeout_secs\": -1}\n  ]\n}",
		3,
		[]string{"mcpServers.a", "negative"},
	},
	"a rule without a condition": {
		"{\"security\": {\n  \"policies\": [{\"name\": \"p\", \"then\": \"deny\"}]}}",
		2,
		[]string{"security.policies", "condition"},
	},
	"a rule with a name of two words": {
		"{\"security\": {\n  \"policies\": [{\"name\": \"a b\", \"when\": \"true\", \"then\": \"deny\"}]}}",
		2,
		[]string{"security.policies", `"a b"`},
	},
	"two rules of one name": {
		"{\"security\": {\n  \"policies\": [{\"name\": \"a\", \"when\": \"true\", \"then\": \"deny\"}, {\"name\": \"a\", \"when\": \"true\", \"then\": \"deny\"}]}}",
		2,
		[]string{"security.policies", `"a"`},
	},
	"a suppression for all": {
		"{\"security\": {\n  \"suppressions\": [{\"rule\": \"email\"}]}}",
		2,
		[]string{"security.suppressions", "email", "server"},
	},
	"a suppression of nothing": {
		"{\"security\": {\n  \"suppressions\": [{\"server\": \"a\", \"rule\": \"\"}]}}",
		2,
		[]string{"security.suppressions", "rule"},
	},
	"a suppression until no day": {
		"{\"security\": {\n  \"suppressions\": [{\"rule\": \"email\", \"server\": \"a\", \"until\": \"soon\"}]}}",
		2,
		[]string{"suppressions", `"soon"`, "2026-12-31"},
	},
	"a threshold beyond all": {
		"{\"security\": {\"risk_assessment\": {\n  \"require_approval_threshold\": 500}}}",
		2,
		[]string{"require_approval_threshold", "101"},
	},
	"a threshold below all": {
		"{\"security\": {\"risk_assessment\": {\n  \"auto_flag_threshold\": -1}}}",
		2,
		[]string{"auto_flag_threshold"},
	},
	"a value of a server whose name stands before it": {
		"{\n  \"mcpServers\": [\n    {\"name\": \"x\", \"command\": \"run\", \"args\": [\"files\"]},\n    {\"name\": \"files\", \"command\": \"run\",\n     \"protocol\": \"ftp\"}\n  ]\n}",
		5,
		[]string{"mcpServers.files.protocol"},
	},
	"a value of a server whose name has dots": {
		"{\n  \"mcpServers\": {\n    \"com.example.files\": {\"command\": \"run\",\n     \"protocol\": \"ftp\"}\n  }\n}",
		4,
		[]string{"com.example.files"},
	},
	"a value whose key stands earlier in another section": {
		"{\n  \"activity\": {\"store\": \"sqlite\"},\n  \"security\": {\n    \"hooks\": {\"ask_fallback\": \"allow\"}\n  }\n}",
		4,
		[]string{"security.hooks.ask_fallback"},
	},
	"a value of a section that a server is named after": {
		"{\n  \"mcpServers\": {\"security\": {\"command\": \"x\", \"env\": {\"read\": \"1\", \"tool_policy\": \"2\"}}},\n  \"security\": {\n    \"tool_policy\": {\n      \"read\": \"never\"\n    }\n  }\n}",
		5,
		[]string{"security.tool_policy.read"},
	},
}

func TestEveryMistakeNamesItsLineAndKey(t *testing.T) {
	for kind, table := range map[string]map[string]mistake{
		"unknown keys":   unknownKeys,
		"duplicate keys": duplicateKeys,
		"wrong types":    wrongTypes,
		"bad values":     badValues,
	} {
		for name, m := range table {
			t.Run(kind+"/"+name, func(t *testing.T) { m.check(t) })
		}
	}
}

func (m mistake) check(t *testing.T) {
	t.Helper()
	_, err := config.Parse("f.json", []byte(m.file), nil)
	if err == nil {
		t.Fatal("accepted")
	}
	e, ok := errors.AsType[*config.Error](err)
	if !ok || e.File != "f.json" {
		t.Fatalf("not an error of the file: %v", err)
	}
	named := e.Line == m.line || strings.Contains(e.Msg, fmt.Sprintf("line %d,", m.line))
	if !named {
		t.Errorf("line %d is to blame; the error: %v", m.line, err)
	}
	for _, s := range m.says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %q: %v", s, err)
		}
	}
}

// A null must not silently disable something: it is refused, or it has no effect.
func TestNullSwitchesNothingOff(t *testing.T) {
	for name, file := range map[string]string{
		"the detectors":            `{"security": {"pii_detection": {"enabled": null}}}`,
		"the section of detectors": `{"security": {"pii_detection": null}}`,
		"the flow tracker":         `{"security": {"flow_tracking": {"enabled": null}}}`,
		"the suspicious endpoints": `{"security": {"flow_policy": {"suspicious_endpoints": null}}}`,
		"the whole of security":    `{"security": null}`,
		"the socket":               `{"enable_socket": null}`,
		"the quarantine":           `{"security": {"tool_quarantine": null}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := config.Parse("f.json", []byte(file), nil)
			if err != nil {
				return
			}
			want := config.Default()
			if diff := diffConfig(want, c); diff != "" {
				t.Errorf("null was accepted and changed this (-want +got):\n%s", diff)
			}
		})
	}
}

func ExampleParse() {
	_, err := config.Parse("mcp_config.json", []byte("{\n  \"securty\": {}\n}"), nil)
	fmt.Println(err)
	c, err := config.Parse(
		"mcp_config.json",
		[]byte(`{"mcpServers": {"files": {"command": "npx"}}, /* the rest stays as it is */}`),
		nil,
	)
	fmt.Println(c.Servers[0].Name, c.Servers[0].Protocol, c.Listen, err)
	// Output:
	// mcp_config.json:2: unknown key "securty"; did you mean "security"?
	// files stdio 127.0.0.1:8080 <nil>
}
