// Package version returns the version of this program.
package version

import "runtime/debug"

// linked is set by the linker: -X mcpproxy/internal/version.linked=v1.2.3.
var linked = ""

// String returns the version that the linker has set, or else the version of the Go module, or else "dev".
func String() string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
