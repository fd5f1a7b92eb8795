package daemon

import (
	"slices"
	"testing"

	"mcpproxy/internal/config"
)

func TestHooksKnowAllServersAndScriptsOnlyTheEnabledOnes(t *testing.T) {
	off := false
	c := &config.Config{
		DataDir: "data",
		Servers: config.Servers{{Name: "chat"}, {Name: "vault", Enabled: &off}},
	}
	ch := &channels{parts: channelParts{config: func() *config.Config { return c }}}
	if got, want := ch.serverNames(), []string{"mcpproxy", "chat", "vault"}; !slices.Equal(got, want) {
		t.Errorf("hooks know %q, not %q", got, want)
	}
	if got, want := ch.configured(), []string{"chat"}; !slices.Equal(got, want) {
		t.Errorf("scripts know %q, not %q", got, want)
	}
}
