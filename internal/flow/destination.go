package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/locate"
)

// trust says how trustworthy the source of a value is.
type trust uint8

const (
	stranger      trust = iota + 1 // found in a text that outsiders may have written
	correspondent                  // filled in by the system, but chosen by outsiders: the sender of a mail
	known                          // found in a trusted result
)

// met records where a value was found in a session's results.
type met struct {
	trust trust
	from  *mcpproxy.Origin
}

// directory records the values that can name a destination: who named each value, and which instruction contained it.
// A value is trusted only if every letter is equal. It is distrusted if its letters and digits are equal.
type directory struct {
	chosen   table[struct{}]
	met      table[met]
	dictated table[*mcpproxy.Origin]
}

// meet records that n was found in a result. The higher trust is kept, with one exception: an address in or near an
// instruction is no longer a correspondent. A value that first occurred in an instruction never becomes known, because
// the agent may have followed the instruction.
func (d *directory) meet(n name, m met) {
	k := n.key()
	old := d.met.of[k]
	if old.trust < m.trust && m.trust == known && d.dictates(n) != nil {
		return
	}
	if old.trust < m.trust || old.trust == correspondent && m.from.Injected {
		d.met.put(k, m, maxMet)
	}
}

// sourceOf returns who chose a recipient, and the result in which it was found.
func (d *directory) sourceOf(r recipient) (mcpproxy.DestinationSource, *mcpproxy.Origin) {
	for name := range names(r) {
		k := name.key()
		m, dictated := d.met.of[k], d.dictates(name)
		switch {
		case d.chosen.has(k):
			return mcpproxy.FromUser, nil
		case m.trust == known:
			return d.confirmed(r), m.from
		case dictated != nil:
			return mcpproxy.FromInjected, dictated
		case m.trust == correspondent:
			return d.confirmed(r), m.from
		case m.trust == stranger:
			return mcpproxy.FromUntrusted, m.from
		}
	}
	if r.kind == kindBucket && d.describes(buckets) || d.calls(r) {
		return mcpproxy.FromUser, nil
	}
	return mcpproxy.FromNowhere, nil
}

// calls reports whether the user mentioned the site of a host, or of an e-mail address, by its name, as in "rotate the
// Sendgrid key" for api.sendgrid.com. Sites where strangers have accounts do not count.
func (d *directory) calls(r recipient) bool {
	var host string
	switch r.kind {
	case kindHost, kindURL:
		host, _ = splitURL(r.value)
	case kindEmail:
		host = r.value[strings.LastIndexByte(r.value, '@')+1:]
	default:
		return false
	}
	return slices.ContainsFunc(locate.SiteNames(host), func(site string) bool {
		return d.chosen.has(name{inSites, site}.key())
	})
}

// Possessive pronouns, and words for object stores.
var (
	possessives = strings.Fields("our my unser unseren unserem unsere unserer mein meinen meinem notre mon nos nuestro nuestra mi nosso meu nostro mio onze ons mijn nasz naszego mój")
	buckets     = strings.Fields("bucket s3 storage buckets gcs blob")
)

// describes reports whether the user mentioned their own thing of this kind, as in "the CSV goes into our bucket". The
// thing counts as chosen without its name.
func (d *directory) describes(nouns []string) bool {
	return slices.ContainsFunc(possessives, func(whose string) bool {
		return slices.ContainsFunc(nouns, func(noun string) bool {
			return d.chosen.has(name{inNames, whose + " " + noun}.key())
		})
	})
}

// dictates returns the origin of an instruction that contains n, or nil.
func (d *directory) dictates(n name) *mcpproxy.Origin {
	if len(d.dictated.of) == 0 || len(n.value) < minSpelled {
		return nil
	}
	return d.dictated.of[n.letters()]
}

// confirmed returns the source of an address from a trusted result. The source is the user if the user mentioned the
// name of the address's owner.
func (d *directory) confirmed(r recipient) mcpproxy.DestinationSource {
	local, _, _ := strings.Cut(r.value, "@")
	words := nameWords(local)
	if r.kind != kindEmail || len(words) == 0 {
		return mcpproxy.FromInternal
	}
	for _, w := range words {
		if !d.chosen.has(name{inNames, w}.key()) {
			return mcpproxy.FromInternal
		}
	}
	return mcpproxy.FromUser
}
