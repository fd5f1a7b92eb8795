package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/version"
	"mcpproxy/internal/wire"
)

// Greeting is the information about its client that a link sends to the server.
type Greeting struct {
	Params []byte   // raw params of initialize
	Prefer wire.Era // era to try first if the server may support both
	Common bool     // this program is the client and does not answer the server's questions

	unowned bool // for the link without an owner, which reads definitions
}

// Hello returns the greeting for this program as the client, with the given capabilities.
func Hello(capabilities []byte, prefer wire.Era) Greeting {
	if len(capabilities) == 0 {
		capabilities = []byte("{}")
	}
	params := wire.MustJSON(map[string]any{"protocolVersion": wire.LatestStateful,
		"capabilities": json.RawMessage(capabilities),
		"clientInfo":   map[string]string{"name": "mcpproxy", "version": version.String()}})
	return Greeting{Params: params, Prefer: prefer}
}

// terms are the results of a handshake.
type terms struct {
	era     wire.Era
	version string // protocol revision
	hello   []byte // the server's initialize or discover result, raw
}

// greet detects the server's era and makes the handshake.
func (l *Link) greet(ctx context.Context, g Greeting) (terms, error) {
	// A stdio server of the older era may hang on a request before initialize.
	if g.Prefer == wire.Stateless && l.transport.associates() {
		if t, err := l.discover(ctx, g); err == nil {
			return t, nil
		}
	}
	t, err := l.initialize(ctx, g)
	if err == nil {
		return t, nil
	}
	if t, discoverErr := l.discover(ctx, g); discoverErr == nil {
		return t, nil
	}
	return terms{}, err
}

// initialize makes the handshake of the stateful era.
func (l *Link) initialize(ctx context.Context, g Greeting) (terms, error) {
	l.transport.speak(wire.Stateful, "")
	resp, err := l.exchange(ctx, wire.NewRequest([]byte("0"), "initialize", g.Params), CallOptions{}, l.server.timeout())
	if err != nil {
		return terms{}, err
	}
	if resp.Result == nil {
		return terms{}, refused(resp)
	}
	version := wire.String(resp.Result, "protocolVersion")
	if !slices.Contains(wire.StatefulVersions, version) {
		return terms{}, mcpproxy.Errorf(
			mcpproxy.CodeUpstream,
			nil,
			"server %q speaks protocol version %q, which is not supported",
			l.server.Name(),
			version,
		)
	}
	l.transport.speak(wire.Stateful, version)
	return terms{wire.Stateful, version, resp.Result}, nil
}

// discover makes the handshake of the stateless era.
func (l *Link) discover(ctx context.Context, g Greeting) (terms, error) {
	l.transport.speak(wire.Stateless, "")
	req := wire.NewRequest([]byte("0"), "server/discover", WithClientMeta(nil, g.Params))
	resp, err := l.exchange(ctx, req, CallOptions{}, l.server.timeout())
	if err == nil && resp.Result == nil {
		err = refused(resp)
	}
	if err == nil {
		var versions []string
		if json.Unmarshal(wire.Member(resp.Result, "supportedVersions"), &versions) != nil ||
			!slices.Contains(versions, wire.Latest) {
			err = fmt.Errorf("the server does not support %s", wire.Latest)
		}
	}
	if err != nil {
		return terms{}, err
	}
	l.transport.speak(wire.Stateless, wire.Latest)
	return terms{wire.Stateless, wire.Latest, resp.Result}, nil
}

func refused(resp *wire.Message) error {
	return fmt.Errorf("refused by the server: %s", wire.String(resp.Error, "message"))
}

// Initialized completes the stateful handshake. Only the first call has an effect.
func (l *Link) Initialized(ctx context.Context) (err error) {
	if l.Era == wire.Stateful {
		l.greeted.Do(func() { err = l.Notify(ctx, wire.NewNotification("notifications/initialized", nil)) })
	}
	return err
}

// WithClientMeta adds to params the _meta members that revision 2026-07-28 requires. It takes the
// client's name and capabilities from initialize, the params of an initialize request.
func WithClientMeta(params, initialize []byte) []byte {
	params = wire.Set(params, wire.Quote(wire.Latest), "_meta", wire.MetaVersion)
	if info := wire.Member(initialize, "clientInfo"); info != nil {
		params = wire.Set(params, info, "_meta", wire.MetaClientInfo)
	}
	capabilities := wire.Member(initialize, "capabilities")
	if capabilities == nil {
		capabilities = []byte("{}")
	}
	return wire.Set(params, capabilities, "_meta", wire.MetaCapabilities)
}
