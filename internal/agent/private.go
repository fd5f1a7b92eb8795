package agent

import (
	"path"
	"slices"
)

// PrivatePaths returns the files and folders in which the agents keep settings, sessions and keys. The paths are
// relative to the user's home and have slashes. They include the settings that name programs which the agent starts.
//
// If a variable can move a folder, PrivatePaths contains only its usual path. For folders in [XDG] and [Apps] it
// contains the path on Linux.
func PrivatePaths() []string {
	var all []string
	for _, a := range All() {
		all = append(all, a.privatePaths()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// privatePaths returns the private paths of one agent.
func (a *Agent) privatePaths() []string {
	all := append([]string{a.Home.onLinux()}, a.Private...)
	if a.Hooks != nil {
		all = append(all, a.HookFolder().onLinux())
	}
	if a.Servers == nil {
		return all
	}
	folder := a.ServerFolder().onLinux()
	if folder != "." { // otherwise the files are in the user's home itself
		return append(all, folder)
	}
	for _, scope := range []Scope{User, Local} {
		for _, name := range a.Servers.Files[scope].Names {
			all = append(all, path.Join(folder, name))
		}
	}
	return all
}

// onLinux returns the path of a folder below the user's home, if no variable moves it.
func (f Folder) onLinux() string {
	if f.Base == Home {
		return path.Clean(f.Path)
	}
	return path.Join(".config", f.Path)
}
