package inspect

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// named is a name that nothing declares, as something that a call says: who makes a
// name up can put anything into it.
func (in *Inspector) named(c *mcpproxy.Call) Reading {
	free := c.Kind == mcpproxy.KindTool || c.Kind == mcpproxy.KindPrompt || unknownMethod(c)
	if c.Server == "" || c.Definition != nil || !free {
		return Reading{Doc: &text.Document{}}
	}
	return in.read(text.Quote(c.Tool), "name")
}

// readAside is what must not be shown of what a call says beside its arguments.
// Most calls of a tool say the same.
func (in *Inspector) readAside(c *mcpproxy.Call) []detect.Finding {
	said, known := aside(c), in.known
	if known.isPlain(said) {
		return nil
	}
	r := in.read(said, "")
	if r.Err == nil && len(r.Found) == 0 {
		known.notePlain(said)
	}
	return r.Hidden()
}

// maxCount is the length of the longest number that counts requests and nothing else.
const maxCount = 6

// aside is what a call says beside its arguments, to be read for secrets too:
// its name, which may be a URI, and the agent's reasons.
func aside(c *mcpproxy.Call) []byte {
	id := c.RequestID
	if len(id) <= maxCount && strings.Trim(id, "0123456789") == "" {
		id = "" // too little to be anything else, and another one for each call
	}
	return text.Quote(c.Tool + "\n" + id + "\n" + c.Intent.Reason + "\n" + c.Intent.Justification + "\n" +
		c.Intent.DataSensitivity + "\n" + c.Intent.DestinationType)
}
