package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	hookclient "mcpproxy/internal/hook/client"
)

// StartFile and StoppedFile are the files next to the socket that say whether hooks and bridges may
// start the daemon.
func StartFile(c *config.Config) string { return besideSocket(c, hookclient.StartFile) }

// StoppedFile exists after the user has stopped the daemon.
func StoppedFile(c *config.Config) string { return besideSocket(c, hookclient.StoppedFile) }

// MarkStopped records that the user stops the daemon, so that hooks and bridges do not start it. If
// stopped is false, it removes that record.
func MarkStopped(c *config.Config, stopped bool) error {
	path := StoppedFile(c)
	if stopped {
		return atomicfile.WriteBytes(path, 0o600, []byte("stopped by the user; mcpproxy start ends this\n"))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// markAutostart tells hooks, which do not read the configuration, how to start the daemon with the
// configuration file at path (autostart).
func markAutostart(path string, c *config.Config) error {
	file := StartFile(c)
	if !c.Autostart || path == "" {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	program, err := Program()
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	text, err := hookclient.StartText([]string{program, "start", "--config", path}, os.Getenv("PATH"))
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(file); err == nil && string(old) == text {
		return nil
	}
	return atomicfile.WriteBytes(file, 0o600, []byte(text))
}

// autostartMarked calls [markAutostart] and logs an error instead of returning it.
func autostartMarked(path string, c *config.Config) {
	if err := markAutostart(path, c); err != nil {
		slog.Error("hooks cannot be told how to start this daemon (autostart)", "error", err)
	}
}

// Program returns the absolute path of the running program by the name with which it was called.
// That name survives an update, while the file behind a link may not.
func Program() (string, error) {
	if found, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(found)
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of mcpproxy cannot be determined: %w", err)
	}
	return path, nil
}
