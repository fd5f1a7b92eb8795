package detect

import "testing"

func TestAnEntryIsCalledByTheNameBeforeItsValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, word, want string }{
		{"env:\n  - name: STORE_TOKEN\n    ", "value", "STORE_TOKEN"},
		{`<add key="SmtpPassword" `, "value", "SmtpPassword"},
		{"variable \"db_password\" {\n  ", "default ", "db_password"},
		{`{"name": "DB_PASSWORD", "`, "value", "DB_PASSWORD"},
		{"- name: STORE_SECRET_KEY\n  ", "value", "STORE_SECRET_KEY"},
		{`{"key":"STORE_KEY_NAME","`, "value", "STORE_KEY_NAME"},
		{"- name: STORE_KEY\n  # changed in spring\n  ", "value", "STORE_KEY"},
		{"- name: A\n- other: b\n  ", "value", ""},
		{`<add key="A"/><add `, "value", ""},
		{"name: A\n", "other", ""},
		{"password:\n  type: string\n", "  default", "password"},
		{"\"password\": {\"type\": \"string\", \"", "default", "password"},
		{"variable \"db_password\" {\n  type = string\n  sensitive = true\n", "  default ", "db_password"},
		{"variable \"a\" {\n}\nvariable \"theme\" {\n", "  default ", "theme"},
		{`parser.add_argument("--password", `, "default", "password"},
		{`os.environ.get(KEY, `, "default", ""},
		{"<property>\n  <name>store.secret.key</name>\n  <", "value", "store.secret.key"},
		{"token:\n  kind: text\nother:\n", "  default", "other"},
		{"words and no block\n", "default", ""},
		{"{\"name\":\"db_password\",\"", "default", "db_password"},
	} {
		s := c.before + c.word
		if got := named(s, len(c.before), c.word); got != c.want {
			t.Errorf("the name before %q is %q, want %q", s, got, c.want)
		}
	}
}
