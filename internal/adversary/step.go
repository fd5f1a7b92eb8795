package adversary

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

// Step is a request of the agent. One of Tool, Prompt and Resource is set. In Args and Resource, "{{peer}}" stands for
// the text of the peer's last answer, and "{{peer.base64}}" and "{{peer.hex}}" for that text in these encodings.
type Step struct {
	Peer        bool            // send the request to the peer instead of the attacker
	Tool        string          // a tool to call
	Args        json.RawMessage // its arguments
	Intent      string          // what the agent declares: read, write or destructive; "" means write
	Sensitivity string          // the sensitivity of the data that the agent declares; "" if it declares none
	Prompt      string          // a prompt to get
	Resource    string          // a resource to read
}

// Fill replaces the placeholders with the text of the peer's last answer.
func (s Step) Fill(peer string) Step {
	values := map[string]string{"{{peer}}": peer, "{{peer.base64}}": base64.StdEncoding.EncodeToString([]byte(peer)),
		"{{peer.hex}}": hex.EncodeToString([]byte(peer))}
	for placeholder, value := range values {
		inJSON := string(encode(value))
		s.Args = json.RawMessage(strings.ReplaceAll(string(s.Args), placeholder, inJSON[1:len(inJSON)-1]))
		s.Resource = strings.ReplaceAll(s.Resource, placeholder, value)
	}
	return s
}

// token has the form of a token but is not valid. It is assembled here, so that scanners for secrets do not find it in
// a file.
var token = "gh" + "p_" + "T8vLq2ZxW5nRk7YdB3mHc9JfS4gPa1uEw6Xo"

var placeholders = regexp.MustCompile(`\{\{(token|base64:[^}]*)\}\}`)

// expand replaces the placeholders of a scene: "{{token}}" with a token, and "{{base64:text}}" with the text in
// base64. In the text, \n is a line break.
func expand(raw []byte) []byte {
	return placeholders.ReplaceAllFunc(raw, func(found []byte) []byte {
		inside := string(found[2 : len(found)-2])
		if inside == "token" {
			return []byte(token)
		}
		text := strings.ReplaceAll(strings.TrimPrefix(inside, "base64:"), `\n`, "\n")
		return []byte(base64.StdEncoding.EncodeToString([]byte(text)))
	})
}
