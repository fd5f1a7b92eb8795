package worker

import (
	"os"

	"golang.org/x/sys/windows"
)

// watch ends the process when its host has ended, whatever the script does. Before a script
// arrives, the end of the pipe shows this. A host process that cannot be opened counts as ended.
func watch(host int) {
	if process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(host)); err == nil {
		_, _ = windows.WaitForSingleObject(process, windows.INFINITE)
	}
	os.Exit(1)
}
