package gate

import (
	"errors"

	"mcpproxy"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/text"
)

// Mask hides what is secret in a text of the operator's: a line of the log, or of
// a server's own. A text that cannot be read is not shown.
func (g *Gate) Mask(s string) string { return journal.Mask(g.settings.Load().inspector, s) }

// Readable is an error about a call as the agent that made it may read it: what this
// proxy says of a server can quote the server. Its cause stays with the operator.
func (g *Gate) Readable(c *mcpproxy.Call, err error) error {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok {
		return err
	}
	shown := *e
	shown.Message = g.ErrorText(c, e.Message)
	return &shown
}

// ErrorText is the text of an error about a call, not the server's result itself,
// as the agent may read it.
func (g *Gate) ErrorText(c *mcpproxy.Call, s string) string {
	settings := g.settings.Load()
	if settings.RawErrors {
		return s
	}
	return journal.ErrorText(settings.inspector.Arguments(c), s)
}

// Secrets finds the secrets in a document that is not a call, such as what a server
// declares; the evidence is masked. There are none while detection is off.
func (g *Gate) Secrets(doc *text.Document) ([]mcpproxy.Signal, error) {
	s := g.settings.Load()
	if s.Detector == nil {
		return nil, nil
	}
	return s.Detector.Secrets(doc)
}
