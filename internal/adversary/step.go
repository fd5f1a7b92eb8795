package adversary

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

// Step is a request of the agent. One of Tool, Prompt and Resource is set. In
// Args and Resource, "{{peer}}" stands for the text that the peer answered last,
// "{{peer.base64}}" and "{{peer.hex}}" for the same in these encodings.
type Step struct {
	Peer        bool            // to the peer, not to the attacker
	Tool        string          // a tool to call
	Args        json.RawMessage // its arguments
	Intent      string          // what the agent says it does: read, write or destructive; "" for write
	Sensitivity string          // how sensitive it says the data is; "" for nothing
	Prompt      string          // a prompt to get
	Resource    string          // a resource to read
}

// Fill puts in what the peer answered last.
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

// token has the form of a token and opens nothing. It is put together here so
// that no file holds one.
var token = "gh" + "p_" + "T8vLq2ZxW5nRk7YdB3mHc9JfS4gPa1uEw6Xo"

var placeholders = regexp.MustCompile(`\{\{(token|base64:[^}]*)\}\}`)

// expand writes out the placeholders of a scene: "{{token}}" is a token, and
// "{{base64:text}}" the text in base64, in which \n is a line break.
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
