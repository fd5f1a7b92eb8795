package classify

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
)

// reach is which way a tool carries data, as its name and parameters tell.
type reach struct {
	sends     bool // hands data to somebody
	fetches   bool // gets something from an address on the open web: the address leaves, a stranger answers
	exposes   bool // lets somebody in who can then read, or tells an address
	strangers bool // returns what people have written to the user
	open      bool // says of itself that it meets the open world
}

// Words of tool names and parameters that say which way data goes.
var (
	sendingWords = words(
		"send post publish share upload push email mail notify message tweet reply forward broadcast invite submit webhook export transfer pay",
	)
	// nouns are sending words that also name what is sent: "email_search".
	nouns      = words("email mail message post share push tweet webhook invite reply transfer export")
	objects    = words("email mail message webhook") // of them, what a name is about when they stand in its middle
	recipients = words(
		"to recipient recipients channel webhook url uri endpoint cc bcc email address chat_id phone iban beneficiary payee",
	)
	// invited are parameters that name people who will be told.
	invited = words(
		"recipient recipients cc bcc attendee attendees participant participants guest guests invitee invitees collaborator collaborators",
	)

	// hooked are parameters with an address that is told what happens later.
	hooked = words("webhook callback")

	admittingWords = words("add grant assign allow permit enroll enrol")
	admitted       = words(
		"user users member members collaborator collaborators guest guests access permission permissions role roles",
	)

	// The web, and words that stand for it only beside a verb that reaches out.
	webWords   = words("webpage webpages website websites internet")
	nearlyWeb  = words("web url urls http browser online")
	reachWords = words("fetch search browse crawl scrape navigate visit goto download request")
	fetchWords = words("get open read load view").and(reachWords)
	addresses  = words("url urls link website webpage")

	// correspondence is what others write and the user reads.
	correspondence = words(
		"email emails mail mails inbox message messages chat chats thread threads conversation conversations dm dms sms",
		"comment comments review reviews issue issues ticket tickets post posts tweet tweets feed notification notifications",
		"calendar invitation invitations attachment attachments webpage webpages website websites news",
	)
)

// hands reports whether a name holds a sending verb. A word such as email is one
// at the beginning ("email_report"), or is what is made at the end
// ("create_message"); in between it is neither ("verify_email_domain").
func hands(tokens []string) bool {
	for i, t := range tokens {
		if sendingWords.has(t) && (!objects.has(t) || i == 0 || i == len(tokens)-1) {
			return true
		}
	}
	return false
}

// reachesOut reports whether a name says that something is got from the web.
func reachesOut(tokens []string) bool {
	return fetchWords.in(tokens) && webWords.in(tokens) || reachWords.in(tokens) && nearlyWeb.in(tokens)
}

// onlyReads reports whether the first verb of a name reads or destroys, so that
// a sending word is no verb but what is read: "search_email", "delete_post",
// "message_list". A second verb behind "and" still sends.
func onlyReads(tokens []string) bool {
	for i, t := range tokens {
		if conjunctions.has(t) {
			return false
		}
		if nouns.has(t) ||
			!readWords.has(t) && !destructiveWords.has(t) && !writeWords.has(t) && !sendingWords.has(t) {
			continue
		}
		return (readWords.has(t) || destructiveWords.has(t)) && !slices.ContainsFunc(tokens[i:], conjunctions.has)
	}
	return false
}

// parameters are the names of a tool's parameters. It is not described when it
// has no schema, or one that cannot be read.
func parameters(def *mcpproxy.Tool) (params []string, described bool) {
	if def == nil || len(def.InputSchema) == 0 {
		return nil, false
	}
	var schema struct {
		Properties map[string]jsontext.Value `json:"properties"` // only the names count: nothing is made of the rest
	}
	if json.Unmarshal(def.InputSchema, &schema) != nil {
		return nil, false
	}
	return slices.Collect(maps.Keys(schema.Properties)), true
}

// openSchema reports whether a tool takes parameters beside those it names.
func openSchema(def *mcpproxy.Tool) bool {
	var schema struct {
		Additional any            `json:"additionalProperties"`
		Patterns   map[string]any `json:"patternProperties"`
	}
	if json.Unmarshal(def.InputSchema, &schema) != nil {
		return true
	}
	closed, said := schema.Additional.(bool)
	return schema.Additional != nil && (!said || closed) || len(schema.Patterns) > 0
}
