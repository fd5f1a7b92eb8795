// Package worker is the confined process that runs one script and exits.
//
// The daemon starts its own binary again, with [Argument] as the first argument, an environment
// that only sets local time to UTC, and two pipes. [Main] then drops privileges (confine_linux.go),
// prepares what is the same for every script, reports which layers are active, waits for one
// script, checks it (package validate), runs exactly the text that the check returned in a QuickJS
// with limited memory, and exits. Requests of the script go to the host as frames. If every layer
// is active, the worker itself cannot open files, start programs or reach the network.
//
// bootstrap.js provides everything that a script sees in addition to the language: forge and
// console. It removes eval and every constructor of code from text, and freezes what it offers. It
// keeps private references to built-ins, so that a script that replaces JSON or Promise only
// affects itself.
//
// The host decides about every call and does not rely on the worker. The worker guarantees that a
// script that escapes from the language is still in a process without privileges.
package worker
