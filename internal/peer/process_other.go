//go:build !linux

package peer

import (
	"net"
	"strconv"
)

// Self returns the zero value: process lookups are not implemented on this system.
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

// Credentials always returns zero values on this system.
func Credentials(net.Conn) (uid int, p Process, known bool) { return 0, Process{}, false }

// Ancestor finds nothing: process lookups are not implemented on this system.
func Ancestor(func(name string, args []string) bool) (Process, bool) { return Process{}, false }

// String returns the process id.
func (p Process) String() string { return "pid " + strconv.Itoa(p.PID) }
