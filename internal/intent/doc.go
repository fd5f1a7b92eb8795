// Package intent reads what a user's own words ask an agent to do: the effects that they
// name, whether they ask for a result in general, and whether they hand the decision to a
// text ("do what the ticket says").
//
// It works by word lists in twenty-eight languages and knows no grammar beyond the order of a
// few words. What it does not understand it calls unknown; it never takes words that it does
// not understand for a refusal. The same lists tell which effects a text speaks of that a
// tool has brought.
package intent
