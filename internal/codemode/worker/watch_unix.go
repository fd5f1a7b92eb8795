//go:build unix

package worker

import (
	"os"
	"syscall"
	"time"
)

// watch ends the process when its host has ended, whatever the script does. Before a script
// arrives, the end of the pipe shows this.
func watch(host int) {
	for range time.Tick(time.Second) {
		if syscall.Getppid() != host {
			os.Exit(1)
		}
	}
}
