package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/token"
)

func tokenCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Give agents and auditors keys of their own",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `A token lets an agent in under a name of its own and for what it is made for: some
servers, some tools, some kinds of calls, until some day. An auditor's token reads the
activity log without bodies. Tokens are kept as hashes; their plain form is shown only once.`,
		Example: `  mcpproxy token create ci --server github --operation read --expires 30d
  mcpproxy token create watcher --role auditor
  mcpproxy token list
  mcpproxy token revoke ci`,
	}
	cmd.AddCommand(tokenCreateCommand(g), tokenListCommand(g), tokenRevokeCommand(g))
	return cmd
}

func tokenCreateCommand(g *globals) *cobra.Command {
	var want api.NewToken
	var role string
	var operations []string
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token; its plain form is shown this once",
		Args:  cobra.ExactArgs(1),
		Long: `Makes a token and writes its plain form to standard output, this once. The agent sends
it as a bearer token or as X-API-Key. Without --server and --tool it is for all servers,
without --operation for all kinds of calls.`,
		Example: `  mcpproxy token create ci --server github --tool slack:post_message --expires 30d
  mcpproxy token create reader --operation read
  mcpproxy token create watcher --role auditor --expires never`,
		RunE: func(cmd *cobra.Command, args []string) error {
			want.Name, want.Role = args[0], token.Role(role)
			for _, op := range operations {
				want.Operations = append(want.Operations, mcpproxy.Operation(op))
			}
			tokenManager, err := newTokenManager(cmd.Context(), g)
			if err != nil {
				return err
			}
			defer tokenManager.close()
			made, err := tokenManager.create(cmd.Context(), want)
			if err != nil {
				return err
			}
			if err := showToken(cmd.OutOrStdout(), g, made); err != nil {
				return errors.Join(err, tokenManager.takeBack(cmd.Context(), made.Name))
			}
			if g.output != "table" {
				return nil
			}
			fmt.Fprintf(
				cmd.ErrOrStderr(),
				"This is the token %q, for %s. It is shown this once; %s.\n",
				made.Name,
				scopeOf(made.Token),
				lifeOf(made.Token),
			)
			if made.Role == token.Agent && !tokenManager.config.RequireMCPAuth {
				fmt.Fprintln(
					cmd.ErrOrStderr(),
					"Agents need no key at present: an agent that sends no token may call all tools. Set require_mcp_auth to true in the configuration to change that.",
				)
			}
			return nil
		},
	}
	cmd.Flags().
		StringVar(&role, "role", "agent", "agent, or auditor: reads the activity log without bodies, and calls no tools")
	cmd.Flags().
		StringArrayVar(&want.Servers, "server", nil, "a server that the token is for, as a whole; may be repeated")
	cmd.Flags().
		StringArrayVar(&want.Tools, "tool", nil, "a tool that the token is for, as SERVER:TOOL; may be repeated")
	cmd.Flags().
		StringSliceVar(&operations, "operation", nil, "what calls may do: read, write, destructive; may be repeated")
	cmd.Flags().StringVar(&want.Expires, "expires", "90d", "when the token expires: 30d, 12h, 2027-01-31 or never")
	return cmd
}

// showToken prints the only copy of a token.
func showToken(w io.Writer, g *globals, made api.MadeToken) error {
	if g.output != "table" {
		return g.print(w, made, nil)
	}
	_, err := fmt.Fprintln(w, made.Plain)
	return err
}

func tokenListCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tokens",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tokenManager, err := newTokenManager(cmd.Context(), g)
			if err != nil {
				return err
			}
			defer tokenManager.close()
			all, err := tokenManager.list(cmd.Context())
			if err != nil {
				return err
			}
			t := &term.Table{Header: []string{"NAME", "ROLE", "FOR", "EXPIRES", "LAST USED"}}
			for _, one := range all {
				used := "never"
				if one.Used != nil {
					used = term.When(cmd.OutOrStdout(), *one.Used, "2006-01-02 15:00")
				}
				t.Add(one.Name, string(one.Role), term.Cut(scopeOf(one), 60), expiryOf(cmd.OutOrStdout(), one), used)
			}
			return g.print(cmd.OutOrStdout(), all, t)
		},
	}
}

func tokenRevokeCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a token at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			tokenManager, err := newTokenManager(cmd.Context(), g)
			if err != nil {
				return err
			}
			defer tokenManager.close()
			if err := tokenManager.revoke(cmd.Context(), args[0]); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), map[string]any{"name": args[0], "revoked": true}, nil)
			}
			fmt.Fprintf(
				cmd.ErrOrStderr(),
				"The token %q is revoked, and the connections of its bearer are closed.\n",
				args[0],
			)
			return nil
		},
	}
}

// scopeOf describes what a token allows.
func scopeOf(t api.Token) string {
	if t.Role == token.Auditor {
		return "reading the log"
	}
	return token.Scope{Servers: t.Servers, Tools: t.Tools, Operations: t.Operations}.String()
}

func lifeOf(t api.Token) string {
	switch {
	case t.Expires == nil:
		return "never expires"
	case t.Expired:
		return "expired " + t.Expires.Format(time.DateOnly)
	}
	return "expires " + t.Expires.UTC().Format("2006-01-02 15:04Z")
}

// expiryOf returns when a token expires, for a table.
func expiryOf(w io.Writer, t api.Token) string {
	switch {
	case t.Expires == nil:
		return "never"
	case t.Expired:
		return "expired " + term.When(w, *t.Expires, time.DateOnly)
	}
	return term.When(w, *t.Expires, "2006-01-02 15:04")
}

// tokenManager manages the tokens: through the daemon, or in the file while no daemon runs.
type tokenManager struct {
	config *config.Config
	daemon *remote.Client
	file   *token.Store
	unlock func()
}

func newTokenManager(ctx context.Context, g *globals) (*tokenManager, error) {
	c, err := remote.Config(g.config)
	if err != nil {
		return nil, err
	}
	running, err := remote.New(c)
	if err != nil {
		return nil, err
	}
	k := &tokenManager{config: c, daemon: running, unlock: func() {}}
	var all []api.Token
	if err := k.daemon.Get(ctx, "/api/v1/tokens", nil, &all); !errors.Is(err, remote.ErrNotRunning) {
		return k, err
	}
	k.daemon = nil
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	if k.unlock, err = daemon.Lock(filepath.Join(c.DataDir, "mcpproxy.lock")); err != nil {
		return nil, err
	}
	if k.file, err = token.Open(daemon.TokensPath(c), nil); err != nil {
		k.unlock()
		return nil, err
	}
	return k, nil
}

func (k *tokenManager) close() { k.unlock() }

func (k *tokenManager) create(ctx context.Context, want api.NewToken) (made api.MadeToken, err error) {
	if k.daemon != nil {
		err = k.daemon.Post(ctx, "/api/v1/tokens", want, &made)
		return made, err
	}
	spec, err := want.Spec(time.Now())
	if err != nil {
		return made, err
	}
	var servers []string
	for _, s := range k.config.Servers {
		servers = append(servers, s.Name)
	}
	if err := api.CheckReach(spec.Scope, servers); err != nil {
		return made, err
	}
	log, err := k.openLog(ctx)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	plain, t, err := k.file.Create(spec)
	if err != nil {
		return made, err
	}
	if err := recordToken(ctx, log, "created", t.Name); err != nil {
		return made, errors.Join(err, k.file.Revoke(t.Name)) // no key may exist that the log does not know
	}
	return api.MadeToken{Plain: plain, Token: api.TokenOf(t)}, nil
}

// openLog opens the activity log while no daemon runs.
func (k *tokenManager) openLog(ctx context.Context) (ledger.Guarded, error) {
	err := k.config.ResolveLog(ctx)
	var log ledger.Guarded
	if err == nil {
		log, err = daemon.LogPlace(k.config).Open(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the activity log cannot record this: %w", err)
	}
	return log, nil
}

// recordToken records a change of a token while no daemon runs.
func recordToken(ctx context.Context, log ledger.Store, change, name string) error {
	r := daemon.SystemRecord(mcpproxy.RecordConfigChange, "", daemon.TokenChange(change, name, api.LocalUser))
	r.Source = "cli"
	if err := log.Append(ctx, []*mcpproxy.Record{r}); err != nil {
		return fmt.Errorf("the activity log cannot record this: %w", err)
	}
	return nil
}

func (k *tokenManager) list(ctx context.Context) (all []api.Token, err error) {
	if k.daemon != nil {
		err = k.daemon.Get(ctx, "/api/v1/tokens", nil, &all)
		return all, err
	}
	all = []api.Token{}
	for _, t := range k.file.List() {
		all = append(all, api.TokenOf(t))
	}
	return all, nil
}

func (k *tokenManager) revoke(ctx context.Context, name string) error {
	if k.daemon == nil {
		return k.revokeInFile(ctx, name)
	}
	resp, err := k.daemon.Do(ctx, http.MethodDelete, "/api/v1/tokens/"+url.PathEscape(name), nil, nil)
	if err != nil {
		return err
	}
	return remote.Decode(resp, new(api.Revoked))
}

// takeBack revokes a token that could not be printed.
func (k *tokenManager) takeBack(ctx context.Context, name string) error {
	if err := k.revoke(ctx, name); err != nil {
		return fmt.Errorf("the token %q could not be revoked: %w", name, err)
	}
	return fmt.Errorf("the token %q could not be shown, so it was revoked", name)
}

// revokeInFile revokes a token even if that cannot be recorded.
func (k *tokenManager) revokeInFile(ctx context.Context, name string) error {
	if err := k.file.Revoke(name); err != nil {
		return err
	}
	log, err := k.openLog(ctx)
	if err == nil {
		err = errors.Join(recordToken(ctx, log, "revoked", name), log.Close())
	}
	if err != nil {
		return fmt.Errorf("the token %q is revoked, but %w", name, err)
	}
	return nil
}
