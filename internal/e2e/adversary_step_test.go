package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/adversary"
)

// heard is the outcome of one step, as the agent sees it.
type heard struct {
	notice adversary.Notice // the part that stopped the call; zero if the answer was delivered
	text   string           // isError of a delivered tool result
	body   []byte
}

// take performs one step. It calls tools through /mcp, as agents do, and requests prompts and resources at the
// server's own endpoint.
func (s *stage) take(t *testing.T, agent *raw, p *part, step adversary.Step) heard {
	t.Helper()
	server := p.server
	if step.Peer {
		server = p.act().PeerName
	}
	switch {
	case step.Prompt != "":
		return hear(
			open(t, s.url("/mcp/s/"+server), stateful).post(request("prompts/get", object{"name": step.Prompt})),
		)
	case step.Resource != "":
		return hear(
			open(t, s.url("/mcp/s/"+server), stateful).post(request("resources/read", object{"uri": step.Resource})),
		)
	}
	args := object{"name": server + ":" + step.Tool, "args": step.Args}
	if step.Sensitivity != "" {
		args["intent_data_sensitivity"] = step.Sensitivity
	}
	intent := step.Intent
	if intent == "" {
		intent = "write"
	}
	return hear(agent.post(request("tools/call", object{"name": "call_tool_" + intent, "arguments": args})))
}

// request returns a JSON-RPC request.
func request(method string, params any) string {
	raw, err := json.Marshal(object{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  method,
		"params":  params,
	})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// expectUndisturbed compares the agent's answer with the answer of the benign variant when it is asked directly.
func expectUndisturbed(t *testing.T, p *part, step adversary.Step, got heard) {
	t.Helper()
	if got.notice.Who != "" {
		t.Errorf("the variant of %s is disturbed: %s\n%.1000s", p.attack.Name, got.notice, got.body)
		return
	}
	direct := request("tools/call", object{"name": step.Tool})
	if step.Prompt != "" {
		direct = request("prompts/get", object{"name": step.Prompt})
	} else if step.Resource != "" {
		direct = request("resources/read", object{"uri": step.Resource})
	}
	var want, have rpc
	decode(t, string(adversary.NewServer(*p.act()).Answer([]byte(direct)).Messages[0]), &want)
	decode(t, string(got.body), &have)
	if string(have.Result) != string(want.Result) {
		t.Errorf("the variant of %s answers\n%.1000s\nand the agent got\n%.1000s", p.attack.Name, want.Result, have.Result)
	}
}

// ruling is the explanation of a stopped call.
type ruling struct{ Decision, Rule, Code string }

// hear determines from the answer to a call which part of mcpproxy has stopped it.
func hear(a answer) heard {
	h := heard{body: a.body}
	if a.rpc.Error != nil {
		var r ruling
		_ = json.Unmarshal(a.rpc.Error.Data, &r)
		h.notice = r.notice()
		if r.Rule == "" {
			h.notice = adversary.Notice{Who: adversary.Gateway, What: a.rpc.Error.Message}
		}
		return h
	}
	var result struct {
		IsError           bool
		StructuredContent ruling
		Content           []struct{ Text string }
	}
	_ = json.Unmarshal(a.rpc.Result, &result)
	for _, c := range result.Content {
		h.text += c.Text
	}
	if result.IsError && result.StructuredContent.Rule != "" {
		h.notice = result.StructuredContent.notice()
	} else if result.IsError && result.StructuredContent.Code == "TOOL_NOT_FOUND" {
		h.notice = adversary.Notice{Who: adversary.Gateway, What: "not listed"}
	}
	return h
}

func (r ruling) notice() adversary.Notice {
	switch r.Rule {
	case "security.content_scan.results":
		return adversary.Notice{Who: adversary.Content, What: "withheld"}
	case "inspection.failed":
		return adversary.Notice{Who: adversary.Gateway, What: "could not be inspected"}
	}
	return adversary.Notice{Who: adversary.Gate, What: r.Rule}
}

var update = flag.Bool("update", false, "write the table of docs/adversary.md")

const (
	tableBegin = "<!-- what follows is written by: go test ./internal/e2e -run Adversary -update -->\n"
	tableEnd   = "\n<!-- what follows is written by hand -->\n"
	tablePage  = "../../docs/adversary.md"
)

// checkTable compares the table on the page with the observed results.
func checkTable(t *testing.T, harms []*part) {
	t.Helper()
	var b strings.Builder
	category := ""
	for _, p := range harms {
		if p.attack.Category != category {
			category = p.attack.Category
			fmt.Fprintf(&b, "\n### %s\n\n| attack | what it is | expected | observed |\n|---|---|---|---|\n", category)
		}
		var expected []string
		for _, n := range p.attack.Expected {
			expected = append(expected, n.String())
		}
		fmt.Fprintf(
			&b,
			"| %s | %s | %s | %s |\n",
			p.attack.Name,
			p.attack.Summary,
			strings.Join(expected, ", "),
			p.shown,
		)
	}
	page, err := os.ReadFile(filepath.FromSlash(tablePage))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(page), tableBegin)
	old, tail, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		t.Fatalf("%s lacks the line %q or the line %q", tablePage, tableBegin, tableEnd)
	}
	if old == b.String() {
		return
	}
	if !*update {
		t.Errorf(
			"the table of %s is not what was observed; write it anew with: go test ./internal/e2e -run Adversary -update",
			tablePage,
		)
		return
	}
	if err := os.WriteFile(filepath.FromSlash(tablePage), []byte(head+tableBegin+b.String()+tableEnd+tail), 0o600); err != nil {
		t.Fatal(err)
	}
}
