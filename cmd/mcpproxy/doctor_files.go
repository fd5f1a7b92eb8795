package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// private are the files of the data folder that nobody else may read or write.
var private = []string{"tokens.json", "trust.json", "activity.db", ledger.KeyFile}

// checkFiles says whether what is the owner's alone can be reached by others.
func checkFiles(_ context.Context, g *globals, c *config.Config, f *checkup) {
	if info, err := os.Stat(g.config); err == nil && c.APIKey != "" {
		f.onlyOwners("configuration", g.config, info)
	}
	dir, err := os.Stat(c.DataDir)
	if err != nil {
		return // there is nothing yet
	}
	f.onlyOwners("data folder", c.DataDir, dir)
	if socket, err := os.Lstat(c.SocketPath()); err == nil && c.EnableSocket {
		f.onlyOwners("socket", c.SocketPath(), socket)
	}
	if dir.Mode().Perm()&0o077 == 0 {
		return // nobody else reaches what is in it
	}
	for _, name := range private {
		path := filepath.Join(c.DataDir, name)
		if info, err := os.Lstat(path); err == nil {
			f.onlyOwners(name, path, info)
		}
	}
}

// onlyOwners looks at the owner and the mode of one file.
func (f *checkup) onlyOwners(name, path string, info fs.FileInfo) {
	result := check{Section: "Files", Name: name, OK: true, Detail: fmt.Sprintf("%s is yours alone", path)}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		mode := "600"
		if info.IsDir() {
			mode = "700"
		}
		result.OK, result.Detail = false, fmt.Sprintf("%s is open to others (mode %04o)", path, info.Mode().Perm())
		result.Advice = fmt.Sprintf("run `chmod %s %s`", mode, path)
	}
	if uid, known := ownerOf(info); known && uid != os.Getuid() {
		result.OK, result.Detail = false, fmt.Sprintf("%s belongs to another user (uid %d)", path, uid)
		result.Advice = fmt.Sprintf("run `sudo chown %d %s`, or run mcpproxy as the user whom it belongs to", os.Getuid(), path)
	}
	f.add(result)
}

// ownerOf is the user whom a file belongs to, where the system knows users by number.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// maxWalked is the size of the largest log whose chain doctor walks, in bytes.
const maxWalked = 64 << 20

// checkChain walks the chain of the log's records.
func checkChain(ctx context.Context, _ *globals, c *config.Config, f *checkup) {
	result := check{Section: "Activity log", Name: "chain"}
	info, err := os.Stat(c.LogPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err == nil && info.Size() > maxWalked:
		result.OK, result.Grade = true, gradeBetter
		result.Detail, result.Advice = fmt.Sprintf("not looked at: the log has %d MB", info.Size()>>20), "run `mcpproxy activity verify`, which takes a while"
		f.add(result)
		return
	}
	store, err := sqlite.Open(ctx, c.LogPath())
	if err != nil {
		result.Detail, result.Advice = err.Error(), "run `mcpproxy activity verify`"
		f.add(result)
		return
	}
	defer store.Close()
	report, err := store.Verify(ctx)
	switch {
	case err != nil:
		result.Detail, result.Advice = err.Error(), "run `mcpproxy activity verify`"
	case !report.OK:
		result.Detail, result.Advice = fmt.Sprintf("record %s does not hold: %s", report.BadID, report.Problem), "somebody changed the log: compare it with an export, and keep a copy before anything else"
	default:
		result.OK, result.Detail = true, fmt.Sprintf("%d records hold, up to %.16s", report.Records, report.Head)
	}
	f.add(result)
}
