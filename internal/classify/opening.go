package classify

import (
	"path"
	"strings"
)

// openings lists files that other programs run or obey later. Whoever writes such a file can get access. Each entry
// has the words with which a user asks for the file.
var openings = []struct {
	ends []string // the end of the path, or a folder in it
	asks []string
}{
	{
		strings.Fields(".github/workflows/ .github/actions/ .gitlab-ci.yml .circleci/ jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .drone.yml"),
		strings.Fields("ci cd build builds pipeline pipelines workflow workflows action actions release deploy deployment test tests lint job jobs nightly cron automate github gitlab jenkins"),
	},
	{
		strings.Fields(".git/hooks/ .husky/ .pre-commit-config.yaml lefthook.yml"),
		strings.Fields("hook hooks husky commit commits pre-commit lint format"),
	},
	{
		strings.Fields(".bashrc .zshrc .profile .bash_profile .zprofile .zshenv .bash_login .bash_aliases config.fish"),
		strings.Fields("shell bashrc zshrc profile alias aliases path prompt terminal environment variable fish zsh bash dotfiles"),
	},
	{
		strings.Fields("crontab /etc/cron .config/systemd/ /etc/systemd/ launchagents/ launchdaemons/ /etc/rc.local .config/autostart/"),
		strings.Fields("cron crontab schedule timer service daemon unit systemd nightly job backup launchd autostart start reboot boot"),
	},
	{
		strings.Fields("authorized_keys /etc/sudoers .ssh/config .ssh/rc"),
		strings.Fields("ssh key keys sudo access login host"),
	},
	{
		strings.Fields("claude.md agents.md gemini.md .cursorrules .cursor/ .windsurfrules copilot-instructions.md .claude/ .codex/ .gemini/ .mcp.json .vscode/tasks.json .vscode/settings.json"),
		strings.Fields("claude agents agent gemini cursor copilot codex rules instructions mcp vscode memory conventions guidelines skill command commands settings"),
	},
	{
		strings.Fields(".npmrc .pypirc pip.conf .curlrc .wgetrc .netrc .gitconfig .yarnrc.yml"),
		strings.Fields("npmrc registry pip npm yarn curl netrc git config configuration settings token credentials mirror proxy"),
	},
}

// Opens returns the words with which a user asks for file if other programs run or obey it later. It returns nil for
// any other file.
func Opens(file string) []string {
	file = path.Clean("/" + strings.ToLower(strings.ReplaceAll(strings.TrimSpace(file), `\`, "/")))
	for _, o := range openings {
		for _, end := range o.ends {
			switch {
			case strings.HasSuffix(end, "/") || strings.HasPrefix(end, "/"):
				if strings.Contains(file, "/"+strings.TrimPrefix(end, "/")) {
					return o.asks
				}
			case strings.HasSuffix(file, "/"+end):
				return o.asks
			}
		}
	}
	return nil
}

// OpensByPatch is [Opens] for the files that a patch adds or changes.
func OpensByPatch(patch string) []string {
	for line := range strings.Lines(patch) {
		file, ok := strings.CutPrefix(line, "+++ b/")
		if !ok {
			if _, file, ok = strings.Cut(line, " File: "); !ok || !strings.HasPrefix(line, "*** ") {
				continue
			}
		}
		if asks := Opens(file); asks != nil {
			return asks
		}
	}
	return nil
}
