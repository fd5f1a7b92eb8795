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

// noIsolation is the value of --isolation that confines nothing.
const noIsolation = "none"

// needsSockets are programs that do nothing but talk to a service over a Unix socket, and that service does whatever
// it is asked. Confinement would stop them and protect nothing.
var needsSockets = []string{"docker", "podman", "nerdctl"}

// newIsolation is the isolation with which a new server is written into the configuration.
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
