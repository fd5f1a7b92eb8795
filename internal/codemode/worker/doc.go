// Package worker is the confined process that runs one script, and ends.
//
// The daemon starts its own binary again with [Argument] before all others, an
// environment that only sets local time to UTC, and two pipes. [Main] takes the process over: it gives up
// what a process may do (confine_linux.go), makes ready what is the same for every
// script, says which layers hold, waits for one script, checks it (package
// validate), runs exactly what the check returned in a QuickJS of bounded memory,
// and exits. What a script asks for goes to the host as frames; where every layer
// holds, the worker itself can open no file, start no program and reach no network.
//
// bootstrap.js is all that a script sees beside the language: forge and console.
// It takes eval and every constructor of code from text away, keeps its own hold
// of what it needs, so that a script that replaces JSON or Promise harms itself
// alone, and freezes what it offers.
//
// Nothing here is relied on for what a script may do: its host decides that, call
// by call. What the worker guarantees is that a script that breaks out of the
// language is still in a process that holds nothing.
package worker
