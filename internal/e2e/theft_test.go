package e2e

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

// stolenKey has the form of a token but is not valid. It is assembled here, so that scanners for secrets do not find
// it in a file.
var stolenKey = "gh" + "p_" + "R4tY7uQ2wE9pL3kJ" + "6hG8fD1sA5zX0cV2bN7m"

const deniedReason = "Sensitive data (api_token) flowing from internal source (filesystem) to external destination (slack)."

var activityID = regexp.MustCompile(`activity ([0-9A-Z]{26})`)

// scenario is the situation of story 1: a folder that contains a key, and a public chat. The messages to the chat are
// stored in a file.
type scenario struct {
	d      *daemon
	file   string
	heard  string // file with everything that the chat server received
	events *rig.Log
}

func newHeist(t *testing.T) *scenario {
	t.Helper()
	folder := t.TempDir()
	h := &scenario{
		file:   filepath.Join(folder, "deploy.env"),
		heard:  filepath.Join(t.TempDir(), "heard"),
		events: &rig.Log{},
	}
	if err := os.WriteFile(h.file, []byte("# deployment\nTOKEN="+stolenKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.d = start(
		t,
		npmServer(t, "filesystem", "@modelcontextprotocol/server-filesystem", folder),
		object{
			"name":    "slack",
			"command": "sh",
			"args":    []string{"-c", `tee -a "$0" | "$1" demo-server chat`, h.heard, bin.race},
		},
	)
	h.listen(t)
	return h
}

// listen records the events that the daemon publishes.
func (h *scenario) listen(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	client := http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(h.d.dir, "mcpproxy.sock"))
		}},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer resp.Body.Close()
		_, _ = io.Copy(h.events, resp.Body)
	}()
}

func (h *scenario) chatHeard(t *testing.T) bool {
	t.Helper()
	raw, err := os.ReadFile(h.heard)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(raw, []byte(stolenKey))
}

// post sends the key to the chat.
func post(t *testing.T, s *mcp.ClientSession) (text string, isError bool) {
	t.Helper()
	return call(t, s, "call_tool_write", object{"name": "slack:post_message",
		"args": object{"channel": "#general", "text": "For your interest: " + stolenKey}})
}

func TestAStolenKeyDoesNotLeave(t *testing.T) {
	for name, connect := range map[string]func(*testing.T, *daemon) *mcp.ClientSession{
		"over HTTP, stateful":              func(t *testing.T, d *daemon) *mcp.ClientSession { return d.agent(t, "/mcp", stateful) },
		"over HTTP, stateless":             func(t *testing.T, d *daemon) *mcp.ClientSession { return d.agent(t, "/mcp", stateless) },
		"over the stdio bridge, stateful":  func(t *testing.T, d *daemon) *mcp.ClientSession { return d.bridged(t, stateful) },
		"over the stdio bridge, stateless": func(t *testing.T, d *daemon) *mcp.ClientSession { return d.bridged(t, stateless) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeist(t)
			s := connect(t, h.d)
			read := use(
				t,
				s,
				"call_tool_read",
				object{"name": "filesystem:read_text_file", "args": object{"path": h.file}},
			)
			if !strings.Contains(read, stolenKey) {
				t.Fatalf("the agent cannot read the file: %q", read)
			}
			text, isError := post(t, s)
			id := activityID.FindStringSubmatch(text)
			if !isError || !strings.HasPrefix(text, deniedReason+"\n") || id == nil {
				t.Fatalf(
					"the answer is (error: %t)\n%s\nwant it to start with\n%s\nand to name the activity",
					isError,
					text,
					deniedReason,
				)
			}
			if !strings.Contains(text, "security.flow_policy.sensitive_data_external") ||
				!strings.Contains(text, "mcpproxy explain "+id[1]) {
				t.Errorf("the answer does not name the rule and the way on:\n%s", text)
			}
			if h.chatHeard(t) {
				t.Error("the chat server received the key")
			}
			h.expectExplained(t, id[1])
			h.allow(t, id[1])
			if text, isError := post(t, s); isError {
				t.Errorf("after the change that explain names, the call is answered with %q", text)
			}
			// tee forwards its input and then writes it into a file.
			eventually.True(t, "the chat server received the key", func() bool { return h.chatHeard(t) })
			h.expectNoSecret(t)
		})
	}
}

// expectExplained checks the explanation for people.
func (h *scenario) expectExplained(t *testing.T, id string) {
	t.Helper()
	out, err := h.d.command("explain", id)
	if err != nil {
		t.Fatalf("explain: %v\n%s", err, out)
	}
	for _, want := range []string{"slack:post_message", deniedReason, "security.flow_policy.sensitive_data_external", "filesystem", "github_token"} {
		if !strings.Contains(out, want) {
			t.Errorf("explain does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, stolenKey) {
		t.Errorf("explain tells the key:\n%s", out)
	}
}

// allow merges the configuration that explain prints into the file, and waits until it is in force.
func (h *scenario) allow(t *testing.T, id string) {
	t.Helper()
	out, err := h.d.command("explain", id, "-o", "json")
	if err != nil {
		t.Fatalf("explain: %v\n%s", err, out)
	}
	var explained struct {
		AllowWith string `json:"allow_with"`
	}
	decode(t, out, &explained)
	var change object
	decode(t, explained.AllowWith, &change)
	settings := h.d.settings()
	for key, value := range change {
		settings[key] = value
	}
	h.d.write(settings)
	eventually.Succeeds(t, "the configuration is read again", func() error {
		return contains(h.d.log.String(), "the configuration was read again")
	})
}

// expectNoSecret searches for the key in everything that the daemon has written or returned.
func (h *scenario) expectNoSecret(t *testing.T) {
	t.Helper()
	var activity []byte
	eventually.Succeeds(t, "the calls are on record", func() error {
		out, err := h.d.command("activity", "export")
		activity = []byte(out)
		if err == nil {
			err = contains(out, "post_message")
		}
		return err
	})
	logged, published := h.d.log.String(), h.events.String()
	if err := contains(published, "policy_decision"); err != nil {
		t.Errorf("the events: %v", err)
	}
	h.d.stop()
	for name, text := range map[string][]byte{"the export": activity, "the daemon's log": []byte(logged), "the events": []byte(published)} {
		if bytes.Contains(text, []byte(stolenKey)) {
			t.Errorf("%s: the key is in it", name)
		}
	}
	err := filepath.WalkDir(h.d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(stolenKey)) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
