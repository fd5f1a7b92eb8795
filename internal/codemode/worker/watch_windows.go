package worker

import (
	"os"

	"golang.org/x/sys/windows"
)

// watch ends the process when its host is gone, whatever the script does. Until there is a script, the end of the pipe
// tells. A host that cannot be opened is gone.
func watch(host int) {
	if process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(host)); err == nil {
		_, _ = windows.WaitForSingleObject(process, windows.INFINITE)
	}
	os.Exit(1)
}
