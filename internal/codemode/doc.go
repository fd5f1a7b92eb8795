// Package codemode runs agents' scripts. A script is TypeScript or JavaScript that calls many
// tools. The data that moves between these tools need not pass through the agent.
//
// [Host.Execute] passes a script through the gate and starts a separate worker process for it (see
// package worker; an [Engine] starts the processes). It then serves the script's requests until the
// script ends or its time is over. [Host.Search] finds tools for agents.
//
//	codemode.go   the host and its limits       dispatch.go  requests of a script
//	run.go        one execution                 group.go     the lock on a strict group
//	engine.go     workers                       stash.go     values between executions
//	clock.go      the execution's time          unwrap.go    results as scripts see them
//	room.go       slots for executions          stored.go    the owner's own scripts
//	rest.go       pauses while people decide    types.go     tools as TypeScript
//	queue.go      receives and serves calls     schema.go    the types that a schema describes
//	search.go     the search tool
//
// For each system, pipe_*.go connects the host to a worker, and life_*.go ends a worker with its
// host.
//
// Guarantee: every call of a script passes the gate, with the script's own record as its parent and
// in its caller's flow session. There is no other path from a script to a server. The host enforces
// every limit and does not rely on the worker: a worker that violates the protocol is ended.
package codemode
