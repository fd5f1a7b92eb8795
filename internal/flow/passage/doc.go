// Package passage finds the passage of a result from which a call was copied. An agent that follows the instructions
// in a text takes the words and the values of its call from one passage of the text.
//
// An [Index] keeps hashes of words and no text. It is not safe for concurrent use.
package passage
