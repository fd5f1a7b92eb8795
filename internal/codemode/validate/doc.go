// Package validate turns a script of an agent into the text that is run, or says
// why it is not run.
//
// A script is TypeScript or JavaScript: one function, or a body that may use
// await and return. esbuild strips its types and lowers it to ES2017; what it
// prints is parsed again and read construct by construct. [Check] returns that
// very text, so that nothing runs which was not read.
//
// What is refused are ways out of what a script is for: code made from text,
// the constructors behind it, names of machines a script does not run on, and
// words that only look like others. None of it is needed to call tools. A name
// that a script puts together while it runs is not seen here: the worker takes
// the same things away, so that there is nothing to be found.
//
// Parsing can take long for text made to be hard, and deep. Only the worker does
// it, which is confined, bounded and killed at its deadline.
//
// The guarantee: what comes back is one function, in strict mode, without any
// construct of the lists in ban.go.
package validate
