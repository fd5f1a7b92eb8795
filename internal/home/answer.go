package home

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"mcpproxy/internal/locate"
)

// ownTools are the names of tools that return the user's own account, without the prefixes that servers add.
var ownTools = []string{
	"account_info",
	"auth_info",
	"auth_test",
	"auth_whoami",
	"current_user",
	"fetch_me",
	"get_account_info",
	"get_authenticated_user",
	"get_current_account",
	"get_current_user",
	"get_current_user_info",
	"get_me",
	"get_my_account",
	"get_my_profile",
	"get_my_user",
	"get_own_profile",
	"get_profile",
	"get_self",
	"get_user_profile",
	"get_viewer",
	"get_whoami",
	"me",
	"my_account",
	"my_profile",
	"retrieve_me",
	"self",
	"user_me",
	"users_me",
	"viewer",
	"who_am_i",
	"whoami",
}

// SaysWho reports whether a call asks who the user is: the name of its tool says so, and no argument could name
// another person.
func SaysWho(tool string, arguments json.RawMessage) bool {
	name := snake(tool)
	if !slices.ContainsFunc(ownTools, func(own string) bool {
		prefix, ok := strings.CutSuffix(name, own)
		// The server's own name may precede it, as in github_get_me. A short name must match completely, because
		// about_me and read_self mean something else.
		return ok && (prefix == "" || strings.HasSuffix(prefix, "_") && strings.Count(prefix, "_") <= 2 &&
			strings.Contains(own, "_"))
	}) {
		return false
	}
	if len(bytes.TrimSpace(arguments)) == 0 || string(bytes.TrimSpace(arguments)) == "null" {
		return true
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil {
		return false
	}
	for name, value := range given {
		if !harmless(name, value) {
			return false
		}
	}
	return true
}

// harmless reports whether an argument cannot name a person.
func harmless(name string, value json.RawMessage) bool {
	switch string(value) {
	case "null", "true", "false", `""`, "{}", "[]":
		return true
	}
	switch snake(name) {
	case "fields", "format", "include", "reason", "response_format", "verbose":
		return true
	}
	return false
}

// snake returns a name as words in lower case with underscores between them.
func snake(name string) string {
	var out strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '-' || r == '.' || r == '/' || r == ' ' || r == ':':
			r = '_'
		case r >= 'A' && r <= 'Z':
			if lower {
				out.WriteByte('_')
			}
			r += 'a' - 'A'
			lower = false
			out.WriteRune(r)
			continue
		}
		lower = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		out.WriteRune(r)
	}
	return out.String()
}

// The members of an answer that describe the user's account, in snake case.
var (
	accountMembers = []string{
		"account_id",
		"handle",
		"login",
		"screen_name",
		"user",
		"user_id",
		"user_name",
		"user_principal_name",
		"username",
	}
	emailMembers     = []string{"email", "email_address", "mail", "primary_email", "user_principal_name"}
	workspaceMembers = []string{"team_id", "tenant_id", "workspace", "workspace_id", "workspace_name"}
	// nestedMembers are members that contain further members about the same account.
	nestedMembers = []string{
		"account",
		"bot",
		"data",
		"details",
		"me",
		"owner",
		"person",
		"profile",
		"result",
		"self",
		"user",
		"viewer",
	}
	// workspaceHosts are suffixes of sites on which each workspace has a host of its own.
	workspaceHosts = []string{".slack.com", ".atlassian.net", ".sharepoint.com", ".zendesk.com", ".notion.site"}
)

// The limits of an answer.
const (
	maxAnswer = 64 << 10 // bytes
	maxNested = 4        // nested objects
	maxLearnt = 16       // entries
)

// FromAnswer reads the result of a call that [SaysWho] accepts. It returns what the result says about the user's own
// account: the login, the e-mail address and its domain, and the workspace. It reads only JSON members with known
// names. It reads neither prose nor lists, because lists can contain other people's accounts.
func FromAnswer(result json.RawMessage) []Entry {
	if len(result) > maxAnswer {
		return nil
	}
	var answer struct {
		IsError    bool            `json:"isError"`
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(result, &answer) != nil || answer.IsError {
		return nil
	}
	texts := []json.RawMessage{answer.Structured}
	for _, c := range answer.Content {
		if c.Type == "text" {
			texts = append(texts, json.RawMessage(c.Text))
		}
	}
	for _, text := range texts {
		var object map[string]any
		if json.Unmarshal(text, &object) != nil || object == nil {
			continue
		}
		var r answerReader
		r.object(object, maxNested)
		slices.SortFunc(r.found, compare)
		return r.found[:min(len(r.found), maxLearnt)]
	}
	return nil
}

// answerReader collects the entries from an answer about one account.
type answerReader struct{ found []Entry }

func (r *answerReader) object(object map[string]any, depth int) {
	for name, value := range object {
		member := snake(name)
		switch value := value.(type) {
		case map[string]any:
			if depth > 0 && slices.Contains(nestedMembers, member) {
				r.object(value, depth-1)
			} else if member == "team" || member == "workspace" || member == "organization" {
				r.workspace(value)
			}
		case string:
			r.text(member, value)
		}
	}
}

// text reads one member of the account.
func (r *answerReader) text(member, value string) {
	if slices.Contains(emailMembers, member) {
		for _, e := range FromEmail(value) {
			r.add(e, nil)
		}
	}
	if slices.Contains(accountMembers, member) && isName(value) {
		r.add(Make(Account, value))
	}
	if slices.Contains(workspaceMembers, member) && isName(value) {
		r.add(Make(Workspace, value))
	}
	if member == "url" || member == "workspace_url" || member == "team_url" {
		host, _ := locate.Split(value)
		for _, end := range workspaceHosts {
			if name, ok := strings.CutSuffix(host, end); ok && name != "" && !strings.Contains(name, ".") {
				r.add(Make(Workspace, host))
			}
		}
	}
}

// workspace reads the workspace to which the account belongs.
func (r *answerReader) workspace(object map[string]any) {
	for _, name := range []string{"id", "key", "domain", "slug"} {
		if value, ok := object[name].(string); ok && isName(value) {
			r.add(Make(Workspace, value))
		}
	}
}

func (r *answerReader) add(e Entry, err error) {
	if err == nil && !slices.ContainsFunc(r.found, e.Same) {
		r.found = append(r.found, e)
	}
}

// minNumber is the minimum length of a number that can name an account. Shorter numbers often mean something else.
const minNumber = 6

// isName reports whether a value can be the name of an account or workspace, as opposed to a text or a small number.
func isName(value string) bool {
	if len(value) > 100 || strings.ContainsAny(value, "\n\t<>") {
		return false
	}
	return strings.Trim(value, "0123456789") != "" || len(value) >= minNumber
}
