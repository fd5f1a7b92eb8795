package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mcpproxy/internal/api"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/connect"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/token"
)

// connectByToken creates a token for the agent of a place and writes it with the address of way. It
// first revokes a token that connect created there before, because an agent has only one.
func connectByToken(ctx context.Context, g *globals, place connect.Place, way connect.Way) error {
	held, err := place.Token()
	if err != nil {
		return err
	}
	k, err := newTokenManager(ctx, g)
	if err != nil {
		return err
	}
	defer k.close()
	have, ours, err := k.connected(ctx, place.Agent, held)
	switch {
	case err != nil:
		return err
	case have && !ours:
		return fmt.Errorf(
			"there is a token %q already, and it is not the one in %s: take it back with `mcpproxy token revoke %[1]s`, then connect again",
			place.Agent,
			place.Path,
		)
	case ours:
		if err := k.revoke(ctx, place.Agent); err != nil {
			return err
		}
	}
	made, err := k.create(ctx, api.NewToken{Name: place.Agent, Role: token.Agent, Expires: "never"})
	if err != nil {
		return err
	}
	way.Token = made.Plain
	plan, err := place.Connect(way)
	if err == nil {
		err = plan.Apply()
	}
	if err != nil {
		return errors.Join(err, k.revoke(ctx, made.Name))
	}
	return nil
}

// connectWithout applies a change without a token and revokes the token that the entry had before.
func connectWithout(ctx context.Context, g *globals, place connect.Place, plan connect.Plan) error {
	held, err := place.Token()
	if err != nil {
		return err
	}
	if err := plan.Apply(); err != nil || held == "" {
		return err
	}
	_, err = revokeConnected(ctx, g, place.Agent, held)
	return err
}

// revokeConnected revokes the token with which an agent was connected, and returns its name. It
// returns "" if connect did not create the token for the agent.
func revokeConnected(ctx context.Context, g *globals, agent, held string) (string, error) {
	k, err := newTokenManager(ctx, g)
	if err != nil {
		return "", fmt.Errorf("the agent's token %q is not revoked: %w; run `mcpproxy token revoke %[1]s`", agent, err)
	}
	defer k.close()
	if _, ours, err := k.connected(ctx, agent, held); err != nil || !ours {
		return "", err
	}
	return agent, k.revoke(ctx, agent)
}

// connected reports whether a token with an agent's name exists, and whether the agent holds it.
// Connect may replace or revoke only such a token.
func (k *tokenManager) connected(ctx context.Context, agent, held string) (have, ours bool, err error) {
	all, err := k.list(ctx)
	if err != nil {
		return false, false, err
	}
	for _, t := range all {
		have = have || t.Name == agent
	}
	file := k.file
	if file == nil { // the daemon's store; it is only read here
		if file, err = token.Open(daemon.TokensPath(k.config), nil); err != nil {
			return false, false, err
		}
	}
	for _, t := range file.List() {
		ours = ours || t.Name == agent && t.Is(held)
	}
	return have, have && ours, nil
}

// readByOthers reports whether users other than its owner can read a file.
func readByOthers(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	_, _, known := atomicfile.Owner(info) // otherwise the mode is meaningless
	return known && info.Mode().Perm()&0o077 != 0
}
