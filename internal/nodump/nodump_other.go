//go:build !linux && unix

package nodump

import (
	"fmt"
	"syscall"
)

// Set forbids core dumps.
func Set() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbidding core dumps: %w", err)
	}
	return nil
}

// Show does nothing, because Set hides nothing on this system.
func Show() error { return nil }
