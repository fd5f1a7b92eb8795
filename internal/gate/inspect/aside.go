package inspect

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// named reads the name of a tool that no definition declares. Whoever makes up a name can put any data into it.
func (in *Inspector) named(c *mcpproxy.Call) Reading {
	free := c.Kind == mcpproxy.KindTool || c.Kind == mcpproxy.KindPrompt || unknownMethod(c)
	if c.Server == "" || c.Definition != nil || !free {
		return Reading{Doc: &text.Document{}}
	}
	return in.read(text.Quote(c.Tool), "name")
}

// readAside returns what must be masked in the parts of a call outside its arguments. The result is cached, because
// most calls of a tool have the same parts.
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

// maxCount is the maximum length of a request id that can only be a counter.
const maxCount = 6

// aside returns the parts of a call outside its arguments that are searched for secrets: its name, which may be a
// URI, and the agent's reasons.
func aside(c *mcpproxy.Call) []byte {
	id := c.RequestID
	if len(id) <= maxCount && strings.Trim(id, "0123456789") == "" {
		id = "" // too short to contain data, and different for each call
	}
	return text.Quote(c.Tool + "\n" + id + "\n" + c.Intent.Reason + "\n" + c.Intent.Justification + "\n" +
		c.Intent.DataSensitivity + "\n" + c.Intent.DestinationType)
}
