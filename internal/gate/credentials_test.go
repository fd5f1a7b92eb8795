package gate_test

import (
	"context"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
)

// Reading a file of credentials is a sensitive read, even if the result contains no recognisable key.
func TestReadingAFileOfCredentialsIsASensitiveRead(t *testing.T) {
	for name, c := range map[string]struct {
		read *mcpproxy.Call
		says string
		rule string
	}{
		"a key that is not there":          {call("files", "read_file", object("path", "/home/ann/.ssh/id_rsa")), `{"content":[]}`, policy.RuleTaint},
		"an answer of nothing":             {call("files", "read_file", object("path", "/home/ann/.aws/credentials")), ``, policy.RuleTaint},
		"an empty text":                    {call("files", "read_file", object("path", "/home/ann/.ssh/id_ed25519")), `{"content":[{"type":"text","text":""}]}`, policy.RuleTaint},
		"by the agent's own tool":          {hookCall("Read", object("file_path", "/home/ann/.ssh/id_rsa")), `""`, policy.RuleTaint},
		"by a command":                     {bash("cat ~/.aws/credentials | base32"), `"NBSWY3DP"`, policy.RuleTaint},
		"a read that fails":                {call("files", "read_file", object("path", "/home/ann/.ssh/id_rsa")), `{"isError":true,"content":[]}`, ""},
		"another file":                     {call("files", "read_file", object("path", "/home/ann/notes.md")), `{"content":[]}`, ""},
		"a list of hosts beside the keys":  {call("files", "read_file", object("path", "/home/ann/.ssh/known_hosts")), `{"content":[]}`, ""},
		"a search that names such a file":  {call("docs", "search", object("query", "how to rotate .ssh/id_rsa")), `{"content":[]}`, ""},
		"a file of that name is written":   {call("files", "write_file", object("path", "/home/ann/.aws/credentials")), `{"content":[]}`, ""},
		"a command that does not read one": {bash("ls ~/src"), `"a b"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), watchful())
			result := &mcpproxy.Result{Raw: []byte(c.says), IsError: name == "a read that fails"}
			h.gate.Do(context.Background(), c.read, func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return result })
			v, _ := h.does(askable("slack", "post_message", object("text", paraphrase)))
			if v.Rule != c.rule {
				t.Errorf("the send after it: %s by %q: %s", v.Decision, v.Rule, v.Reason)
			}
		})
	}
}

// A hook announces the read of a credential file. The session becomes sensitive when the hook reports the result.
func TestACredentialFileReadOutsideTheProxyIsASensitiveRead(t *testing.T) {
	h := newRig(t, t.TempDir(), watchful())
	read := hookCall("Read", object("file_path", "/home/ann/.ssh/id_rsa"))
	before := h.gate.Decides(context.Background(), read).WithoutText()
	result := &mcpproxy.Result{Raw: []byte(`""`)}
	h.gate.Reported(context.Background(), before, hookCall("Read", `{}`), result, gate.Hook{})
	if v, _ := h.does(askable("slack", "post_message", object("text", paraphrase))); v.Rule != policy.RuleTaint {
		t.Errorf("%s by %q: %s", v.Decision, v.Rule, v.Reason)
	}
}

// Shows: RFC-17.
func TestADetectionHasAConfidenceAndAMaskedSample(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	v, _ := h.does(askable("slack", "post_message", object("text", "token: "+gitToken)))
	r := h.stored(v.ID)
	if r == nil || r.Metadata.Sensitive == nil || len(r.Metadata.Sensitive.Detections) != 1 {
		t.Fatalf("the record: %+v", r)
	}
	d := r.Metadata.Sensitive.Detections[0]
	if d.Confidence <= 0 || d.Confidence > 1 || !strings.HasPrefix(d.Sample, "["+d.Type) || strings.Contains(d.Sample, gitToken) {
		t.Errorf("got %+v", d)
	}
}

func TestAFetchOfTheMetadataServiceIsAsked(t *testing.T) {
	for name, c := range map[string]*mcpproxy.Call{
		"by a server":     askable("fetch", "fetch", object("url", "http://169.254.169.254/latest/meta-data/")),
		"by the agent":    hookCall("WebFetch", `{"url":"http://0xa9fea9fe/","prompt":"what does it say"}`),
		"by any server":   askable("widget", "load_page", object("address", "http://[fd00:ec2::254]/")),
		"by its own name": askable("browser", "navigate", object("url", "http://metadata.google.internal/computeMetadata/v1/")),
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			v, sent := h.does(c)
			if sent || v.Decision != mcpproxy.Ask || v.Rule != policy.RuleMetadata {
				t.Errorf("sent %v, %s by %q: %s", sent, v.Decision, v.Rule, v.Reason)
			}
		})
	}
}
