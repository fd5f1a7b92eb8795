package gateway_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"mcpproxy/internal/approval"
	"mcpproxy/internal/version"
)

var update = flag.Bool("update", false, "write the transcripts' responses anew")

// TestTranscripts plays testdata/*.txtar. A file contains requests and their responses, in order:
//
//	-- open a session: request --
//	POST /mcp
//	Header: value
//
//	{"jsonrpc":…}
//	-- open a session: response --
//	200
//	Mcp-Session-Id: <session1>
//
//	{…}
//
// If the server asks the client a question before it answers, a file "NAME: answer" between the two contains the body
// that the client posts. In it, <question> stands for the id of the question.
//
// Values that differ in every run are placeholders in responses, and can be used in later requests: <session1> and
// <state1> in the order in which they appear, @SECRET@ for the vault's secret, <id> for an activity id, <score> for a
// rank. Run with -update to accept new responses.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r := newRig(
				t,
				setup{name: "notes", server: notes()},
				setup{name: "vault", server: vault(), stateless: true},
				setup{name: "chat", server: chat()},
				setup{name: "asker", server: asker()},
				setup{name: "modern", server: modernAsker(), stateless: true},
			)
			d := approval.New(
				approval.Rules{Elicitation: true, Expiry: time.Minute},
				func(e approval.Event) { r.log.Add(e.Record) },
			)
			t.Cleanup(d.Close)
			s := settings(tables())
			s.Desk = d
			r.gate.Configure(s)
			playTranscript(t, r, file)
		})
	}
}

func playTranscript(t *testing.T, r *rig, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{rig: r}
	for i := 0; i < len(archive.Files); i++ {
		f := &archive.Files[i]
		step, isRequest := strings.CutSuffix(f.Name, ": request")
		if !isRequest {
			continue
		}
		answer := ""
		if i+1 < len(archive.Files) && archive.Files[i+1].Name == step+": answer" {
			i++
			answer = string(archive.Files[i].Data)
		}
		got := p.play(t, string(f.Data), answer)
		if i+1 >= len(archive.Files) || archive.Files[i+1].Name != step+": response" {
			t.Fatalf("%s: no response follows", step)
		}
		want := &archive.Files[i+1].Data
		if *update {
			*want = []byte(got)
		} else if diff := cmp.Diff(string(*want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// player holds the placeholders of one transcript.
type player struct {
	rig   *rig
	names []string // placeholders
	value []string // the values of the placeholders
}

// play sends one request, answers the questions that come before the response, and returns the response in the form of
// a transcript.
func (p *player) play(t *testing.T, request, answer string) string {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	a := &agent{t: t, url: p.rig.url + path, key: "key"}
	header := map[string]string{}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		header[name] = p.fill(strings.TrimSpace(value))
	}
	x := a.do(method, p.fill(strings.TrimSpace(body)), header)
	var out strings.Builder
	fmt.Fprintln(&out, x.resp.StatusCode)
	for _, name := range []string{"Allow", "Content-Type", "Mcp-Session-Id"} {
		if v := x.resp.Header.Get(name); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, v)
		}
	}
	for m := x.next(); m != nil; m = x.next() {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, m.Raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "\n%s\n", &pretty)
		if m.IsRequest() && answer != "" {
			a.do(method, p.fill(strings.ReplaceAll(strings.TrimSpace(answer), "<question>", string(m.ID))), header)
		}
	}
	return p.hide(out.String())
}

// fill replaces placeholders by values.
func (p *player) fill(s string) string {
	for i, name := range p.names {
		s = strings.ReplaceAll(s, name, p.value[i])
	}
	return strings.ReplaceAll(s, "@SECRET@", secret)
}

var (
	sessions = regexp.MustCompile(`Mcp-Session-Id: (\S+)`)
	states   = regexp.MustCompile(`"(mcpproxy:[A-Z2-7]+)"`)
	scores   = regexp.MustCompile(`(\\?"score\\?": ?)[0-9.]+`)
	ids      = regexp.MustCompile(`01[0-9A-HJKMNP-TV-Z]{24}`)
)

// hide replaces values by placeholders.
func (p *player) hide(s string) string {
	for kind, found := range map[string][][]string{"session": sessions.FindAllStringSubmatch(s, -1), "state": states.FindAllStringSubmatch(s, -1)} {
		for _, m := range found {
			if slices.Contains(p.value, m[1]) {
				continue
			}
			n := 1
			for slices.Contains(p.names, fmt.Sprintf("<%s%d>", kind, n)) {
				n++
			}
			p.names, p.value = append(p.names, fmt.Sprintf("<%s%d>", kind, n)), append(p.value, m[1])
		}
	}
	for i, v := range p.value {
		s = strings.ReplaceAll(s, v, p.names[i])
	}
	s = strings.ReplaceAll(s, secret, "@SECRET@")
	s = strings.ReplaceAll(s, fmt.Sprintf("%q: %q", "version", version.String()), `"version": "dev"`)
	s = scores.ReplaceAllString(s, "${1}<score>") // the last digits differ between machines
	return ids.ReplaceAllString(s, "<id>")
}
