package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mcpproxy/internal/config"
)

// checkLog says whether the activity log can be written.
func checkLog(_ context.Context, _ Installation, c *config.Config, f *Checkup) {
	result := Check{
		Section: "Activity log",
		Name:    "writable",
		OK:      true,
		Detail:  c.LogPath(),
	}
	log, err := os.OpenFile(c.LogPath(), os.O_WRONLY, 0)
	if err == nil {
		err = log.Close()
	} else if errors.Is(err, os.ErrNotExist) {
		err = canMake(c.DataDir)
	}
	if err != nil {
		result.OK = false
		result.Detail = err.Error()
		result.Advice = "give your user the right to write to " + c.DataDir + ", or set another data_dir"
	}
	f.add(result)
}

// canMake reports why no file can be made in a folder, which may be still to make.
func canMake(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
		return canMake(filepath.Dir(dir))
	}
	file, err := os.CreateTemp(dir, ".mcpproxy-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
