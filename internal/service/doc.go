// Package service keeps the daemon running, as a service of the system's service manager or as a
// background process that is started on demand.
//
// A [Manager] installs, removes and queries the service: a systemd unit of the user or of the
// system on Linux (systemd.go), a launchd agent or daemon on macOS (launchd.go). A [Spec] says what
// the service runs. It records the folders of PATH in which the programs of MCP servers were found
// at the installation ([SearchPath]): a manager starts its services with a minimal PATH, which
// rarely contains npx and uvx.
//
// [Background] starts the daemon without a manager. If several processes ask for it at the same
// time, one of them starts it and the others wait until it answers.
//
// [Notify] and [Watch] implement the daemon's side of systemd's protocol (sd_notify(3)).
//
// Guarantee: no function here starts a second daemon while one answers, and a service file is
// written whole or not at all.
package service
