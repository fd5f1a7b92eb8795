package classify

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
)

// reach says in which directions a tool moves data, as its name and its parameters indicate.
type reach struct {
	sends     bool // sends data to other people
	fetches   bool // fetches from an address on the web: an outsider learns the address and answers
	exposes   bool // gives other people access to data, or registers an address that receives data later
	strangers bool // returns text that other people wrote to the user
	open      bool // declares openWorldHint: true
}

// Words of tool names and parameters that indicate the direction of data.
var (
	sendingWords = words(
		"send post publish share upload push email mail notify message tweet reply forward broadcast invite submit webhook export transfer pay",
	)
	// nouns are sending verbs that also name the object that is sent: "email_search".
	nouns      = words("email mail message post share push tweet webhook invite reply transfer export")
	objects    = words("email mail message webhook") // nouns that are an object in the middle of a name
	recipients = words(
		"to recipient recipients channel webhook url uri endpoint cc bcc email address chat_id phone iban beneficiary payee",
	)
	// invited lists parameters with the people who will be notified.
	invited = words(
		"recipient recipients cc bcc attendee attendees participant participants guest guests invitee invitees collaborator collaborators",
	)

	// hooked lists parameters with an address that will receive later events.
	hooked = words("webhook callback")

	admittingWords = words("add grant assign allow permit enroll enrol")
	admitted       = words(
		"user users member members collaborator collaborators guest guests access permission permissions role roles",
	)

	// webWords name the web. Other words mean the web only together with a verb that fetches.
	webWords   = words("webpage webpages website websites internet")
	nearlyWeb  = words("web url urls http browser online")
	reachWords = words("fetch search browse crawl scrape navigate visit goto download request")
	fetchWords = words("get open read load view").and(reachWords)
	addresses  = words("url urls link website webpage")

	// correspondence lists what other people write to the user.
	correspondence = words(
		"email emails mail mails inbox message messages chat chats thread threads conversation conversations dm dms sms",
		"comment comments review reviews issue issues ticket tickets post posts tweet tweets feed notification notifications",
		"calendar invitation invitations attachment attachments webpage webpages website websites news",
		"transcript transcripts voicemail voicemails timeline timelines feedback survey surveys submission submissions",
		"responses inquiry inquiries enquiry enquiries lead leads discussion discussions forum topic topics guestbook",
	)
)

// hands reports whether a name contains a sending verb. A word such as email is a verb at the beginning
// ("email_report"). At the end it is the object that is sent ("create_message"). In between it is neither
// ("verify_email_domain").
func hands(tokens []string) bool {
	for i, t := range tokens {
		if sendingWords.has(t) && (!objects.has(t) || i == 0 || i == len(tokens)-1) {
			return true
		}
	}
	return false
}

// reachesOut reports whether a name says that the tool fetches something from the web.
func reachesOut(tokens []string) bool {
	return fetchWords.in(tokens) && webWords.in(tokens) || reachWords.in(tokens) && nearlyWeb.in(tokens)
}

// onlyReads reports whether the first verb of a name reads or destroys. A sending word is then the object, not a
// verb: "search_email", "delete_post", "message_list". A second verb after "and" still sends.
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

// parameters returns the names of a tool's parameters. described is false if the tool has no schema or its schema
// cannot be parsed.
func parameters(def *mcpproxy.Tool) (params []string, described bool) {
	if def == nil || len(def.InputSchema) == 0 {
		return nil, false
	}
	var schema struct {
		Properties map[string]jsontext.Value `json:"properties"` // only the names are used
	}
	if json.Unmarshal(def.InputSchema, &schema) != nil {
		return nil, false
	}
	return slices.Collect(maps.Keys(schema.Properties)), true
}

// openSchema reports whether a tool accepts parameters that its schema does not name.
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
