package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/settings"
)

// Several agents run a project's hooks only in folders that their user trusts, and Codex runs a
// hook only after the user has reviewed it. Until then they skip hooks, mostly without a message.
// Each agent stores the user's decisions in its own file. This package reads those files and never
// writes them, because only the user may grant trust.

// trusts holds functions that report whether an agent trusts our hooks in the file, and whether the
// agent requires trust at all. An agent that is not listed requires none.
var trusts = map[string]func(p Place, hooks []byte) (trusted, asked bool){
	agent.Codex:     codexTrust,
	agent.Copilot:   copilotTrust,
	agent.GeminiCLI: geminiTrust,
}

// hint returns what the user has to do after installing, or "".
func (p Place) hint() string {
	hints := []string{p.agent.Hooks.Hint}
	if p.Scope != User {
		hints = append(hints, p.agent.Hooks.FolderHint)
	}
	return strings.Join(slices.DeleteFunc(hints, func(h string) bool { return h == "" }), " ")
}

// codexTrust reports whether Codex has recorded trust in every hook of ours and in the project's
// folder. Only Codex can compute its hash of a hook. A hook that has changed since is therefore
// reported as trusted until Codex asks again.
//
// Source: observed files of Codex CLI 0.169.
func codexTrust(p Place, hooks []byte) (trusted, asked bool) {
	raw, err := settings.Read(filepath.Join(p.folder(), "config.toml"))
	if err != nil || raw == nil {
		return false, true
	}
	noted := map[string]bool{}
	off := map[string]bool{}
	entries(string(raw), hookTables(), func(key, name, value string) {
		switch {
		case name == "trusted_hash":
			noted[key] = true
		case name == "enabled" && value == "false":
			off[key] = true
		}
	})
	for _, want := range p.trustKeys(hooks) {
		if !noted[want] || off[want] {
			return false, true
		}
	}
	if p.Scope == User {
		return true, true
	}
	entries(string(raw), projectTables(), func(key, name, value string) {
		if name == "trust_level" && strings.Trim(value, `"'`) == "trusted" {
			trusted = trusted || slices.Contains([]string{p.env.Project, repository(p.env.Project)}, key)
		}
	})
	return trusted, true
}

// The headers of Codex's tables: by hook (file, event, group and position in the group) and by
// project.
var (
	hookTables    = lazyregexp.New(`^\s*\[hooks\.state\.("(?:[^"\\]|\\.)*"|'[^']*')\]`)
	projectTables = lazyregexp.New(`^\s*\[projects\.("(?:[^"\\]|\\.)*"|'[^']*')\]`)
)

// entries calls each with every name and value in the tables whose header matches, together with
// the key in the header.
func entries(toml string, header *regexp.Regexp, each func(key, name, value string)) {
	key, in := "", false
	for line := range strings.Lines(toml) {
		if m := header.FindStringSubmatch(line); m != nil {
			key, in = strings.Trim(m[1], "'"), true
			if unquoted, err := strconv.Unquote(m[1]); err == nil {
				key = unquoted
			}
			continue
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.HasPrefix(name, "[") {
			in = false
		}
		if in {
			each(key, strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
}

// repository returns the root of the git repository that contains a folder, or the folder.
func repository(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return folder
		}
	}
}

// copilotTrust reports whether Copilot CLI trusts the project's folder or a folder above it.
// Without trust it runs only the user's hooks.
//
// Source: observed files of Copilot CLI 1.0.
func copilotTrust(p Place, _ []byte) (trusted, asked bool) {
	if p.Scope == User {
		return false, false
	}
	var config struct {
		Now    []string `json:"trustedFolders"`
		Before []string `json:"trusted_folders"`
	}
	decode(filepath.Join(p.folder(), "config.json"), &config)
	return slices.ContainsFunc(
		append(config.Now, config.Before...),
		func(f string) bool { return within(p.env.Project, f) },
	), true
}

// geminiTrust reports whether Gemini CLI trusts the project's folder. The entry for the nearest
// folder decides. Without trust it ignores the project's settings.
//
// Source: the trusted folders page of Gemini CLI, and observed files of version 0.61.
func geminiTrust(p Place, _ []byte) (trusted, asked bool) {
	if p.Scope == User || p.env.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return p.Scope != User, p.Scope != User
	}
	var settings struct {
		Security struct {
			FolderTrust struct{ Enabled *bool }
		}
	}
	decode(filepath.Join(p.folder(), "settings.json"), &settings)
	if on := settings.Security.FolderTrust.Enabled; on != nil && !*on {
		return true, true
	}
	rules := map[string]string{}
	decode(filepath.Join(p.folder(), "trustedFolders.json"), &rules)
	nearest := 0
	for folder, rule := range rules {
		if rule == "TRUST_PARENT" {
			folder = filepath.Dir(folder)
		}
		if len(folder) > nearest && within(p.env.Project, folder) {
			nearest, trusted = len(folder), rule != "DO_NOT_TRUST"
		}
	}
	return trusted, true
}

// within reports whether a path is a folder or inside it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// decode reads a file of JSON with comments. An unreadable file counts as empty.
func decode(path string, into any) {
	raw, err := settings.Read(path)
	if err != nil || raw == nil {
		return
	}
	if raw, err = hujson.Standardize(raw); err == nil {
		_ = json.Unmarshal(raw, into)
	}
}

var wordStart = lazyregexp.New(`([a-z])([A-Z])`)

// trustKeys returns the keys under which Codex records trust in our hooks.
func (p Place) trustKeys(raw []byte) []string {
	f, err := settings.Parse(p.Path, raw)
	if err != nil {
		return nil
	}
	hooks, _ := f.Child(f.Object, "hooks", '{')
	object, ok := hooks.(*hujson.Object)
	if !ok {
		return nil
	}
	var keys []string
	for _, m := range object.Members {
		groups, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		event := strings.ToLower(wordStart().ReplaceAllString(m.Name.Value.(hujson.Literal).String(), "${1}_$2"))
		for g, group := range groups.Elements {
			inner, ok := settings.Member(group, "hooks").(*hujson.Array)
			if !ok {
				continue
			}
			for h, hook := range inner.Elements {
				if line(hook) != "" {
					keys = append(keys, fmt.Sprintf("%s:%s:%d:%d", p.Path, event, g, h))
				}
			}
		}
	}
	return keys
}
