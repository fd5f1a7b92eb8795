package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"mcpproxy/internal/config"
)

// isolationUsage is the help of the flag --isolation.
const isolationUsage = "standard hides your keys, browser profiles and mcpproxy's own files from a program; " +
	"none hides nothing"

// noIsolation is the value of --isolation that disables confinement.
const noIsolation = "none"

// needsSockets are programs that only talk to a service over a Unix socket, and that service
// executes whatever it is asked. Confining such a program would break it and protect nothing.
var needsSockets = []string{"docker", "podman", "nerdctl"}

// newIsolation returns the isolation settings for a new server.
func newIsolation(flag, command string) (*config.Isolation, error) {
	switch flag {
	case noIsolation:
		return nil, nil
	case config.StandardProfile:
	default:
		return nil, fmt.Errorf("invalid --isolation %q: must be %s or %s", flag, config.StandardProfile, noIsolation)
	}
	if command == "" || slices.Contains(needsSockets, filepath.Base(command)) {
		return nil, nil
	}
	return &config.Isolation{Profile: config.StandardProfile}, nil
}
