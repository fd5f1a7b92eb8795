package adversary

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served returns everything that a real client receives from a server: what is declared
// and what the steps of the script answer.
func served(t *testing.T, s *Server, a Act) (string, error) {
	t.Helper()
	web := httptest.NewServer(s)
	defer web.Close()
	defer web.CloseClientConnections()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             web.URL,
		HTTPClient:           web.Client(),
		MaxRetries:           -1,
		DisableStandaloneSSE: true,
	},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	heard := &listener{}
	heard.add(session.InitializeResult(), nil)
	heard.add(session.ListTools(ctx, nil))
	heard.add(session.ListPrompts(ctx, nil))
	heard.add(session.ListResources(ctx, nil))
	for _, step := range a.Steps() {
		switch {
		case step.Peer:
		case step.Tool != "":
			heard.add(session.CallTool(ctx, &mcp.CallToolParams{Name: step.Tool, Arguments: step.Args}))
		case step.Prompt != "":
			heard.add(session.GetPrompt(ctx, &mcp.GetPromptParams{Name: step.Prompt}))
		default:
			heard.add(session.ReadResource(ctx, &mcp.ReadResourceParams{URI: step.Fill("abc").Resource}))
		}
	}
	return heard.text.String(), heard.err
}

// listener records every string that it receives, unchanged.
type listener struct {
	text strings.Builder
	err  error
}

func (l *listener) add(result any, err error) {
	if err != nil {
		l.err = err
		return
	}
	var v any
	raw, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		l.err = err
		return
	}
	fmt.Fprintf(&l.text, "%v\n", v)
}

// Each attack of the matrices reaches a real client unchanged, and so does the text of its benign variant.
// Shows: RFC-28.
func TestAttacksReachARealClient(t *testing.T) {
	for _, a := range Catalogue() {
		if a.Category == "hostile" {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			harm, err := served(t, NewServer(a.Harm), a.Harm)
			if err != nil {
				t.Fatalf("the client got an error: %v", err)
			}
			variant, err := served(t, NewServer(a.Benign), a.Benign)
			if err != nil {
				t.Fatalf("the client of the variant got an error: %v", err)
			}
			if harm == variant && a.Category != "exfiltration" && a.Category != "lie" && a.Category != "rugpull" {
				t.Error("the attack and its variant look the same to a client")
			}
			if want, ok := promise(a.Name); ok && (!strings.Contains(harm, want) || strings.Contains(variant, want)) {
				t.Errorf("the client hears %.2000s\nwant %q in it, and not in that of the variant", harm, want)
			}
		})
	}
}

// promise returns the text that an attack of the matrices must contain.
func promise(name string) (string, bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 {
		return "", false
	}
	n := 0
	for _, f := range fields {
		for _, d := range disguises {
			if f.id && !d.inName {
				continue
			}
			if name == "poisoning."+f.name+"."+d.name {
				return order(f, d, n), true
			}
			n++
		}
	}
	for n, d := range disguises {
		switch {
		case d.name != parts[2]:
		case parts[0] == "linejump":
			return d.wear(orders[n%len(orders)]), true
		case parts[0] == "injection" && parts[1] != "split":
			return d.wear(resultOrders[n%len(resultOrders)]), true
		}
	}
	return "", false
}

// Hostile servers harm a client as described, and their benign variants do not.
func TestHostileServersAreHostile(t *testing.T) {
	for _, c := range []struct {
		name string
		want func(heard string, err error) bool
	}{
		{"long_description", func(s string, err error) bool { return err == nil && len(s) > 1<<20 }},
		{"many_tools", func(s string, err error) bool { return err == nil && strings.Contains(s, "read_gauge_many_tools_4999") }},
		{"same_name", func(s string, err error) bool { return err == nil && strings.Count(s, "read_gauge_same_name") == 3 }},
		{"endless_list", func(s string, err error) bool { return err == nil && strings.Contains(s, "nextCursor") }},
		{"long_result", func(s string, err error) bool { return err == nil && len(s) > 17<<20 }},
		{"deep_result", func(_ string, err error) bool { return err != nil && strings.Contains(err.Error(), "nesting") }},
		{"not_json", func(_ string, err error) bool { return err != nil }},
		{"crash", func(_ string, err error) bool { return err != nil }},
		{"result_and_error", func(_ string, err error) bool { return err != nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, err := Find("hostile." + c.name)
			if err != nil {
				t.Fatal(err)
			}
			if heard, err := served(t, NewServer(a.Harm), a.Harm); !c.want(heard, err) {
				t.Errorf("the client heard %.300q, %v", heard, err)
			}
			heard, err := served(t, NewServer(a.Benign), a.Benign)
			if err != nil || c.name != "endless_list" && c.want(heard, err) {
				t.Errorf("the client of the variant heard %.300q, %v", heard, err)
			}
		})
	}
}

// Messages that client libraries refuse are checked as bytes.
func TestBrokenMessagesAreBroken(t *testing.T) {
	for kind, broken := range map[string]func(raw []byte) bool{
		"not_utf8":   func(raw []byte) bool { return strings.Contains(string(raw), "caf\xe9") },
		"double_key": func(raw []byte) bool { return strings.Count(string(raw), `"content":`) == 2 },
		"other_id":   func(raw []byte) bool { return !strings.Contains(string(raw), `"id":7,`) },
	} {
		a, err := Find("hostile." + kind)
		if err != nil {
			t.Fatal(err)
		}
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q}}`, "read_gauge_"+kind)
		if r := NewServer(a.Harm).Answer([]byte(call)); len(r.Messages) != 1 || !broken(r.Messages[0]) {
			t.Errorf("%s answers %s", kind, r.Messages)
		}
		if r := NewServer(
			a.Benign,
		).Answer([]byte(call)); len(r.Messages) != 1 || broken(r.Messages[0]) ||
			!json.Valid(r.Messages[0]) {
			t.Errorf("the variant of %s answers %s", kind, r.Messages)
		}
	}
	hang, err := Find("hostile.hang")
	if err != nil {
		t.Fatal(err)
	}
	call := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_gauge_hang"}}`)
	if r, variant := NewServer(
		hang.Harm,
	).Answer(call),
		NewServer(
			hang.Benign,
		).Answer(call); !r.Hang || variant.Hang ||
		variant.Delay != 100*time.Millisecond {
		t.Errorf("hanging answers %+v, its variant %+v", r, variant)
	}
}
