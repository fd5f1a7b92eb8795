package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/provider"
	"mcpproxy/internal/text"
)

// secretCategories are the categories of data that gives access. Such a value has an audience of its own; personal
// data has not.
var secretCategories = []string{
	"api_token",
	"auth_token",
	"cloud_credentials",
	"private_key",
	"database_credential",
	"high_entropy",
	storedSecret,
}

// IsSecret reports whether a category is one of secrets with an audience of their own.
func IsSecret(category string) bool { return slices.Contains(secretCategories, category) }

// maxCarried is the maximum number of secrets of one call that are listed. Those that leave their audience come
// first.
const maxCarried = 50

// bearer is a secret in a call, with the known facts about its owner.
type bearer struct {
	kind, category, value string
	evidence, path        string
	issuer                *provider.Provider // nil if the provider is not known
	owner                 flow.Owner
	doc                   *text.Document // nil if its position is not known
	at                    text.Span
}

// isLink reports whether the secret is the part of a URL that gives access only to the target of the URL, such as one
// document or one meeting.
func (b *bearer) isLink() bool {
	if b.doc == nil || b.category == "private_key" || b.category == "cloud_credentials" {
		return false
	}
	all := b.doc.Parts[b.at.Part].Text
	before := all[max(0, b.at.Start-maxLink):min(b.at.End, len(all))]
	return linkKey().MatchString(before)
}

// maxLink is the number of bytes of a URL that are searched.
const maxLink = 512

// linkKey matches a URL up to the parameter that gives access to its target. A token does not count, because it can
// reset a password.
var linkKey = lazyregexp.New(
	`(?i)https?://[^\s"'<>]*[?&](?:pwd|passcode|sig|signature|x-amz-signature|x-goog-signature|share|invite)=[^\s"'<>&]*$`,
)

// carry determines which secrets a call carries and who receives them. It marks the edges that only carry secrets to
// their own audience.
func (in *Inspector) carry(t traced) carried {
	p := carried{traced: t, edges: t.lineage.Edges}
	if t.err != nil {
		return p
	}
	switch p.call.Kind {
	case mcpproxy.KindScript, mcpproxy.KindAnswer: // a script reaches nothing itself; an answer comes from the user
		return p
	}
	var out []mcpproxy.Secret
	bearers := t.bearers()
	if len(bearers) == 0 && !slices.ContainsFunc(p.edges, movesSecret) {
		return p
	}
	r := t.route()
	for i := range bearers {
		out = append(out, r.secret(&bearers[i]))
	}
	for _, e := range p.edges {
		whole := covers(out, e) || t.standsWhole(e, bearers) || t.within(e, bearers)
		if movesSecret(e) && r.audience != mcpproxy.SecretSelf && !whole {
			out = append(out, r.unspelled(e))
		}
	}
	slices.SortStableFunc(out, func(a, b mcpproxy.Secret) int { return distance(b) - distance(a) })
	p.secrets = out[:min(len(out), maxCarried)]
	if staysOwn(p.secrets) {
		p.edges = t.markOwn(p.edges, bearers)
		for i := range bearers {
			p.ownValues = append(p.ownValues, bearers[i].value)
		}
	}
	return p
}

func distance(s mcpproxy.Secret) int {
	return slices.Index(mcpproxy.SecretAudiences(), s.Audience)
}

// movesSecret reports whether an edge that flow tracking found moves a secret.
func movesSecret(e mcpproxy.Edge) bool {
	return e.Match != "shell" && slices.ContainsFunc(e.Sensitive, IsSecret)
}

// covers reports whether a secret of an edge is among the secrets that the call contains as a whole.
func covers(all []mcpproxy.Secret, e mcpproxy.Edge) bool {
	return e.Match == "secret" && slices.ContainsFunc(all, func(s mcpproxy.Secret) bool {
		return slices.Contains(e.Sensitive, s.Category)
	})
}

// standsWhole reports whether the secrets of an edge are among the bearers under another category: a stored password
// has another category where it is used for a database.
func (p *traced) standsWhole(e mcpproxy.Edge, bearers []bearer) bool {
	return e.Match == "secret" && slices.ContainsFunc(p.lineage.Known, func(s flow.Secret) bool {
		return slices.Contains(e.Sensitive, s.Category) &&
			slices.ContainsFunc(bearers, func(b bearer) bool { return b.value == s.Value })
	})
}

// within reports whether the data of an edge is a part of a bearer that occurred before; the bearer then decides. A
// new secret that contains an old one has no known owner.
func (p *traced) within(e mcpproxy.Edge, bearers []bearer) bool {
	return e.Start < e.End && slices.ContainsFunc(bearers, func(b bearer) bool {
		here := b.doc != nil && b.doc == p.args.Doc && b.path == e.Path
		return here && b.owner.Read && b.at.Start <= e.Start && e.End <= b.at.End
	})
}

// unspelled returns a secret that moves in pieces or in an unreadable form.
func (r *route) unspelled(e mcpproxy.Edge) mcpproxy.Secret {
	category := e.Sensitive[slices.IndexFunc(e.Sensitive, IsSecret)]
	return mcpproxy.Secret{
		Kind:     category,
		Category: category,
		Evidence: e.Evidence,
		Path:     e.Path,
		To:       r.shown(),
		Audience: mcpproxy.SecretOutside,
	}
}

// staysOwn reports whether there are secrets and all of them stay within their audience.
func staysOwn(all []mcpproxy.Secret) bool {
	outside := func(s mcpproxy.Secret) bool { return s.Audience == mcpproxy.SecretOutside }
	return len(all) > 0 && !slices.ContainsFunc(all, outside)
}

// markOwn marks the edges of a call that move only secrets within their audience, and returns all edges. Other data
// of an edge is judged separately.
func (p *traced) markOwn(edges []mcpproxy.Edge, bearers []bearer) []mcpproxy.Edge {
	out := slices.Clone(edges)
	for i := range out {
		e := &out[i]
		other := slices.ContainsFunc(e.Sensitive, func(c string) bool { return !IsSecret(c) })
		whole := e.Match != "shell" && e.Match != "attached" && (e.Match != "shards" || p.within(*e, bearers))
		if whole && !e.Beside && !other {
			e.Own, e.Risk = true, mcpproxy.RiskNone
		} else if whole && e.Match != "shards" && e.Beside && !other && len(e.Sensitive) > 0 {
			e.Sensitive, e.Risk = nil, mcpproxy.RiskMedium
		}
	}
	return out
}

// bearers returns the secrets in the call, without duplicates.
func (p *traced) bearers() []bearer {
	var out []bearer
	seen := map[string]bool{}
	for _, r := range []Reading{p.args, p.extra, p.name} {
		for i := range r.Found {
			f := &r.Found[i]
			s := f.Signal()
			if !IsSecret(s.Category) || !s.Sensitive() && !p.wasRead(f) || seen[f.Value] {
				continue
			}
			seen[f.Value] = true
			out = append(out, bearer{
				kind:     s.Kind,
				category: s.Category,
				value:    f.Value,
				evidence: s.Evidence,
				path:     s.Path,
				doc:      r.Doc,
				at:       f.Spans[0],
			})
		}
	}
	for _, s := range p.lineage.Known {
		if !IsSecret(s.Category) || seen[s.Value] {
			continue
		}
		seen[s.Value] = true
		b := bearer{
			category: s.Category,
			kind:     s.Category,
			value:    s.Value,
			evidence: "[" + s.Category + "]",
		}
		b.find(p.args.Doc, s, detect.NewMasker(p.hidden).Text)
		out = append(out, b)
	}
	out = bare(out)
	for i := range out {
		b := &out[i]
		b.owner = p.ownerOf(b.value)
		if b.kind == b.category && b.owner.Kind != "" {
			b.kind = b.owner.Kind
		}
		b.issuer = provider.Of(b.kind)
	}
	return out
}

// wasRead reports whether a possible secret comes from an internal result. A name and a value, such as "password:
// KfcU3FfcN8ExlQ", are a guess in an agent's own text, and a secret if a settings file contained them.
func (p *traced) wasRead(f *detect.Finding) bool {
	if f.Example || f.Confidence < faintGuess {
		return false
	}
	return slices.ContainsFunc(p.lineage.Edges, func(e mcpproxy.Edge) bool {
		return e.Path == f.Path && e.From.Side == mcpproxy.Internal && !e.From.Untrusted
	})
}

// faintGuess is the confidence below which a name and a value are only masked: "password: correct horse" may be
// anything.
const faintGuess = 0.4

// maxWrapping is the maximum length of what surrounds a key: a user's name, a scheme.
const maxWrapping = 48

// bare removes the secrets that contain another one together with a user's name or a scheme, as in ana:KEY.
func bare(all []bearer) []bearer {
	return slices.DeleteFunc(slices.Clone(all), func(b bearer) bool {
		return provider.Of(b.kind) == nil && slices.ContainsFunc(all, func(o bearer) bool {
			return o.value != b.value && provider.Of(o.kind) != nil && strings.Contains(b.value, o.value) &&
				len(b.value)-len(o.value) <= maxWrapping && !strings.Contains(b.value, "://")
		})
	})
}

// find sets the position of a known secret, if the document contains it literally.
func (b *bearer) find(doc *text.Document, s flow.Secret, show func(string) string) {
	if s.Part >= len(doc.Parts) {
		return
	}
	if at := strings.Index(doc.Parts[s.Part].Text, s.Value); at >= 0 {
		b.doc, b.at = doc, text.Span{Part: s.Part, Start: at, End: at + len(s.Value)}
		b.path = doc.Paths(show)(doc.Parts[s.Part])
	}
}

// ownerOf returns what flow tracking knows about a secret.
func (p *traced) ownerOf(value string) flow.Owner {
	for _, o := range p.lineage.Owners {
		if o.Value == value {
			return o
		}
	}
	return flow.Owner{}
}

// home returns the known hosts for which a secret is made.
func (b *bearer) home() []string {
	var out []string
	if b.issuer != nil {
		for _, host := range b.issuer.Hosts {
			out = append(out, strings.TrimPrefix(host, "."))
		}
	}
	out = append(out, b.owner.Hosts...)
	return out[:min(len(out), maxHome)]
}

// maxHome is the maximum number of hosts of a secret that are listed.
const maxHome = 8
