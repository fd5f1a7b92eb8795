package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/catalog"
)

// tool returns a raw definition.
func tool(name, description string) json.RawMessage {
	raw, err := json.Marshal(
		map[string]any{"name": name, "description": description, "inputSchema": map[string]any{"type": "object"}},
	)
	if err != nil {
		panic(err)
	}
	return raw
}

func names(tools []*mcpproxy.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Server+":"+t.Name)
	}
	return out
}

func TestToolsAreListedByServerInTheServersOwnOrder(t *testing.T) {
	want := []string{"alpha:two", "alpha:one", "beta:zeta", "beta:eta"}
	for _, order := range [][]string{{"alpha", "beta"}, {"beta", "alpha"}} {
		c := catalog.New()
		for _, server := range order {
			raws := []json.RawMessage{tool("two", ""), tool("one", "")}
			if server == "beta" {
				raws = []json.RawMessage{tool("zeta", ""), tool("eta", "")}
			}
			c.Set(server, raws)
		}
		for range 5 {
			if diff := cmp.Diff(want, names(c.All())); diff != "" {
				t.Fatalf("filled in the order %v:\n%s", order, diff)
			}
		}
	}
}

func TestSetRefusesWhatCannotBeCalled(t *testing.T) {
	for name, c := range map[string]struct {
		raws    []string
		refused int
		want    []string
	}{
		"a name that repeats":    {[]string{`{"name":"a","description":"first"}`, `{"name":"b"}`, `{"name":"a","description":"second"}`}, 1, []string{"s:a", "s:b"}},
		"no name":                {[]string{`{"description":"x"}`, `{"name":""}`}, 2, nil},
		"no object":              {[]string{`"a"`, `[]`, `null`, `7`}, 4, nil},
		"a name of a wrong type": {[]string{`{"name":7}`, `{"name":"b"}`}, 1, []string{"s:b"}},
		// Parsers differ in which of two equal names they use, so neither definition may be offered.
		"a name given twice in one definition": {[]string{`{"name":"read_file","name":"delete_file"}`}, 1, nil},
		"a name in two cases":                  {[]string{`{"name":"read_file","Name":"delete_file"}`}, 1, nil},
		"a hint given twice":                   {[]string{`{"name":"a","annotations":{"readOnlyHint":false,"readOnlyHint":true}}`}, 1, nil},
		"an unknown member is no reason":       {[]string{`{"name":"a","x-new":{"deep":[1]}}`}, 0, []string{"s:a"}},
	} {
		t.Run(name, func(t *testing.T) {
			cat := catalog.New()
			var raws []json.RawMessage
			for _, r := range c.raws {
				raws = append(raws, json.RawMessage(r))
			}
			_, refused := cat.Set("s", raws)
			if refused != c.refused {
				t.Errorf("%d refused, want %d", refused, c.refused)
			}
			if diff := cmp.Diff(c.want, names(cat.All())); diff != "" {
				t.Error(diff)
			}
		})
	}
	cat := catalog.New()
	cat.Set("s", []json.RawMessage{tool("a", "first"), tool("a", "second")})
	if got, _ := cat.Tool("s", "a"); got.Description != "first" {
		t.Errorf("of two with one name the %s stays", got.Description)
	}
}

func TestSetSaysWhetherAnythingChanged(t *testing.T) {
	c := catalog.New()
	steps := []struct {
		name string
		raws []json.RawMessage
		want bool
	}{
		{"an empty list where nothing was", nil, false},
		{"a first tool", []json.RawMessage{tool("a", "x")}, true},
		{"the same again", []json.RawMessage{tool("a", "x")}, false},
		{"another description", []json.RawMessage{tool("a", "y")}, true},
		{"one more", []json.RawMessage{tool("a", "y"), tool("b", "")}, true},
		{"another order", []json.RawMessage{tool("b", ""), tool("a", "y")}, true},
		{"none", nil, true},
	}
	for _, s := range steps {
		if changed, _ := c.Set("s", s.raws); changed != s.want {
			t.Errorf("%s: changed is %t", s.name, changed)
		}
	}
}

func TestADefinitionKeepsItsBytesAndHints(t *testing.T) {
	raw := `{ "name":"big", "inputSchema":{"maximum":12345678901234567890}, "annotations":{"readOnlyHint":false,"openWorldHint":true,"x":1}, "execution":{"a":[]} }`
	c := catalog.New()
	c.Set("s", []json.RawMessage{json.RawMessage(raw)})
	got, ok := c.Tool("s", "big")
	if !ok || string(got.Raw) != raw || string(got.InputSchema) != `{"maximum":12345678901234567890}` {
		t.Fatalf("got %+v", got)
	}
	if got.ReadOnly == nil || *got.ReadOnly || got.OpenWorld == nil || !*got.OpenWorld || got.Destructive != nil {
		t.Errorf("hints: %v %v %v", got.ReadOnly, got.OpenWorld, got.Destructive)
	}
}

func TestDropForgets(t *testing.T) {
	c := catalog.New()
	c.Set("a", []json.RawMessage{tool("find_rows", "rows")})
	c.Set("b", []json.RawMessage{tool("find_rows", "rows")})
	if len(c.Search("rows", 10)) != 2 {
		t.Fatal("the search does not see both")
	}
	c.Drop("a")
	_, ok := c.Tool("a", "find_rows")
	if ok || len(c.Of("a")) != 0 || len(c.All()) != 1 || len(c.Search("rows", 10)) != 1 {
		t.Error("a dropped server's tool is still there")
	}
}

func TestNearestFindsWhatWasMeant(t *testing.T) {
	c := catalog.New()
	c.Set("github", []json.RawMessage{tool("create_issue", ""), tool("list_issues", "")})
	c.Set("slack", []json.RawMessage{tool("post_message", "")})
	for wrong, want := range map[string]string{
		"github:create_isue":                 "github:create_issue",
		"github:createIssue":                 "github:create_issue",
		"create_issue":                       "github:create_issue",
		"GitHub:List_Issues":                 "github:list_issues",
		"slak:post_message":                  "slack:post_message",
		"post_mesage":                        "slack:post_message",
		"gitlab:create_issue":                "github:create_issue",
		"zzzzzzzzzzzzzzzzz":                  "",
		"":                                   "",
		strings.Repeat("post_message", 1000): "",
	} {
		if got := c.Nearest(wrong); got != want {
			t.Errorf("Nearest(%.40q) is %q, want %q", wrong, got, want)
		}
	}
}

func TestTheCatalogueIsSafeForConcurrentUse(t *testing.T) {
	c := catalog.New()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			server := fmt.Sprint("s", i)
			for n := range 50 {
				c.Set(server, []json.RawMessage{tool(fmt.Sprint("tool", n), "does something")})
				c.Search("something", 5)
				c.Nearest("tool")
				c.All()
				c.Drop(server)
			}
		})
	}
	wg.Wait()
	if n := len(c.All()); n != 0 {
		t.Errorf("%d tools left", n)
	}
}

func ExampleCatalog_Search() {
	c := catalog.New()
	c.Set("mail", []json.RawMessage{
		json.RawMessage(`{"name":"send_mail","description":"Sends a mail to one or more addresses."}`),
		json.RawMessage(`{"name":"list_folders","description":"Lists the folders of the mailbox."}`)})
	for _, hit := range c.Search("send a mail", 1) {
		fmt.Println(hit.Tool.Server, hit.Tool.Name)
	}
	fmt.Println(c.Nearest("sendmail"))
	// Output:
	// mail send_mail
	// mail:send_mail
}

// Values cached for a definition stay while the server declares the same bytes.
func TestADefinitionThatIsDeclaredAgainIsTheSame(t *testing.T) {
	c := catalog.New()
	one, other := json.RawMessage(`{"name":"a","description":"x"}`), json.RawMessage(`{"name":"b"}`)
	c.Set("s", []json.RawMessage{one, other})
	a, _ := c.Tool("s", "a")
	b, _ := c.Tool("s", "b")
	changed, _ := c.Set(
		"s",
		[]json.RawMessage{json.RawMessage(`{"name":"a","description":"y"}`), json.RawMessage(string(other))},
	)
	if !changed {
		t.Error("the list has changed, and nobody says so")
	}
	if again, _ := c.Tool("s", "b"); again != b {
		t.Error("what was declared again is another definition")
	}
	if again, _ := c.Tool("s", "a"); again == a || again.Description != "y" || a.Description != "x" {
		t.Errorf("what was changed: %+v, and before: %+v", again, a)
	}
}
