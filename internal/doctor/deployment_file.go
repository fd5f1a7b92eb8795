package doctor

import (
	"errors"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
)

// filePoint checks whether other users can change the configuration. If they can, they can send
// environment variables to their own address with ${env:…}.
func filePoint(at Installation, _ *config.Config, _ *Checkup) Check {
	const name = "file permissions"
	err := atomicfile.CheckWriters(at.File)
	if e, ok := errors.AsType[*atomicfile.AccessError](err); ok {
		return broken(
			name,
			"",
			"run `"+e.Remedy+"`",
			"%s %s: whoever changes the configuration can run programs and send your environment variables anywhere",
			e.Path,
			e.Problem,
		)
	}
	if err != nil {
		return well(name, "", "there is no file to check")
	}
	if e, ok := errors.AsType[*atomicfile.AccessError](atomicfile.CheckReaders(at.File)); ok {
		return better(name, "", "run `"+e.Remedy+"`", "%s %s, and so can the keys in it", e.Path, e.Problem)
	}
	return well(name, "", "only its owner can change or read %s", at.File)
}
