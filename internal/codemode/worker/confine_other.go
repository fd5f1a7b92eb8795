//go:build !linux || (!amd64 && !arm64)

package worker

import "errors"

// confine does nothing on this system: the worker is a separate process with an empty environment,
// without further confinement.
func confine(Options) []Layer {
	err := errors.New("not available on this system")
	return []Layer{layer("limits", err), layer("landlock", err), layer("seccomp", err)}
}
