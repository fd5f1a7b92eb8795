package cli

import (
	"net/url"

	"github.com/spf13/cobra"

	"mcpproxy/internal/remote"
)

// newClient returns a client of the daemon of a configuration file.
func newClient(g *globals) (*remote.Client, error) {
	c, err := remote.Config(g.config)
	if err != nil {
		return nil, err
	}
	return remote.New(c)
}

// fetch requests data from the daemon of the configuration.
func fetch(cmd *cobra.Command, g *globals, path string, query url.Values, out any) error {
	c, err := newClient(g)
	if err != nil {
		return err
	}
	return c.Get(cmd.Context(), path, query, out)
}
