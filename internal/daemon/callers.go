package daemon

import (
	"context"
	"log/slog"
	"path/filepath"
	"reflect"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/token"
)

// agentsFile lists the running agents, in the data folder.
const agentsFile = "agents.json"

// callers decides who may use the daemon, and for what: the owner by the key, others by tokens. It
// also knows which processes are agents or were started by agents.
type callers struct {
	tokens *token.Store
	auth   *auth.Authenticator
	peers  *peer.Registry
	log    *monitor
	expel  func(name string) // ends the MCP sessions of a principal

	federated config.Auth // configuration section in use by the Authenticator
}

// openCallers opens the files of tokens and of running agents. Key returns the owner's key. Expel
// is called with the name of a revoked token.
func openCallers(
	c *config.Config,
	key func() string,
	log *monitor,
	expel func(name string),
) (*callers, error) {
	k := &callers{
		peers: peer.NewRegistry(peer.Self()),
		log:   log,
		expel: expel,
	}
	var err error
	if k.tokens, err = token.Open(TokensPath(c), k.tokenEnded); err != nil {
		return nil, err
	}
	k.auth = auth.New(key, k.tokens)
	k.configure(c)
	k.peers.Refused = k.peerRefused
	if err := k.peers.Keep(filepath.Join(c.DataDir, agentsFile)); err != nil {
		slog.Warn("cannot read which agents were running before this start", "error", err)
	}
	return k, nil
}

// configure applies a changed configuration.
func (k *callers) configure(c *config.Config) {
	if !reflect.DeepEqual(k.federated, c.Auth) {
		k.federated = c.Auth
		k.auth.UseFederation(federationOf(c))
	}
	k.peers.AllowNested(c.Security.Hooks.NestedAgents == mcpproxy.Allow)
}

// watch applies manual edits of the file of tokens, until ctx ends.
func (k *callers) watch(ctx context.Context, c *config.Config) {
	err := config.Watch(ctx, TokensPath(c), func() {
		if err := k.tokens.Reload(); err != nil {
			slog.Error("the tokens were changed and cannot be used; the old ones stay in force", "error", err)
		}
	})
	if err != nil {
		slog.Warn("cannot watch the file of the tokens; changes of it are not noticed", "error", err)
	}
}

// tokenEnded ends the requests and sessions of a revoked token.
func (k *callers) tokenEnded(name string) {
	k.auth.EndRequests(name)
	k.expel(name)
}

// tokenChanged records that a token was created or revoked.
func (k *callers) tokenChanged(what, name, by string) {
	k.log.record(mcpproxy.RecordConfigChange, "", TokenChange(what, name, by))
}

// scope says why a call is outside the scope of its principal's token or grants.
func (k *callers) scope(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if c.Principal == auth.Owner {
		return ""
	}
	if len(c.Grants) > 0 {
		return k.auth.Granted(c.Grants).Refuses(c, op)
	}
	t, ok := k.tokens.Named(c.Principal)
	if !ok {
		return "The agent's token was revoked or has expired."
	}
	return t.Refuses(c, op)
}

// permits reports whether a principal with these grants may make any calls that do op.
func (k *callers) permits(principal string, grants []string, op mcpproxy.Operation) bool {
	if len(grants) > 0 {
		return k.auth.Granted(grants).Permits(op)
	}
	t, ok := k.tokens.Named(principal)
	return principal == auth.Owner || ok && t.Permits(op)
}

// peerRefused records that a process tried something that only the user or an agent itself may do.
// A refused hook event has its own record.
func (k *callers) peerRefused(r *peer.Refusal) {
	slog.Warn("a process was refused", "asked_for", r.What, "process", r.Process.String(), "below", r.Below.String())
	if r.What == peer.HookEvent {
		return
	}
	record := SystemRecord(mcpproxy.RecordPolicyDecision, "", map[string]any{
		"asked_for": r.What,
		"process":   r.Process.String(),
		"below":     r.Below.String(),
		"unsaid":    r.Unsaid, // refusals of this kind since the last record
	})
	record.Status = mcpproxy.StatusBlocked
	record.Decision = mcpproxy.Deny
	record.Rule = policy.RuleSelf
	record.ErrorMessage, record.Metadata.Reason = r.Error(), r.Error()
	k.log.Add(record)
	k.log.publishRecord(intake.EventIntegrity, record)
}

// TokensPath returns the path of the file of tokens.
func TokensPath(c *config.Config) string { return filepath.Join(c.DataDir, "tokens.json") }

// signedIn records that a person has logged in to the page with an account.
func (k *callers) signedIn(person, role string) {
	k.log.record(mcpproxy.RecordConfigChange, "", map[string]any{"page_login": role, "by": person})
}

// TokenChange returns the record of a created or revoked token.
func TokenChange(what, name, by string) map[string]any {
	return map[string]any{"token": name, "change": what, "by": by}
}
