// Package service keeps the daemon running: as a service of the system's own manager, or
// as a process in the background that whoever needs it starts.
//
// A [Manager] installs, removes and asks about the service: a systemd unit of the user or
// of the system on Linux (systemd.go), a launchd agent or daemon on macOS (launchd.go). A
// [Spec] says what the service runs. It records the folders of PATH in which the programs
// of MCP servers were found at the installation ([SearchPath]): a manager starts its
// services with a minimal PATH, on which npx and uvx are seldom found.
//
// [Background] starts the daemon without a manager. However many processes ask for it at
// the same time, one of them starts it and the others wait until it answers.
//
// [Notify] and [Watch] are the daemon's side of systemd's protocol (sd_notify(3)).
//
// Guarantee: no function here starts a second daemon beside one that answers, and a
// service file is written whole or not at all.
package service
