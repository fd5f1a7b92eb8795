// Package gate is the one way from an agent to a tool, and the only place where
// a verdict is made.
//
// [Gate.DoAsking] takes a call through it: the call is classified, read for secrets,
// traced to where its data came from, weighed and decided ([Gate.Before]); if
// nothing stops it, it is sent; then its result is read, remembered as an
// origin, and recorded ([Gate.After]). Of the calls that agents make themselves
// their hooks tell, before and after: [Gate.Told] and [Gate.Reported].
//
// Guarantees: a verdict that stops a call is on disk before the caller hears of
// it. A result is remembered before it is delivered, so that no later call can
// outrun it. What cannot be inspected is not let through, with one exception: a call
// that [Gate.Foresee] has let go while its detector fails; it is recorded, and no
// other is let go like this. Secrets are masked before anything leaves the gate
// towards the log, an event or an error.
package gate
