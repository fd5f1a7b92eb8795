// Package hub receives the activity logs that machines send: it is the part of a hub's HTTP service
// that serves machines.
//
// A machine enrolls with a one-time token and signs every later request with its key. A [Handler] keeps
// nothing in memory between two requests: several hubs can work on one database. It checks the age and
// the signature of a request before it reads the records in it, and refuses requests that it has seen,
// records that the machine has not signed, and records that contradict those that came before.
package hub
