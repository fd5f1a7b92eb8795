// Package validate turns an agent's script into the text that is run, or says why it is refused.
//
// A script is TypeScript or JavaScript: one function, or a body that may use await and return.
// esbuild strips its types and lowers it to ES2017; the output is parsed again and checked
// construct by construct. [Check] returns exactly that output, so that only checked text runs.
//
// The check refuses constructs that scripts do not need to call tools: code made from text, the
// constructors behind it, globals of other runtimes, and names that only look like others. It
// cannot see a name that a script assembles at run time. For that reason the worker also removes
// these objects.
//
// Parsing can be slow and deeply recursive for malicious text. It therefore runs only in the
// worker, which is confined, limited and killed at its deadline.
//
// Guarantee: the result is one function, in strict mode, without any construct of the lists in
// ban.go.
package validate
