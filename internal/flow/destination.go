package flow

import (
	"slices"
	"strings"

	"mcpproxy"
)

// trust says how well a value is known in a session.
type trust uint8

const (
	stranger      trust = iota + 1 // found in a text that strangers may have written
	correspondent                  // filled in by the system, but as strangers chose: the sender of a mail
	known                          // found in a trusted result
)

// met is how a value was met in a session's results.
type met struct {
	trust trust
	from  *mcpproxy.Origin
}

// directory is what a session knows of the values that can say where something
// goes: who named them, and which an instruction spelled. To be trusted a value
// must be the same to the letter. To be distrusted it need only be spelled with
// the same letters and digits.
type directory struct {
	chosen   table[struct{}]
	met      table[met]
	dictated table[*mcpproxy.Origin]
}

// meet notes that n was found in a result. The better trust stays, except that
// what a stranger's instruction comes with is no correspondent any more. What an
// instruction spelled first cannot become known: the agent may have obeyed.
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

// sourceOf says who chose a recipient, and in which result.
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
	if r.kind == kindBucket && d.describes(buckets) {
		return mcpproxy.FromUser, nil
	}
	return mcpproxy.FromNowhere, nil
}

// Words by which people say that something is theirs, and what they call an object store.
var (
	possessives = strings.Fields("our my unser unseren unserem unsere unserer mein meinen meinem notre mon nos nuestro nuestra mi nosso meu nostro mio onze ons mijn nasz naszego mój")
	buckets     = strings.Fields("bucket s3 storage buckets gcs blob")
)

// describes reports whether the user's words say of such a thing that it is his, as in "the CSV
// goes into our bucket": he means one that he need not name.
func (d *directory) describes(nouns []string) bool {
	return slices.ContainsFunc(possessives, func(whose string) bool {
		return slices.ContainsFunc(nouns, func(noun string) bool {
			return d.chosen.has(name{inNames, whose + " " + noun}.key())
		})
	})
}

// dictates is the origin of an instruction that spells n, or nil.
func (d *directory) dictates(n name) *mcpproxy.Origin {
	if len(d.dictated.of) == 0 || len(n.value) < minSpelled {
		return nil
	}
	return d.dictated.of[n.letters()]
}

// confirmed is the source of an address that a trusted result knows: the user's
// choice if it belongs to somebody whom the user called by name.
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
