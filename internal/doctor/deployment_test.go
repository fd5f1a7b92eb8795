package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	hookeval "mcpproxy/internal/hook/evaluate"
)

// gradedFor returns the checklist for a configuration.
func gradedFor(t *testing.T, text string, mode os.FileMode) map[string]Check {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	found := &Checkup{OK: true}
	checkDeployment(context.Background(), Installation{File: path}, c, found)
	out := map[string]Check{}
	for _, c := range found.Checks {
		if (c.Grade == gradeBroken) == c.OK || c.Grade != gradeOK && c.Advice == "" {
			t.Errorf("%s: %+v", c.Name, c)
		}
		out[c.Name] = c
	}
	if len(out) != len(checklist) {
		t.Errorf("%d points of %d", len(out), len(checklist))
	}
	return out
}

// Shows: GW-25.
func TestChecklist(t *testing.T) {
	good := map[string]bool{"file permissions": true} // it has tests of its own
	bad := map[string]bool{"file permissions": true}
	for _, c := range []struct{ name, config, point, grade, says string }{
		{"a key that is too short", `{"api_key": "short"}`, "key", GradeBetter, "5 characters"},
		{"open to programs of this machine", `{"require_mcp_auth": false}`, "key", GradeBetter, "every program of this machine"},
		{"open to all without a key", `{"listen": "0.0.0.0:8080", "require_mcp_auth": false}`, "key", gradeBroken, "0.0.0.0:8080"},
		{"open to all with a key", `{"listen": "0.0.0.0:8080", "require_mcp_auth": true}`, "key", gradeOK, ""},
		{"no time limit to speak of", `{"mcpServers": {"a": {"command": "x", "timeout_secs": 3600}, "b": {"command": "x"}}}`, "timeouts", GradeBetter, "at a"},
		{"defaults for time", `{"mcpServers": {"b": {"command": "x"}}}`, "timeouts", gradeOK, ""},
		{"no breaker", `{"mcpServers": {"a": {"command": "x", "circuit_breaker": false}}}`, "circuit breaker", GradeBetter, "off for a"},
		{"no breaker for a server that is off", `{"mcpServers": {"a": {"command": "x", "circuit_breaker": false, "enabled": false}}}`, "circuit breaker", gradeOK, ""},
		{"no code mode", `{}`, "limits of scripts", gradeOK, "off"},
		{"code mode without a limit of calls", `{"code_execution": {"enabled": true, "max_tool_calls": 100000}}`, "limits of scripts", GradeBetter, "100000"},
		{"code mode with limits", `{"code_execution": {"enabled": true}}`, "limits of scripts", gradeOK, "50 calls"},
		{"a log at home", `{}`, "collection of the log", GradeBetter, "this machine"},
		{"a log elsewhere", `{"telemetry": {"enabled": true, "otlp_endpoint": "http://127.0.0.1:4318"}}`, "collection of the log", gradeOK, ""},
		{"plain HTTP at home", `{"mcpServers": {"a": {"url": "http://127.0.0.1:1/mcp"}}}`, "HTTPS", gradeOK, ""},
		{"plain HTTP elsewhere", `{"mcpServers": {"a": {"url": "http://192.0.2.1/mcp"}}}`, "HTTPS", GradeBetter, "to a"},
		{"private and external without groups", `{"mcpServers": {"vault": {"command": "x"}, "slack": {"command": "x"}}}`, "groups", GradeBetter, "vault are private, data may leave by slack"},
		{"private and those that lead both ways", `{"mcpServers": {"vault": {"command": "x"}, "hub": {"command": "x"}}, "security": {"classification": {"server_overrides": {"hub": "hybrid"}}}}`, "groups", GradeBetter, "data may leave by hub"},
		{"both in one group", `{"mcpServers": {"vault": {"command": "x"}, "slack": {"command": "x"}}, "groups": {"g": {"servers": ["vault", "slack"], "isolation": "strict"}}}`, "groups", GradeBetter, "the group g holds both"},
		{"a breaker that never opens", `{"mcpServers": {"a": {"command": "x", "failure_threshold": 1000000}}}`, "circuit breaker", GradeBetter, "20 faults"},
		{"a log that is to go elsewhere, and does not", `{"telemetry": {"enabled": false, "syslog": {"address": "127.0.0.1:514"}}}`, "collection of the log", GradeBetter, "nothing is sent"},
		{"one side alone", `{"mcpServers": {"vault": {"command": "x"}}}`, "groups", gradeOK, ""},
		{"one of them in a group", `{"mcpServers": {"vault": {"command": "x"}, "slack": {"command": "x"}}, "groups": {"g": {"servers": ["vault"], "isolation": "strict"}}}`, "groups", GradeBetter, "slack are in no strict group"},
		{"both in groups", `{"mcpServers": {"vault": {"command": "x"}, "slack": {"command": "x"}}, "groups": {"g": {"servers": ["vault"], "isolation": "strict"}, "h": {"servers": ["slack"], "isolation": "strict"}}}`, "groups", gradeOK, ""},
		{"no quarantine", `{"security": {"tool_quarantine": {"enabled": false}}}`, "quarantine", GradeBetter, "off"},
		{"no quarantine of what is new", `{"security": {"tool_quarantine": {"auto_quarantine_new_tools": false}}}`, "quarantine", GradeBetter, "new tools"},
		{"changes pass", `{"security": {"tool_quarantine": {"rug_pull_detection": false}}}`, "changed tools", GradeBetter, "changes"},
		{"raw errors", `{"security": {"error_redaction": "off"}}`, "errors", GradeBetter, "traces"},
		{"hooks off", `{"security": {"hooks": {"enabled": false}}}`, "hooks", GradeBetter, "off"},
		{"hooks silent", `{}`, "hooks", GradeBetter, "none are active"},
		{"quarantine of all that is new", `{"security": {"tool_quarantine": {"auto_quarantine_new_tools": true}}}`, "quarantine", gradeOK, "wait"},
		{"changes wait", `{}`, "changed tools", gradeOK, "wait"},
		{"redacted errors", `{}`, "errors", gradeOK, "without"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := gradedFor(t, c.config, 0o600)[c.point]
			if got.Grade != c.grade || !strings.Contains(got.Detail, c.says) {
				t.Errorf("%+v", got)
			}
		})
		good[c.point] = good[c.point] || c.grade == gradeOK
		bad[c.point] = bad[c.point] || c.grade != gradeOK
	}
	if got := hooksPoint(Installation{}, config.Default(), &Checkup{Coverage: hookeval.Coverage{Active: true}}); got.Grade != gradeOK {
		t.Errorf("active hooks are graded %+v", got)
	}
	good["hooks"] = true
	for name := range gradedFor(t, `{}`, 0o600) {
		if !good[name] || !bad[name] {
			t.Errorf("%s: a case that holds: %t, one that does not: %t", name, good[name], bad[name])
		}
	}
}

// Shows: GW-26.
func TestChecklistNamesAConfigurationThatOthersCanChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there are no such modes
	}
	for mode, grade := range map[os.FileMode]string{
		0o600: gradeOK,
		0o644: GradeBetter,
		0o604: GradeBetter,
		0o666: gradeBroken,
		0o602: gradeBroken,
	} {
		if got := gradedFor(t, "{}", mode)["file permissions"]; got.Grade != grade {
			t.Errorf("%04o: %+v", mode, got)
		}
	}
}

func TestChecklistNamesAConfigurationThatOthersCanReplace(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there are no such modes
	}
	for name, open := range map[string]func(t *testing.T, dir string) (path string){
		"its folder": func(t *testing.T, dir string) string {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "c.json")
		},
		"the folder that a link leads to": func(t *testing.T, dir string) string {
			err := errors.Join(os.Mkdir(filepath.Join(dir, "open"), 0o700), os.Chmod(filepath.Join(dir, "open"), 0o777),
				os.Symlink(filepath.Join(dir, "open", "c.json"), filepath.Join(dir, "c.json")))
			if err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "c.json")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := open(t, t.TempDir())
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			got := filePoint(Installation{File: path}, nil, nil)
			if got.Grade != gradeBroken || !strings.Contains(got.Detail, "can be changed by other users") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestChecklistUsesTheSettingsOfTheRunningDaemon(t *testing.T) {
	c := &config.Config{Listen: "127.0.0.1:8080"}
	found := &Checkup{running: &api.Overview{Listen: "[::]:8080"}}
	if got := keyPoint(Installation{}, c, found); got.Grade != gradeBroken || !strings.Contains(got.Detail, "[::]:8080") {
		t.Errorf("%+v", got)
	}
}
