package service

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// apart starts a process without a console and in its own group, so that Ctrl-C does not reach it.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}
