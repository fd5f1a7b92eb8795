//go:build !linux || (!amd64 && !arm64)

package worker

import "errors"

// confine has nothing to give up here: the worker is a process of its own, with an
// empty environment, and no more.
func confine(Options) []Layer {
	err := errors.New("not available on this system")
	return []Layer{layer("limits", err), layer("landlock", err), layer("seccomp", err)}
}
