package service

import (
	"os"
	"path/filepath"
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

// systemPath are the folders that every service searches.
var systemPath = func() []string {
	root := os.Getenv("SystemRoot")
	if root == "" {
		root = `C:\Windows`
	}
	return []string{filepath.Join(root, "System32"), root, filepath.Join(root, "System32", "WindowsPowerShell", "v1.0")}
}()
