package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"mcpproxy/internal/approval"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/eventually"
)

// outcome is the result of a call that has waited.
type outcome struct {
	text    string
	refused bool
	err     error
}

// waitingCalls are the calls that scripts have started and not yet collected, by folder.
var waitingCalls sync.Map

// ask OPERATION SERVER:TOOL ARGUMENTS makes a call as [call] does, in the background. It returns when the call waits
// for an answer, and sets REQUEST to the id of the request.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	heard := make(chan outcome, 1)
	waitingCalls.Store(ts.MkAbs("."), heard)
	client := socketClient(ts)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		heard <- callTool(ctx, client, args)
	}()
	pendingRequest(ts, false, nil)
}

// callTool calls a tool through /mcp.
func callTool(ctx context.Context, h *http.Client, args []string) outcome {
	client := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	session, err := client.Connect(
		ctx,
		&mcp.StreamableClientTransport{Endpoint: "http://localhost/mcp", HTTPClient: h},
		nil,
	)
	if err != nil {
		return outcome{err: err}
	}
	defer session.Close()
	res, err := session.CallTool(
		ctx,
		&mcp.CallToolParams{
			Name:      "call_tool_" + args[0],
			Arguments: map[string]any{"name": args[1], "args_json": args[2]},
		},
	)
	if err != nil {
		return outcome{err: err}
	}
	var text strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return outcome{text: text.String(), refused: res.IsError}
}

// answered waits for the call of the last ask and writes its text into the file "answer". With !, the call must be
// refused.
func answered(ts *testscript.TestScript, neg bool, _ []string) {
	heard, ok := waitingCalls.LoadAndDelete(ts.MkAbs("."))
	if !ok {
		ts.Fatalf("no call waits")
	}
	o := <-heard.(chan outcome)
	ts.Check(o.err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), []byte(o.text), 0o600))
	if o.refused != neg {
		ts.Fatalf("refused: %t\n%s", o.refused, o.text)
	}
}

// pendingRequest waits until a question is open and sets REQUEST to its id.
func pendingRequest(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	c := socketClient(ts)
	eventually.TrueWithin(ts, patience, "a question is open", func() bool {
		resp, err := c.Get("http://localhost/api/v1/approvals")
		ts.Check(err)
		var body struct{ Data []approval.Request }
		err = json.NewDecoder(resp.Body).Decode(&body)
		resp.Body.Close()
		ts.Check(err)
		n := len(body.Data)
		if n == 0 {
			return false
		}
		ts.Setenv("REQUEST", body.Data[n-1].ID)
		return true
	})
}

// goose DECISION FILE posts the hook payload of an agent that cannot ask its user. It writes the answer into the file
// "answer", and sets ID to its activity and REQUEST to the request that it names.
func goose(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	resp, err := socketClient(ts).Post("http://localhost/api/v1/hooks/evaluate?agent=goose", "application/json",
		strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	defer resp.Body.Close()
	var body struct {
		Data struct {
			Decision, Reason string
			ID               string `json:"activity_id"`
		}
	}
	ts.Check(json.NewDecoder(resp.Body).Decode(&body))
	ts.Check(os.WriteFile(ts.MkAbs("answer"), []byte(body.Data.Reason), 0o600))
	if body.Data.Decision != args[0] {
		ts.Fatalf("%+v", body.Data)
	}
	ts.Setenv("ID", body.Data.ID)
	if _, rest, ok := strings.Cut(body.Data.Reason, "mcpproxy approvals approve "); ok {
		request, _, _ := strings.Cut(rest, "`")
		ts.Setenv("REQUEST", request)
	}
}

// lastRule sets RULE to the id of the newest stored rule.
func lastRule(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	resp, err := socketClient(ts).Get("http://localhost/api/v1/approvals/rules")
	ts.Check(err)
	defer resp.Body.Close()
	var body struct{ Data []struct{ ID string } }
	ts.Check(json.NewDecoder(resp.Body).Decode(&body))
	if len(body.Data) == 0 {
		ts.Fatalf("no rule is kept")
	}
	ts.Setenv("RULE", body.Data[len(body.Data)-1].ID)
}

func TestThePolicyVersionDependsOnWhatDecides(t *testing.T) {
	version := func(file string) string {
		c, err := config.Parse("f.json", []byte(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		return daemon.PolicyVersion(c)
	}
	base := version(`{}`)
	if base == "" || base != version(`{"listen": "127.0.0.1:9", "security": {}}`) {
		t.Error("where it listens decides nothing")
	}
	for _, other := range []string{`{"security": {"flow_policy": {"tool_overrides": {"a:b": "allow"}}}}`, `{"security": {"policies": [{"name": "a", "when": "true", "then": "deny"}]}}`,
		`{"mcpServers": {"a": {"command": "x"}}, "groups": {"g": {"servers": ["a"], "isolation": "strict"}}}`} {
		if version(other) == base {
			t.Errorf("%s decides", other)
		}
	}
}
