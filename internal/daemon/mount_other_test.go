//go:build !linux

package daemon

import "errors"

func mountSmall(string, string) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }
