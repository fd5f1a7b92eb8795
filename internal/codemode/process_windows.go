package codemode

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Halt and Resume do nothing: Windows does not stop a process. A script that waits for a person has sent its call and
// waits for the answer.
func (w *process) Halt()   {}
func (w *process) Resume() {}

// closeOnExec does nothing: a program of Windows inherits the handles alone that it is given.
func closeOnExec(int) {}

// lifeline gives a process no console. A worker watches the process that started it, and ends with it.
func lifeline() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}
