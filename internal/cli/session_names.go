package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/agent"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
)

const (
	shortID       = 8  // minimum length of a shortened id
	mostAgentName = 24 // maximum length of an agent's name in a listing
)

// separators are the path separators of all systems, because a list can come from another machine.
const separators = `/\`

// listedSession is the information about a session in a row of a listing.
type listedSession struct {
	id    string
	agent mcpproxy.SessionAgent
	// otherwise is shown if the agent's name is unknown.
	otherwise string
}

// agentOf returns the agent, or the zero value for nil.
func agentOf(a *mcpproxy.SessionAgent) mcpproxy.SessionAgent {
	if a == nil {
		return mcpproxy.SessionAgent{}
	}
	return *a
}

// listedRecord returns the session of a record.
func listedRecord(r *mcpproxy.Record) listedSession {
	l := listedSession{
		id:        cmp.Or(r.FlowSessionID, r.SessionID),
		agent:     agentOf(r.Metadata.Agent),
		otherwise: r.Principal,
	}
	if name, ok := r.Metadata.Detail["agent"].(string); ok && !l.agent.Known() { // a hook's record from an early version
		l.agent.Name = name
	}
	return l
}

func listedRecords(all []*mcpproxy.Record) []listedSession {
	out := make([]listedSession, len(all))
	for i, r := range all {
		out[i] = listedRecord(r)
	}
	return out
}

// agentName returns the name of the session's agent. The name that an MCP client claims is quoted,
// because it is not verified.
func (l listedSession) agentName() string {
	name := term.Cut(l.agent.Name, mostAgentName)
	switch {
	case name == "":
		return l.otherwise
	case l.agent.Claimed:
		return `"` + strings.ReplaceAll(name, `"`, "'") + `"`
	}
	if known, ok := agent.Hooked(l.agent.Name); ok {
		return known.Title
	}
	return name
}

// sessionNames holds the names of sessions in one listing. They are as short as possible while each
// session of the listing has a different name.
type sessionNames struct {
	folders map[string]string             // short name of each folder
	ids     map[string]string             // short name of each id
	alike   map[[2]string]map[string]bool // ids of the sessions by agent and folder
}

func nameSessions(all []listedSession) *sessionNames {
	n := &sessionNames{alike: map[[2]string]map[string]bool{}}
	var folders, ids []string
	for _, l := range all {
		folders = append(folders, l.agent.Folder)
		ids = append(ids, l.id)
		key := [2]string{l.agentName(), l.agent.Folder}
		if n.alike[key] == nil {
			n.alike[key] = map[string]bool{}
		}
		n.alike[key][l.id] = true
	}
	n.folders, n.ids = shortFolders(folders), shortIDs(ids)
	return n
}

// of returns the agent of a session and its folder. If the folder is unknown or another session has
// the same agent and folder, it adds the beginning of the id.
func (n *sessionNames) of(l listedSession) (who, where string) {
	who, where = l.agentName(), n.folders[l.agent.Folder]
	if l.id != "" && (where == "" || len(n.alike[[2]string{who, l.agent.Folder}]) > 1) {
		where = strings.TrimSpace(where + " " + n.ids[l.id])
	}
	return who, where
}

// lastElements returns the last n elements of a path, or the whole path if it has fewer.
func lastElements(path string, n int) string {
	separates := func(i int) bool { return strings.IndexByte(separators, path[i]) >= 0 }
	for i := len(strings.TrimRight(path, separators)) - 1; i > 0; i-- {
		if !separates(i) || separates(i+1) {
			continue
		}
		if n--; n == 0 {
			return path[i+1:]
		}
	}
	return path
}

// shortFolders names each folder by the last elements of its path, as many as needed to distinguish
// it from the others.
func shortFolders(all []string) map[string]string {
	all = slices.Compact(slices.Sorted(slices.Values(all)))
	all = slices.DeleteFunc(all, func(folder string) bool { return folder == "" })
	out := map[string]string{}
	for n := 1; len(all) > 0; n++ {
		having := map[string]int{}
		for _, folder := range all {
			having[strings.TrimLeft(lastElements(folder, n), separators)]++
		}
		all = slices.DeleteFunc(all, func(folder string) bool {
			short := lastElements(folder, n)
			if having[strings.TrimLeft(short, separators)] == 1 || short == folder {
				out[folder] = short
			}
			return out[folder] != ""
		})
	}
	return out
}

// bareID returns the distinguishing part of a session's key: without "hook:", or "mcp:" and the
// principal.
func bareID(id string) string {
	if bare, ok := strings.CutPrefix(id, flow.HookPrefix); ok {
		return bare
	}
	if rest, ok := strings.CutPrefix(id, "mcp:"); ok {
		if _, bare, ok := strings.Cut(rest, ":"); ok {
			return bare
		}
	}
	return id
}

// shortIDs names each id by # and its beginning, as long as needed to distinguish it from the
// others. A session that is known by its endpoint only is named by it, such as /mcp.
func shortIDs(all []string) map[string]string {
	all = slices.Compact(slices.Sorted(slices.Values(all)))
	out := map[string]string{}
	for n := shortID; len(all) > 0; n += 4 {
		having := map[string]int{}
		for _, id := range all {
			having[beginning(bareID(id), n)]++
		}
		all = slices.DeleteFunc(all, func(id string) bool {
			bare := bareID(id)
			switch short := beginning(bare, n); {
			case having[short] == 1 && strings.HasPrefix(bare, "/"): // an endpoint
				out[id] = bare
			case having[short] == 1:
				out[id] = "#" + short
			case len(bare) <= n: // another session's id continues this one
				out[id] = "#" + id
			}
			return out[id] != ""
		})
	}
	return out
}

// beginning returns at most n bytes of the beginning of s, in whole characters.
func beginning(s string, n int) string {
	n = min(n, len(s))
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// findSession returns the id of a session from what a person has typed: its id, a unique beginning
// of it, or the last elements of its folder's path. Logged are the ids of further sessions, which
// have ended. It returns name itself if no session matches.
func findSession(name string, live []api.Session, logged []string) (string, error) {
	ids := slices.Clone(logged)
	for _, s := range live {
		ids = append(append(ids, s.ID), s.Linked...)
	}
	if slices.Contains(ids, name) {
		return name, nil
	}
	begin := strings.TrimPrefix(name, "#")
	var found []string
	for _, s := range live {
		if f := s.Agent; f != nil && f.Folder != "" && (f.Folder == name || endsWith(f.Folder, name)) {
			found = append(found, s.ID)
		}
	}
	if len(found) == 0 && begin != "" {
		for _, id := range ids {
			if strings.HasPrefix(id, begin) || strings.HasPrefix(bareID(id), begin) {
				found = append(found, id)
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	// A hook's session is in the log under the agent's id and also under its key.
	found = slices.DeleteFunc(found, func(id string) bool { return slices.Contains(found, flow.HookPrefix+id) })
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%q matches %d sessions; type more characters of one of these ids: %s", name, len(found),
		strings.Join(found[:min(len(found), 5)], ", "))
}

// endsWith reports whether a path ends with the elements of end.
func endsWith(path, end string) bool {
	rest, ok := strings.CutSuffix(path, end)
	return ok && end != "" && strings.TrimRight(rest, separators) != rest
}

// liveSession returns the id of the live session that a person has named.
func liveSession(cmd *cobra.Command, g *globals, name string) (string, error) {
	var live []api.Session
	if err := fetch(cmd, g, "/api/v1/sessions", nil, &live); err != nil {
		return "", err
	}
	return findSession(name, live, nil)
}

// setSession replaces the name of a session in a query of the log with its id.
func setSession(cmd *cobra.Command, g *globals, query url.Values) error {
	name := query.Get("session_id")
	if name == "" {
		return nil
	}
	var page api.Page
	exactly := url.Values{"session_id": {name}, "limit": {"1"}}
	if err := fetch(cmd, g, activityPath, exactly, &page); err != nil || len(page.Records) > 0 {
		return err
	}
	var live []api.Session
	if err := fetch(cmd, g, "/api/v1/sessions", nil, &live); err != nil {
		return err
	}
	var values []ledger.Value
	if err := fetch(cmd, g, "/api/v1/activity/filter-options/session_id", nil, &values); err != nil {
		return err
	}
	var logged []string
	for _, v := range values {
		logged = append(logged, v.Value)
	}
	id, err := findSession(name, live, logged)
	if err != nil {
		return fmt.Errorf("--session-id: %w", err)
	}
	query.Set("session_id", id)
	return nil
}
