package gate

import (
	"errors"

	"mcpproxy"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/text"
)

// Mask masks secrets in a text for the operator, such as a line of the log or a server's message. A text that cannot
// be read is replaced.
func (g *Gate) Mask(s string) string { return journal.Mask(g.settings.Load().inspector, s) }

// Sealed returns a record of mcpproxy itself in the form for the log, with personal data in it masked if the settings
// want that. The gate's own records have that form already.
func (g *Gate) Sealed(r *mcpproxy.Record) *mcpproxy.Record {
	s := g.settings.Load()
	return journal.Sealed(s.inspector, s.AtRest, r)
}

// Readable returns an error about a call in the form that the agent may read, because the proxy's message can quote
// the server. The Cause of the error is only for the operator's log.
func (g *Gate) Readable(c *mcpproxy.Call, err error) error {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok {
		return err
	}
	shown := *e
	shown.Message = g.ErrorText(c, e.Message)
	return &shown
}

// ErrorText returns s, the text of an error about a call, in the form that the agent may read. s may quote the server,
// but it is not the server's result.
func (g *Gate) ErrorText(c *mcpproxy.Call, s string) string {
	settings := g.settings.Load()
	if settings.RawErrors {
		return s
	}
	return journal.ErrorText(settings.inspector.Arguments(c), s)
}

// Secrets returns signals for the secrets in a document that is not a call, such as a server's definitions. The
// evidence is masked. It returns none while detection is off.
func (g *Gate) Secrets(doc *text.Document) ([]mcpproxy.Signal, error) {
	s := g.settings.Load()
	if s.Detector == nil {
		return nil, nil
	}
	return s.Detector.Secrets(doc)
}
