// Package version knows which version of mcpproxy this program is.
package version

import "runtime/debug"

// linked is set by the linker: -X mcpproxy/internal/version.linked=v1.2.3.
var linked = ""

// String returns the version that the program was linked with, else that of its module,
// else "dev".
func String() string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
