package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"time"

	"golang.org/x/oauth2"
)

// renewal holds what [Client.Renew] needs to ask the provider about the person of a login again.
type renewal struct {
	nonce   string    // nonce of the login
	access  string    // access token, for the userinfo endpoint
	ends    time.Time // when the access token expires; zero if the provider does not say
	refresh string    // refresh token, or ""
}

// ErrNotRenewable is the error of [Client.Renew] if the provider cannot be asked about the login again.
var ErrNotRenewable = errors.New("the identity provider gives no refresh token and no userinfo, so it cannot be asked about a login again")

// invalidGrant is the error code of RFC 6749 for a refresh token that has expired or was revoked.
const invalidGrant = "invalid_grant"

// Renew asks the provider whether a person who has logged in still may, and to which groups the person belongs
// now. It returns the login with the provider's answer. It uses the refresh token of the login or, if the provider
// gave none, asks the userinfo endpoint as long as the access token is valid. Two calls for one login must not run at
// the same time, since many refresh tokens can be used once only.
//
// The error is a [*Refused] if the provider has ended the login, an [*Invalid] if its answer is invalid or about
// another person, an [*Outage] if it does not answer, or [ErrNotRenewable]. With an Outage and a changed refresh
// token, the login that Renew returns holds the new token.
func (c *Client) Renew(ctx context.Context, l Login) (Login, error) {
	about, err := c.discovered(ctx)
	if err != nil {
		return l, err
	}
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	if l.renewal.refresh == "" {
		if about.UserInfo == "" || l.renewal.access == "" ||
			!l.renewal.ends.IsZero() && !c.provider.now().Before(l.renewal.ends) {
			return l, ErrNotRenewable
		}
		return c.reread(ctx, about, l)
	}
	source := c.flow(about).TokenSource(
		context.WithValue(ctx, oauth2.HTTPClient, c.straight()), &oauth2.Token{RefreshToken: l.renewal.refresh},
	)
	token, err := source.Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == invalidGrant {
		return l, &Refused{Code: invalidGrant}
	}
	if err != nil { // also if the provider does not accept this client now: that says nothing about the person
		return l, &Outage{retryAfter, fmt.Errorf("asking it about a login again: %w", hidden(err))}
	}
	l.renewal.access, l.renewal.ends = token.AccessToken, token.Expiry
	l.renewal.refresh = token.RefreshToken
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return c.reread(ctx, about, l)
	}
	found, expires, err := c.checked(ctx, raw)
	if err != nil {
		return l, ofIDToken(err)
	}
	if subject, _ := found.text("sub"); subject != l.subject {
		return l, invalid(otherPerson)
	}
	if nonce, ok := found.text("nonce"); found["nonce"] != nil &&
		(!ok || subtle.ConstantTimeCompare([]byte(nonce), []byte(l.renewal.nonce)) == 0) {
		return l, invalid(wrongNonce)
	}
	claims := maps.Clone(found)
	person, err := c.person(ctx, about, found, expires, token.AccessToken)
	if err != nil {
		return l, ofIDToken(err)
	}
	l.IDToken, l.claims = raw, claims
	l.Person = person
	return l, nil
}

// otherPerson is the reason of [Invalid] for a renewed ID token of another person.
const otherPerson = "the renewed ID token belongs to another person than the login"

// reread asks the userinfo endpoint about the person of a login. Claims that it does not return keep the value
// of the ID token. Without a userinfo endpoint the person stays as it was: the provider has renewed the login.
func (c *Client) reread(ctx context.Context, about document, l Login) (Login, error) {
	if about.UserInfo == "" {
		return l, nil
	}
	found := maps.Clone(l.claims)
	if err := c.complete(ctx, about.UserInfo, l.renewal.access, found); err != nil {
		return l, err
	}
	person, err := c.provider.settings.named(found, l.Expires)
	if err != nil {
		return l, ofIDToken(err)
	}
	l.Person = person
	return l, nil
}
