package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/settings"
)

// An agent counts as hooked from the installation of its hook until the hook is removed, in every scope. That a file
// was changed once does not count.
func TestAnAgentIsHookedWhileAHookStandsInItsSettings(t *testing.T) {
	for _, scope := range []install.Scope{install.User, install.Project, install.Local} {
		t.Run(string(scope), func(t *testing.T) {
			env := world(t, t.TempDir())
			p := at(t, env, "claude-code", scope)
			elsewhere := install.Env{Home: env.Home, Getenv: env.Getenv} // the daemon does not know the project
			hooked := func() []string { return install.Hooked(elsewhere, settings.Files(env.Backups)) }
			if got := hooked(); got != nil {
				t.Errorf("before: %v", got)
			}
			plan, err := p.Install(program)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Apply(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"claude-code"}, hooked()); diff != "" {
				t.Error(diff)
			}
			if err := os.WriteFile(filepath.Clean(p.Path), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := hooked(); got != nil {
				t.Errorf("after it was taken out: %v", got)
			}
		})
	}
}
