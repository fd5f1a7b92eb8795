// Package intent determines what a user's own words ask an agent to do: which effects they name, whether they ask for
// a result in general, and whether they leave the decision to a text ("do what the ticket says").
//
// It uses word lists in twenty-eight languages, and knows no grammar except the order of a few words. Words that it
// does not understand count as unknown, never as a refusal. The same lists also find the effects that the result of a
// tool mentions.
package intent
