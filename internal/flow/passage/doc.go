// Package passage finds which passage of the texts that an agent was given spells a call
// that the agent makes: an agent that obeys a text takes the words and the values of its
// call from one place in it.
//
// An [Index] keeps hashes of words and no text. It is not safe for concurrent use.
package passage
