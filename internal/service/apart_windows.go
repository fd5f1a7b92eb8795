package service

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// apart has a process begin without a console and in a group of its own, which Ctrl-C does not reach.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}
