package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
)

// Words of the names of tools and servers.
var (
	// ownThings are things that only their owner can read until the owner shares them.
	ownThings = []string{
		"event", "events", "calendar", "reminder", "reminders", "draft", "drafts", "note", "notes", "todo", "todos", "task",
		"tasks", "alarm", "timer", "bookmark", "bookmarks", "memory", "entity", "entities", "journal", "favorites", "playlist",
		"wishlist", "cart", "watchlist", "appointment", "schedule", "label", "labels", "folder", "directory",
	}
	// publicThings are things that everybody can read.
	publicThings = []string{
		"tweet", "tweets", "gist", "paste", "pastebin", "blog", "public", "publish", "twitter", "reddit", "mastodon",
		"facebook", "instagram", "linkedin", "medium", "wordpress", "npm", "pypi", "youtube", "tiktok",
	}
)

// audience returns who can read what the call writes.
func (p *traced) audience() mcpproxy.Audience {
	if p.call.Kind != mcpproxy.KindTool || p.acted.Harmless() && !p.class.Leaves() {
		return mcpproxy.AudienceSelf
	}
	words := p.words()
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	named, home := 0, 0
	for _, d := range p.lineage.Destinations {
		if d.Kind == "argument" {
			continue
		}
		if named++; p.isHome(d) {
			home++
		}
	}
	switch {
	case named > 0 && home == named, named == 0 && p.toOwn:
		return mcpproxy.AudienceHome
	case has(publicThings) && p.acted != mcpproxy.EffectRead:
		return mcpproxy.AudiencePublic
	case named > 0:
		return mcpproxy.AudienceNamed
	case p.call.Server == "" && !p.class.Leaves():
		return mcpproxy.AudienceSelf
	case (p.acted == mcpproxy.EffectCreate || p.acted == mcpproxy.EffectChange) && !p.comments() &&
		(has(ownThings) || slices.ContainsFunc(classify.Tokens(p.call.Server), keepsOwn)):
		return mcpproxy.AudienceSelf
	}
	return mcpproxy.AudienceUnknown
}

// keepsOwn reports whether a word of a server's name says that it stores its owner's own things.
func keepsOwn(w string) bool {
	switch w {
	case "calendar", "notes", "note", "notebook", "todo", "todos", "reminders", "journal", "diary", "memo", "memos", "bookmarks":
		return true
	}
	return false
}

// comments reports whether the call writes a comment on something that others can read, such as an issue.
func (p *texts) comments() bool {
	for _, part := range p.args.Doc.Parts {
		switch strings.ToLower(p.args.Doc.Field(part)) {
		case "issue", "issue_iid", "issue_number", "issuenumber", "issue_id", "noteable_type", "noteable_iid", "merge_request_iid",
			"ticket_id", "pull_number", "pullnumber", "deal_id", "contact_id", "thread_id":
			return true
		}
	}
	return false
}
