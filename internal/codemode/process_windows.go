package codemode

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Halt and Resume do nothing, because Windows cannot suspend a process. A script whose call waits
// for a person waits for the answer anyway.
func (w *process) Halt()   {}
func (w *process) Resume() {}

// closeOnExec does nothing: on Windows a program inherits only the handles that it is given.
func closeOnExec(int) {}

// workerAttributes starts a process without a console. The worker watches its parent process and ends with
// it.
func workerAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}
