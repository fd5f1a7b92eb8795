package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/hook/install"
)

// TestAProjectsHooksRunInTrustedFolders reads the files in which agents record trusted folders, in the form that real
// agents wrote.
func TestAProjectsHooksRunInTrustedFolders(t *testing.T) {
	for name, c := range map[string]struct{ agent, file, content, want string }{
		"Gemini CLI, nothing is known":            {"gemini-cli", "", "", "no"},
		"Gemini CLI, the folder":                  {"gemini-cli", ".gemini/trustedFolders.json", `{"PROJECT": "TRUST_FOLDER"}`, "yes"},
		"Gemini CLI, the folder above":            {"gemini-cli", ".gemini/trustedFolders.json", `{"ABOVE": "TRUST_FOLDER"}`, "yes"},
		"Gemini CLI, the parent of a sibling":     {"gemini-cli", ".gemini/trustedFolders.json", `{"ABOVE/other": "TRUST_PARENT"}`, "yes"},
		"Gemini CLI, another folder":              {"gemini-cli", ".gemini/trustedFolders.json", `{"PROJECTs": "TRUST_FOLDER"}`, "no"},
		"Gemini CLI, the nearest decides":         {"gemini-cli", ".gemini/trustedFolders.json", `{"ABOVE": "TRUST_FOLDER", "PROJECT": "DO_NOT_TRUST"}`, "no"},
		"Gemini CLI, trust is not asked for":      {"gemini-cli", ".gemini/settings.json", "{\n// mine\n\"security\": {\"folderTrust\": {\"enabled\": false}}}", "yes"},
		"Gemini CLI, what cannot be read":         {"gemini-cli", ".gemini/trustedFolders.json", `{"PROJECT": `, "no"},
		"Copilot CLI, nothing is known":           {"copilot", "", "", "no"},
		"Copilot CLI, the folder":                 {"copilot", ".copilot/config.json", "// This file is managed automatically.\n{\"trustedFolders\": [\"PROJECT\"]}", "yes"},
		"Copilot CLI, the older name, above":      {"copilot", ".copilot/config.json", `{"trusted_folders": ["ABOVE"]}`, "yes"},
		"Copilot CLI, a folder of a similar name": {"copilot", ".copilot/config.json", `{"trustedFolders": ["PROJECTs"]}`, "no"},
		"Codex, nothing is known":                 {"codex", "", "", "no"},
		"Codex, the folder":                       {"codex", ".codex/config.toml", "HOOKS\n[projects.\"PROJECT\"]\ntrust_level = \"trusted\"\n", "yes"},
		"Codex, the folder, quoted otherwise":     {"codex", ".codex/config.toml", "[projects.'PROJECT'] # mine\ntrust_level = 'trusted'\n\nHOOKS", "yes"},
		"Codex, the hooks alone":                  {"codex", ".codex/config.toml", "HOOKS", "no"},
		"Codex, the folder alone":                 {"codex", ".codex/config.toml", "[projects.\"PROJECT\"]\ntrust_level = \"trusted\"\n", "no"},
		"Codex, a folder that is not trusted":     {"codex", ".codex/config.toml", "HOOKS\n[projects.\"PROJECT\"]\ntrust_level = \"untrusted\"\n[other]\ntrust_level = \"trusted\"\n", "no"},
		"Codex, the folder above":                 {"codex", ".codex/config.toml", "HOOKS\n[projects.\"ABOVE\"]\ntrust_level = \"trusted\"\n", "no"},
		"Codex, the repository":                   {"codex", ".codex/config.toml", "HOOKS\n[projects.\"REPOSITORY\"]\ntrust_level = \"trusted\"\n", "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			env := world(t, t.TempDir())
			above := filepath.Dir(env.Project)
			if strings.Contains(c.content, "REPOSITORY") {
				put(t, filepath.Join(above, ".git", "HEAD"), "")
			}
			p := at(t, env, c.agent, install.Project)
			plan, err := p.Install(install.Command{Path: script(t, env.Home, "mcpproxy-hook", "exit 0")})
			apply(t, plan, err)
			if !strings.Contains(plan.Hint, "only in folders that you trust") {
				t.Errorf("the hint is %q", plan.Hint)
			}
			if c.file != "" {
				put(
					t,
					filepath.Join(env.Home, c.file),
					strings.NewReplacer("PROJECT", env.Project, "ABOVE", above, "REPOSITORY", above, "HOOKS", noted(p.Path)).
						Replace(c.content),
				)
			}
			s := p.Status()
			if s.Trusted != c.want || (s.Problem == "") != (c.want == "yes") {
				t.Errorf("trusted: %s (%q), want %s", s.Trusted, s.Problem, c.want)
			}
		})
	}
}

// noted returns what Codex records when the user trusts the hooks of a file.
func noted(file string) string {
	var b strings.Builder
	for _, event := range []string{"pre_tool_use", "post_tool_use", "user_prompt_submit", "session_start", "session_end"} {
		b.WriteString("[hooks.state.\"" + file + ":" + event + ":0:0\"]\ntrusted_hash = \"sha256:00\"\n\n")
	}
	return b.String()
}

func TestAUsersHooksNeedNoTrustedFolder(t *testing.T) {
	env := world(t, t.TempDir())
	for _, agent := range []string{"gemini-cli", "copilot", "claude-code", "vscode"} {
		p := at(t, env, agent, install.User)
		plan, err := p.Install(install.Command{Path: script(t, env.Home, "mcpproxy-hook", "exit 0")})
		apply(t, plan, err)
		if s := p.Status(); s.Trusted != "" || s.Problem != "" || plan.Hint != "" {
			t.Errorf("%s: trusted %q, %q, %q", agent, s.Trusted, s.Problem, plan.Hint)
		}
	}
}
