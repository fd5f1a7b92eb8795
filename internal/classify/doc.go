// Package classify determines the side of servers and tools (internal or external), and the operation of a call
// (read, write or destructive).
//
// Configuration decides first, then the server's annotations, then names. A name is split into tokens: "postgres-db"
// has the tokens postgres and db. Tokens are compared as a whole, so "classes-api" does not contain "ses". A tool
// refines the class of its server: a mail server is internal when a tool reads and external when a tool sends.
//
// Every class has a confidence and the method that found it. Annotations are claims of the server, so they decide
// only if the name does not tell what the tool does: a call with a dangerous name stays dangerous.
//
// The arguments take precedence over names ([Classifier.Arguments]): a statement that drops a table, action=delete or
// the method DELETE make a call destructive, whatever the tool's name is. Each observation has a JSON path and
// contains no user data. If databases parse a statement differently, each way of parsing it counts. The cost is
// linear in the length of the arguments.
//
// Sources: RFC-004 phases 4a and 4c; spec-027, FR-001 to FR-006.
package classify
