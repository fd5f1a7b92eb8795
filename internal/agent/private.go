package agent

import (
	"path"
	"slices"
)

// PrivatePaths returns the files and folders in which the agents keep settings, sessions and
// keys, below the user's folder and with slashes. An agent's settings name the programs
// that it starts.
//
// Of a folder that a variable can move it names the usual place, and of one in [XDG] or
// [Apps] the place on Linux.
func PrivatePaths() []string {
	var all []string
	for _, a := range All() {
		all = append(all, a.privatePaths()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// privatePaths returns the agent's own.
func (a *Agent) privatePaths() []string {
	all := append([]string{a.Home.onLinux()}, a.Private...)
	if a.Hooks != nil {
		all = append(all, a.HookFolder().onLinux())
	}
	if a.Servers == nil {
		return all
	}
	folder := a.ServerFolder().onLinux()
	if folder != "." { // else files in the user's folder itself
		return append(all, folder)
	}
	for _, scope := range []Scope{User, Local} {
		for _, name := range a.Servers.Files[scope].Names {
			all = append(all, path.Join(folder, name))
		}
	}
	return all
}

// onLinux returns the folder below the user's, where no variable moves it.
func (f Folder) onLinux() string {
	if f.Base == Home {
		return path.Clean(f.Path)
	}
	return path.Join(".config", f.Path)
}
