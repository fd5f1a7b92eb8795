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
	} {
		s := c.before + c.word
		if got := named(s, len(c.before), c.word); got != c.want {
			t.Errorf("the name before %q is %q, want %q", s, got, c.want)
		}
	}
}
