package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/atomicfile"
)

// Manager is the service manager of the system, for one user or for the whole system.
type Manager struct {
	System   bool   // a service of the system, not of a user
	Home     string // the user's home folder
	UserName string // name of that user
	UID      int    // number of that user
	Log      string // path of the service's log, if the manager keeps no log

	platform platform
	run      func(ctx context.Context, line []string) (string, error)
	scm      controlManager // Windows's manager, which is called and reads no files; nil elsewhere
}

// controlManager is the interface of the service control manager of Windows.
type controlManager interface {
	install(m *Manager, s Spec) error
	uninstall(ctx context.Context) error
	installed() bool
	runs(config string) bool
	named() (paths []string) // the program and the folders of PATH that are recorded
	control(ctx context.Context, v verb) error
	ask(s *Status) error
}

// verb is an operation on a service. The commands of installed run after the service file is
// written. The commands of removing and removed run before and after it is deleted.
type verb int

const (
	installed verb = iota
	removing
	removed
	started
	stopped
	restarted
)

// platform is the interface of one kind of service manager.
type platform interface {
	file(m *Manager) string
	text(s Spec) (string, error)
	named(text string) (paths []string) // the program and the folders of PATH in a service file
	commands(m *Manager, v verb) [][]string
	ask(ctx context.Context, m *Manager, s *Status) error
	logs(m *Manager, lines int, follow bool) []string
}

// ErrUnsupported says that mcpproxy supports no service manager of this system.
var ErrUnsupported = errors.New("mcpproxy can install a service for systemd (Linux), launchd (macOS) and Windows only; " +
	"have this system's own manager run: mcpproxy serve")

// ErrNoSockets says that the manager of this system cannot pass sockets to mcpproxy.
var ErrNoSockets = errors.New("only systemd opens sockets for mcpproxy: launchd passes its own through a function of C, " +
	"which a program without cgo cannot call, and Windows passes none; install the service without --socket")

// ErrNotInstalled says that the service is not installed.
var ErrNotInstalled = errors.New("no service is installed; install one with: mcpproxy service install")

// On returns the service manager of an operating system, such as linux or darwin.
func On(system string, m Manager) (*Manager, error) {
	switch system {
	case "linux":
		m.platform = systemd{}
	case "darwin":
		m.platform = launchd{}
	case "windows":
		m.platform = windowsService{}
		if m.scm = newControlManager(); m.scm == nil {
			return nil, ErrUnsupported
		}
	default:
		return nil, ErrUnsupported
	}
	m.run = run
	return &m, nil
}

// File returns the path of the service's file.
func (m *Manager) File() string { return m.platform.file(m) }

// Text returns the content of the service's file.
func (m *Manager) Text(s Spec) (string, error) {
	for _, word := range slices.Concat([]string{s.Program, s.Config, s.Home, s.User, s.Log}, s.Path, s.Sockets) {
		if strings.ContainsAny(word, "\n\r\x00") {
			return "", fmt.Errorf("a path with a line break cannot be written into a service: %q", word)
		}
	}
	if _, unit := m.platform.(systemd); len(s.Sockets) > 0 && !unit {
		return "", ErrNoSockets
	}
	return m.platform.text(s)
}

// Texts returns the contents of all files of the service, by their paths.
func (m *Manager) Texts(s Spec) (map[string]string, error) {
	text, err := m.Text(s)
	if err != nil {
		return nil, err
	}
	files := map[string]string{m.File(): text}
	if len(s.Sockets) > 0 {
		if files[socketFile(m)], err = socketText(s); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Install writes the service's file and starts the service. The manager also starts it at every
// boot or login.
func (m *Manager) Install(ctx context.Context, s Spec) error {
	files, err := m.Texts(s)
	if err != nil {
		return err
	}
	if m.scm != nil {
		return m.scm.install(m, s)
	}
	file := m.File()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making the folder of services: %w", err)
	}
	_, before := os.Stat(file)
	if before == nil { // launchd reads a file only once, so unload the old service first
		_ = m.each(ctx, removing)
	}
	if err := m.dropSockets(); err != nil {
		return err
	}
	for path, text := range files {
		if err := atomicfile.WriteBytes(path, 0o644, []byte(text)); err != nil {
			return fmt.Errorf("writing the service: %w", err)
		}
	}
	if err := m.each(ctx, installed); err != nil {
		if errors.Is(before, fs.ErrNotExist) {
			for path := range files {
				_ = os.Remove(path)
			}
			return fmt.Errorf("the service was not installed: %w", m.helped(err))
		}
		return fmt.Errorf("the service was written to %s and does not run: %w", file, err)
	}
	return nil
}

// helped adds advice to the error if systemd runs no manager for the user, as in most containers and after su without
// a login.
func (m *Manager) helped(err error) error {
	if m.System || !strings.Contains(err.Error(), "Failed to connect to bus") {
		return err
	}
	return fmt.Errorf("%w: systemd runs no manager for you here; log in to get one, or start mcpproxy without it: mcpproxy start", err)
}

// Uninstall stops the service and removes its file. It returns [ErrNotInstalled] if
// no service is installed.
func (m *Manager) Uninstall(ctx context.Context) error {
	if !m.Installed() {
		return ErrNotInstalled
	}
	if m.scm != nil {
		return m.scm.uninstall(ctx)
	}
	stopping := m.each(ctx, removing)
	if err := errors.Join(m.dropSockets(), os.Remove(m.File())); err != nil {
		return errors.Join(stopping, err)
	}
	// The service is stopped or was not running, and its file is gone.
	return m.each(ctx, removed)
}

// dropSockets removes the unit of sockets of an earlier installation, if there is one.
func (m *Manager) dropSockets() error {
	if file := socketFile(m); file != "" {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the unit of sockets: %w", err)
		}
	}
	return nil
}

// Installed reports whether the service is installed.
func (m *Manager) Installed() bool {
	if m.scm != nil {
		return m.scm.installed()
	}
	_, err := os.Stat(m.File())
	return err == nil
}

// Runs reports whether the installed service runs the daemon with a given configuration file.
func (m *Manager) Runs(config string) bool {
	if m.scm != nil {
		return m.scm.runs(config)
	}
	raw, err := os.ReadFile(m.File())
	if err != nil {
		return false
	}
	as, err := m.platform.text(Spec{Config: config})
	if err != nil {
		return false
	}
	for line := range strings.Lines(as) { // the line of the file that contains the path, or part of it
		_, word, holds := strings.Cut(line, "--config ")
		if !holds && strings.Contains(line, config) {
			word, holds = line, true
		}
		if holds {
			return bytes.Contains(raw, []byte(strings.TrimSpace(word)))
		}
	}
	return false
}

// Gone returns the program and the folders of PATH that the service file names and that no longer
// exist. The system's own folders are omitted, because not every system has all of them.
func (m *Manager) Gone() []string {
	var named, out []string
	if m.scm != nil {
		named = m.scm.named()
	} else if raw, err := os.ReadFile(m.File()); err == nil {
		named = m.platform.named(string(raw))
	}
	for _, path := range named {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !slices.Contains(systemPath, path) {
			out = append(out, path)
		}
	}
	return out
}

// Start starts the installed service. Stop and Restart do the same.
func (m *Manager) Start(ctx context.Context) error   { return m.each(ctx, started) }
func (m *Manager) Stop(ctx context.Context) error    { return m.each(ctx, stopped) }
func (m *Manager) Restart(ctx context.Context) error { return m.each(ctx, restarted) }

// each runs the commands of a verb in order.
func (m *Manager) each(ctx context.Context, v verb) error {
	if m.scm != nil {
		return m.scm.control(ctx, v)
	}
	for _, line := range m.platform.commands(m, v) {
		if _, err := m.run(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// Status is the manager's report on the service.
type Status struct {
	File      string `json:"file"`
	Installed bool   `json:"installed"`
	Enabled   bool   `json:"enabled"` // the service starts automatically
	Running   bool   `json:"running"`
	// WithoutLogin says that the service starts at boot, before its user logs in.
	WithoutLogin bool `json:"without_login"`
	// Activated says that the manager opens the service's sockets.
	Activated bool   `json:"socket_activation"`
	State     string `json:"state"`
	PID       int    `json:"pid,omitempty"`
	Restarts  int    `json:"restarts"`
}

// Status asks the manager about the service. If the service is not installed, Status does not ask.
func (m *Manager) Status(ctx context.Context) (Status, error) {
	s := Status{File: m.File(), Installed: m.Installed(), State: "not installed"}
	if !s.Installed {
		return s, nil
	}
	s.State, s.Activated = "", m.Activated()
	if m.scm != nil {
		return s, m.scm.ask(&s)
	}
	return s, m.platform.ask(ctx, m, &s)
}

// Logs returns the command line that prints the last lines of the service's log, or nil if the
// manager keeps no log and the service writes to the file Log. With follow, the command continues
// with new lines.
func (m *Manager) Logs(lines int, follow bool) []string { return m.platform.logs(m, lines, follow) }

// run runs a command and returns its output. An error contains the command's standard error.
func run(ctx context.Context, line []string) (string, error) {
	return output(exec.CommandContext(ctx, line[0], line[1:]...))
}

func output(cmd *exec.Cmd) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	if why := strings.TrimSpace(said.String()); why != "" {
		err = errors.New(why)
	}
	return out.String(), fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
}

// Run runs a command with an environment and waits for its end. An error contains the command's
// standard error.
func Run(ctx context.Context, line, env []string) error {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = env
	_, err := output(cmd)
	return err
}

// configFolder returns the folder of the user's settings (XDG Base Directory Specification).
func (m *Manager) configFolder() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(m.Home, ".config")
}

// Files returns the service's files, for the user with that home folder and for the system. A
// change to one of them changes what the service runs.
func Files(home string) []string {
	var out []string
	for _, m := range everywhere(home) {
		file := m.File()
		out = append(out, file)
		if _, unit := m.platform.(systemd); unit {
			at := filepath.Dir(file)
			for _, target := range []string{"default.target.wants", "multi-user.target.wants"} {
				out = append(out, filepath.Join(at, target, unitName))
			}
			out = append(out, filepath.Join(at, socketUnitName), filepath.Join(at, "sockets.target.wants", socketUnitName))
		}
	}
	return out
}

// Overrides returns the folders in which every file can change the service, whatever its name
// (systemd.unit(5)).
func Overrides(home string) []string {
	var out []string
	for _, m := range everywhere(home) {
		if _, unit := m.platform.(systemd); unit {
			out = append(out, m.File()+".d", filepath.Join(filepath.Dir(m.File()), socketUnitName+".d"))
		}
	}
	return out
}

// everywhere returns the managers of all systems, for the user and for the system.
func everywhere(home string) []*Manager {
	var out []*Manager
	for _, p := range []platform{systemd{}, launchd{}} {
		for _, system := range []bool{false, true} {
			out = append(out, &Manager{
				System:   system,
				Home:     home,
				platform: p,
				run:      run,
			})
		}
	}
	return out
}
