//go:build !linux

package peer

import (
	"net"
	"strconv"
)

// Self is no process: this system is not asked about processes.
func Self() Process { return Process{} }

func find(int) Process                         { return Process{} }
func look(int) (status, bool)                  { return status{}, false }
func (p Process) alive() bool                  { return false }
func (p Process) name() string                 { return "" }
func (p Process) ended() bool                  { return false }
func bootID() string                           { return "" }
func (p Process) args() []string               { return nil }
func (p Process) cgroup() string               { return "" }
func (p Process) lineage() lineage             { return lineage{} }
func (p Process) traced() bool                 { return false }
func (p Process) children() []int              { return nil }
func reaps(int) bool                           { return false }
func now() uint64                              { return 0 }
func owner(_, _ net.Addr) (Process, []Process) { return Process{}, nil }

// Credentials are not known here.
func Credentials(net.Conn) (uid int, p Process, known bool) { return 0, Process{}, false }

// Ancestor finds none: this system is not asked about processes.
func Ancestor(func(name string, args []string) bool) (Process, bool) { return Process{}, false }

// String is the process's identifier.
func (p Process) String() string { return "pid " + strconv.Itoa(p.PID) }
