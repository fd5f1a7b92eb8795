package cli

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
)

func openCommand(g *globals) *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the page, logged in",
		Args:  noArguments,
		Long: `Makes a link to the page of the running daemon and, if there is a desktop, opens it in
the browser. The link works once, within two minutes. It is also printed. It logs in
whoever has it, so give it to nobody. It does not contain the API key.`,
		Example: "  mcpproxy open\n  mcpproxy open --print",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var made api.LoginCode
			if err := c.Post(cmd.Context(), "/api/v1/login", nil, &made); err != nil {
				return err
			}
			if c.Key != "" { // the daemon was reached over TCP at this address
				if u, err := url.Parse(c.Base); err == nil {
					made.Page = u.Scheme + "://" + u.Host + "/ui/#login=" + made.Code
				}
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), made, nil)
			}
			fmt.Fprintln(cmd.OutOrStdout(), made.Page)
			if opener := desktop(); opener != "" && !printOnly {
				if err := exec.Command(opener, made.Page).Start(); err != nil {
					return fmt.Errorf("the browser cannot be opened: %w; open the link above by hand", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the link and open nothing")
	return cmd
}

// desktop returns the program that opens a link in the user's browser, or "" without a desktop.
func desktop() string {
	if runtime.GOOS == "darwin" {
		return "open"
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return ""
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil {
		return ""
	}
	return path
}
