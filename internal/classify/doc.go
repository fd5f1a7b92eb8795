// Package classify says where servers and tools stand (internal or external)
// and what a call does (read, write or destroy).
//
// Configuration decides first, then the server's annotations, then names. Names
// are read as tokens ("postgres-db" is postgres and db; "classes-api" holds no
// "ses"), never as substrings. A tool refines its server's class: a mail server
// is internal when it reads and external when it sends.
//
// Every answer carries its confidence and the method that found it. What a
// server says about itself (annotations) settles only names that say nothing: a
// call with a dangerous name stays dangerous.
//
// Arguments are the truth ([Classifier.Arguments]): a statement that drops a table,
// action=delete or the method DELETE make any call destructive, whatever the tool
// is called. What they say is told with JSON paths and shows no data of theirs.
// Every reading counts where databases read a statement differently. Reading takes
// time linear in what is sent.
//
// Sources: RFC-004 phases 4a and 4c; spec-027, FR-001 to FR-006.
package classify
