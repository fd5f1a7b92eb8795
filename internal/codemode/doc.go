// Package codemode runs agents' scripts. A script is TypeScript or JavaScript that calls many
// tools. The data that moves between these tools need not pass through the agent.
//
// [Host.Execute] takes a script through the gate and gives it a worker process of its own (see
// package worker; an [Engine] starts the processes). It then serves the script's requests until
// the script ends or its time is over. [Host.Search] finds tools for agents.
//
//	codemode.go   the host and its limits       dispatch.go  what a script asks for
//	run.go        one execution                 group.go     the lock on a strict group
//	engine.go     workers                       stash.go     values between executions
//	clock.go      time that can stand still     unwrap.go    results as scripts see them
//	room.go       places for executions         stored.go    the owner's own scripts
//	rest.go       when all waits for people     types.go     tools as TypeScript
//	queue.go      receives and serves calls     schema.go    the types that a schema describes
//	search.go     the search tool
//
// and for each system, pipe_*.go is what a worker is spoken to through, and life_*.go
// what ends it with its host.
//
// The guarantee: every call of a script passes the gate, with the script's own
// record as its parent and in its caller's flow session; there is no other way
// from a script to a server. Every limit is held here and none is left to the
// worker: whatever a worker sends, it gets no more than a script may have, and
// what it cannot have sent honestly ends it.
package codemode
