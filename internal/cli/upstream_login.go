package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream/oauth"
)

// loggedIn is the result of a login, without its secrets.
type loggedIn struct {
	Server  string      `json:"server"`
	Issuer  string      `json:"issuer"`
	Client  string      `json:"client_id"`
	Scopes  []string    `json:"scopes"`
	Expires time.Time   `json:"expires,omitzero"`
	Renewed bool        `json:"renewable"`
	Kept    oauth.Place `json:"kept"`
}

func upstreamLogin(g *globals) *cobra.Command {
	var scopes []string
	var noBrowser bool
	cmd := &cobra.Command{
		Use:   "login NAME",
		Short: "Log in to an HTTP server, with your browser",
		Args:  cobra.ExactArgs(1),
		Long: `Sends you to the authorization server of an MCP server and keeps the token that
comes back. The server needs "oauth": {} in the configuration. A running daemon connects
at once, and renews the token from then on.`,
		Example: `  mcpproxy upstream login wiki
  mcpproxy upstream login wiki --scope wiki:write
  mcpproxy upstream login wiki --no-browser`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := config.Load(cmd.Context(), g.config)
			if err != nil {
				return err
			}
			account, err := accountOf(c, args[0])
			if err != nil {
				return err
			}
			grant, err := account.Login(cmd.Context(), oauth.LoginOptions{
				Scopes: scopes,
				Show: func(issuer, address string) {
					showLogin(cmd.ErrOrStderr(), args[0], issuer, address, !noBrowser)
				},
				Notice: func(words string) { fmt.Fprintln(cmd.ErrOrStderr(), term.Plain(words)) },
			})
			switch {
			case errors.Is(err, context.Canceled):
				return errors.New("the login was given up; everything is as before")
			case err != nil:
				return err
			}
			return printLogin(cmd, g, grant)
		},
	}
	cmd.Flags().StringArrayVar(&scopes, "scope", nil, "a scope to ask for in addition to those you have; may be repeated")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "only print the address, to open it yourself")
	return cmd
}

// accountOf returns the account of a server in the configuration.
func accountOf(c *config.Config, name string) (*oauth.Account, error) {
	i := slices.IndexFunc(c.Servers, func(s config.Server) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range c.Servers {
			names = append(names, s.Name)
		}
		return nil, fmt.Errorf("the configuration has no server %q%s", name, didYouMean(name, names))
	}
	s := c.Servers[i]
	switch {
	case s.URL == "":
		return nil, fmt.Errorf("%s is a program on this machine: there is nothing to log in to", name)
	case s.OAuth == nil:
		return nil, fmt.Errorf("%s is not set up for logins: add \"oauth\": {} to it in the configuration", name)
	}
	return oauth.New(daemon.Specs(c, "")[i], daemon.AccountSettings(s.OAuth), daemon.GrantsStore(c)), nil
}

func didYouMean(name string, names []string) string {
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// showLogin prints the address for the login and opens a browser if there is a desktop.
func showLogin(w io.Writer, server, issuer, address string, open bool) {
	fmt.Fprintf(
		w,
		"To log in to %s at %s, open this address in a browser on this machine:\n\n  %s\n\n",
		server,
		term.Plain(issuer),
		term.Plain(address),
	)
	if open {
		openBrowser(address)
	}
	fmt.Fprintf(w, "Waiting for you to log in, at most %s. Ctrl-C gives up.\n", oauth.LoginTime)
}

// openBrowser opens an address in the user's browser. It ignores errors, because the address was
// printed.
func openBrowser(address string) {
	program := "xdg-open"
	switch {
	case runtime.GOOS == "darwin":
		program = "open"
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return
	}
	browser := exec.Command(program, address)
	if browser.Start() == nil {
		go func() { _ = browser.Wait() }()
	}
}

// printLogin prints the result of a login.
func printLogin(cmd *cobra.Command, g *globals, grant *oauth.Grant) error {
	made := loggedIn{
		Server:  grant.Server,
		Issuer:  grant.Issuer,
		Client:  grant.ClientID,
		Scopes:  grant.Scopes,
		Expires: grant.Expires,
		Renewed: grant.Secrets.Refresh != "",
		Kept:    grant.Kept,
	}
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), made, nil)
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "You are logged in to %s at %s. ", made.Server, term.Plain(made.Issuer))
	if len(made.Scopes) > 0 {
		fmt.Fprintf(w, "Rights: %s. ", term.Plain(strings.Join(made.Scopes, " ")))
	}
	switch {
	case made.Kept == oauth.InRing:
		fmt.Fprintln(w, "The token is in your keyring.")
	default:
		fmt.Fprintln(w, "The token is in a file that only you can read.")
	}
	if !made.Renewed && !made.Expires.IsZero() {
		fmt.Fprintf(
			w,
			"It cannot be renewed: log in again after %s.\n",
			made.Expires.Local().Format("2006-01-02 15:04"),
		)
	}
	if err := fetch(cmd, g, "/api/v1/status", nil, new(struct{})); errors.Is(err, remote.ErrNotRunning) {
		fmt.Fprintln(w, "mcpproxy is not running: it connects when you start it with `mcpproxy serve`.")
	}
	return nil
}

func upstreamLogout(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "logout NAME",
		Short: "Forget the login to an HTTP server, and have it revoked",
		Args:  cobra.ExactArgs(1),
		Long: `Forgets the tokens of a server, and the registration that came with them, and has the
authorization server revoke them where it can. Works for servers that are out of the
configuration already.`,
		Example: "  mcpproxy upstream logout wiki",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := config.Load(cmd.Context(), g.config)
			if errors.Is(err, os.ErrNotExist) {
				c, err = config.Default(), nil
			}
			if err != nil {
				return err
			}
			account, err := accountOf(c, args[0])
			if err != nil {
				account = oauth.Leave(args[0], daemon.GrantsStore(c))
			}
			result, err := account.Logout(cmd.Context())
			if errors.Is(err, oauth.ErrNoLogin) {
				return fmt.Errorf("nobody is logged in to %q", args[0])
			}
			if err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), result, nil)
			}
			return printLogout(cmd.ErrOrStderr(), result)
		},
	}
}

// printLogout prints whether the tokens were revoked and deleted.
func printLogout(w io.Writer, result *oauth.LogoutResult) error {
	fmt.Fprintf(w, "The login to %s is forgotten.", term.Plain(result.Server))
	switch {
	case result.Revoked:
		fmt.Fprintf(w, " %s has revoked it.", term.Plain(result.Issuer))
	case result.Problem != "":
		fmt.Fprintf(w, " It was not revoked (%s): whoever has the token can use it", term.Plain(result.Problem))
		if result.Until.IsZero() {
			fmt.Fprintf(w, " until %s ends it.", term.Plain(result.Issuer))
		} else {
			fmt.Fprintf(w, " until %s.", result.Until.Local().Format("2006-01-02 15:04"))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// rememberLogin prints that a removed server still has a login.
func rememberLogin(w io.Writer, path, server string) {
	c, err := config.LoadClient(path)
	if err != nil {
		return
	}
	if g, err := daemon.GrantsStore(c).Find(server); err == nil && g != nil {
		fmt.Fprintf(w, "Its login is kept; `mcpproxy upstream logout %s` ends it.\n", trust.Quote(server))
	}
}
