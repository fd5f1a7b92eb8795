package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/ledger"
)

// private are the files in the data folder that only the owner may read or write.
var private = []string{"tokens.json", intake.File, "activity.db", ledger.KeyFile, ledger.HeadsFile}

// checkFiles checks whether other users can reach private files.
func checkFiles(_ context.Context, at Installation, c *config.Config, f *Checkup) {
	if info, err := os.Stat(at.File); err == nil && c.APIKey != "" {
		f.onlyOwners("configuration", at.File, info)
	}
	dir, err := os.Stat(c.DataDir)
	if err != nil {
		return // the folder does not exist yet
	}
	f.onlyOwners("data folder", c.DataDir, dir)
	if socket, err := os.Lstat(c.SocketPath()); err == nil && c.EnableSocket {
		f.onlyOwners("socket", c.SocketPath(), socket)
	}
	if dir.Mode().Perm()&0o077 == 0 {
		return // other users cannot open the folder
	}
	for _, name := range private {
		path := filepath.Join(c.DataDir, name)
		if info, err := os.Lstat(path); err == nil {
			f.onlyOwners(name, path, info)
		}
	}
}

// onlyOwners checks the owner and the mode of one file.
func (f *Checkup) onlyOwners(name, path string, info fs.FileInfo) {
	result := Check{
		Section: "Files",
		Name:    name,
		OK:      true,
		Detail:  fmt.Sprintf("only you can read and write %s", path),
	}
	uid, _, known := atomicfile.Owner(info)
	if !known { // the mode is meaningless on this system; checkPlatform reports it
		result.Detail = path + " exists; doctor cannot check on this system who else may read it"
		f.add(result)
		return
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		mode := "600"
		if info.IsDir() {
			mode = "700"
		}
		result.OK, result.Detail = false, fmt.Sprintf("%s is open to others (mode %04o)", path, info.Mode().Perm())
		result.Advice = fmt.Sprintf("run `chmod %s %s`", mode, path)
	}
	if uid != os.Getuid() {
		result.OK, result.Detail = false, fmt.Sprintf("%s belongs to another user (uid %d)", path, uid)
		result.Advice = fmt.Sprintf(
			"run `sudo chown %d %s`, or run mcpproxy as the user who owns it",
			os.Getuid(),
			path,
		)
	}
	f.add(result)
}
