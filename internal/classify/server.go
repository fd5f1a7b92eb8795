package classify

import "mcpproxy"

// Words of server names. External words are checked before internal ones: a Slack server whose name also contains
// "db" still sends to people.
var (
	externalServers = words(
		"slack discord teams telegram whatsapp signal mattermost chat irc matrix",
		"email mail smtp imap gmail outlook sendgrid mailgun ses postmark resend",
		"webhook webhooks zapier ifttt pipedream n8n make",
		"http https api rest fetch web browser playwright puppeteer scraper crawler",
		"sms twilio vonage nexmo push pushover ntfy",
		"twitter x mastodon bluesky reddit linkedin facebook instagram youtube",
		"search google bing brave duckduckgo tavily exa perplexity searxng",
		"wikipedia hackernews arxiv pubmed scholar crossref openalex zenodo biorxiv news rss openstreetmap osm weather npm pypi whois dns sitemap",
		"pastebin gist ngrok stripe paypal calendly")
	internalServers = words(
		"database db postgres postgresql pg mysql mariadb mongo mongodb redis sqlite sql duckdb oracle mssql snowflake bigquery clickhouse",
		"file files filesystem fs disk drive storage documents docs",
		"github gitlab bitbucket git gitea repo code",
		"jira confluence notion linear asana wiki crm salesforce hubspot erp hr",
		"vault secrets secret keychain keyring password passwords 1password bitwarden",
		"calendar tasks todo contacts contact people addressbook directory sheets spreadsheet excel onedrive dropbox sharepoint obsidian evernote trello",
		"memory knowledge internal intranet private local config env",
		"kubernetes k8s docker aws gcp azure terraform ldap",
	)
	// weakServers are words that alone say little: nearly every server has an "api".
	weakServers = words("api rest http https web chat mail search x make code file files docs config local push google")
	// publicWords make a server external even if its other words are internal.
	publicWords  = words("public external")
	privateWords = words("private internal intranet")
)

// Server classifies a server by its name. The configuration's security.classification.server_overrides take
// precedence.
func (c *Classifier) Server(name string) mcpproxy.Class {
	if side, ok := c.ServerOverrides[name]; ok {
		return class(side, 1, mcpproxy.ByConfig)
	}
	tokens := Tokens(name)
	if _, ok := privateWords.any(tokens); ok {
		return class(mcpproxy.Internal, 0.9, mcpproxy.ByHeuristic)
	}
	if _, ok := publicWords.any(tokens); ok {
		return class(mcpproxy.External, 0.8, mcpproxy.ByHeuristic)
	}
	if side, confidence, ok := byWords(tokens); ok {
		return class(side, confidence, mcpproxy.ByHeuristic)
	}
	return class(mcpproxy.Unknown, 0, mcpproxy.ByHeuristic)
}

// byWords returns the side that the words of a name indicate. Strong words decide before weak ones, and external
// words before internal ones of the same strength.
func byWords(tokens []string) (mcpproxy.Side, float64, bool) {
	for _, weak := range []bool{false, true} {
		confidence := 0.9
		if weak {
			confidence = 0.6
		}
		for _, list := range []struct {
			words *set
			side  mcpproxy.Side
		}{{externalServers, mcpproxy.External}, {internalServers, mcpproxy.Internal}} {
			for _, t := range tokens {
				if list.words.has(t) && weakServers.has(t) == weak {
					return list.side, confidence, true
				}
			}
		}
	}
	return "", 0, false
}

// class returns a class with the capabilities that belong to its side.
func class(side mcpproxy.Side, confidence float64, method mcpproxy.Method) mcpproxy.Class {
	c := mcpproxy.Class{Side: side, Confidence: confidence, Method: method}
	switch side {
	case mcpproxy.Internal:
		c.CanReadData = true
	case mcpproxy.External:
		c.CanExfiltrate, c.ReturnsUntrusted = true, true
	case mcpproxy.Hybrid:
		c.CanReadData = true
		c.CanExfiltrate = true
		c.ReturnsUntrusted = true
	}
	return c
}
