package oidc

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The reasons of [Invalid] that depend on the claims.
const (
	noClaims      = "the claims of the bearer token are not a JSON object"
	wrongIssuer   = "the bearer token is of another issuer"
	wrongAudience = "the bearer token is for another audience"
	noExpiry      = "the bearer token does not say when it expires"
	expired       = "the bearer token has expired"
	early         = "the bearer token is not valid yet"
	bound         = "the bearer token is bound to a key of its bearer, which is not checked here"
	logout        = "the bearer token is a logout token"
	nobody        = "the bearer token does not name the person in the claim that is configured"
	unverified    = "the bearer token does not say that the person's e-mail address is verified"
	badGroups     = "the groups claim of the bearer token is neither a text nor a list of texts"
)

const (
	skew      = time.Minute // allowed difference between the clocks when a token is not valid yet
	maxGroups = 1000        // groups of one person
	maxTime   = 1 << 40     // in seconds since 1970; later times are refused
	// logoutEvent is the member of the claim events that marks a logout token.
	logoutEvent = "http://schemas.openid.net/event/backchannel-logout"
)

// claims are the claims of a token by name.
type claims map[string]jsontext.Value

// person reads the claims of a token that the provider has signed.
func (s Settings) person(payload []byte, now time.Time) (Person, error) {
	c, expires, err := s.valid(payload, now)
	if err != nil {
		return Person{}, err
	}
	return s.named(c, expires)
}

// invalid returns the error for a token whose signature is valid but which is refused for another reason.
func invalid(reason string) error { return &Invalid{Reason: reason, Signed: true} }

// valid decodes the claims of a token that the provider has signed. It checks the audience and the
// times.
func (s Settings) valid(payload []byte, now time.Time) (c claims, expires time.Time, err error) {
	if err := json.Unmarshal(payload, &c); err != nil || c == nil { // it also refuses duplicate claims
		return nil, expires, invalid(noClaims)
	}
	maps.DeleteFunc(c, isNull) // some providers write null for a missing claim
	if iss, ok := c.text("iss"); !ok || iss != s.Issuer {
		return nil, expires, invalid(wrongIssuer)
	}
	if aud, ok := c.texts("aud"); !ok || s.Audience == "" || !slices.Contains(aud, s.Audience) {
		return nil, expires, invalid(wrongAudience)
	}
	expires, ok := c.time("exp")
	if !ok {
		return nil, expires, invalid(noExpiry)
	}
	if !now.Before(expires) {
		return nil, expires, invalid(expired)
	}
	for _, claim := range []string{"nbf", "iat"} {
		if at, ok := c.time(claim); c[claim] != nil && (!ok || at.After(now.Add(skew))) {
			return nil, expires, invalid(early)
		}
	}
	if c["cnf"] != nil {
		return nil, expires, invalid(bound)
	}
	var events claims
	if raw := c["events"]; raw != nil && (json.Unmarshal(raw, &events) != nil || events[logoutEvent] != nil) {
		return nil, expires, invalid(logout)
	}
	return c, expires, nil
}

// named returns the person and the groups that the claims name.
func (s Settings) named(c claims, expires time.Time) (Person, error) {
	name, ok := c.text(s.PrincipalClaim)
	if !ok || strings.TrimSpace(name) == "" {
		return Person{}, invalid(nobody)
	}
	if s.PrincipalClaim == "email" && !c.isTrue("email_verified") {
		return Person{}, invalid(unverified)
	}
	var groups []string
	if raw := c.find(s.GroupsClaim); raw != nil {
		if groups, ok = textsOf(raw); !ok || len(groups) > maxGroups {
			return Person{}, invalid(badGroups)
		}
	}
	return Person{
		Name:    name,
		Groups:  groups,
		Expires: expires,
	}, nil
}

func isNull(_ string, v jsontext.Value) bool { return v.Kind() == 'n' }

// find returns the claim with a name. If no claim has that name, it reads the name as a path with
// dots. It returns nil if it finds nothing.
func (c claims) find(name string) jsontext.Value {
	if raw := c[name]; raw != nil {
		return raw
	}
	outer, rest, ok := strings.Cut(name, ".")
	var inner claims
	if raw := c[outer]; !ok || raw == nil || json.Unmarshal(raw, &inner) != nil {
		return nil
	}
	maps.DeleteFunc(inner, isNull)
	return inner.find(rest)
}

// text returns a claim that is a string.
func (c claims) text(name string) (s string, ok bool) {
	raw := c.find(name)
	return s, raw.Kind() == '"' && json.Unmarshal(raw, &s) == nil
}

// texts returns a claim that is a string or a list of strings.
func (c claims) texts(name string) ([]string, bool) { return textsOf(c[name]) }

func textsOf(raw jsontext.Value) (all []string, ok bool) {
	switch raw.Kind() {
	case '"':
		all = make([]string, 1)
		return all, json.Unmarshal(raw, &all[0]) == nil
	case '[':
		return all, json.Unmarshal(raw, &all) == nil
	}
	return nil, false
}

// time returns a claim that is a number of seconds since 1970.
func (c claims) time(name string) (time.Time, bool) {
	var seconds float64
	raw := c[name]
	if raw.Kind() != '0' || json.Unmarshal(raw, &seconds) != nil || seconds <= 0 || seconds > maxTime {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0), true
}

// isTrue reports whether a claim is true. Some providers write it as a string.
func (c claims) isTrue(name string) bool {
	return string(c[name]) == "true" || string(c[name]) == `"true"`
}
