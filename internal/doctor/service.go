package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mcpproxy/internal/config"
	"mcpproxy/internal/service"
)

// managerPatience is the timeout for the system's service manager.
const managerPatience = 5 * time.Second

// checkService checks whether the daemon starts again after a reboot: by a service, or by the
// agents that start it.
func checkService(ctx context.Context, at Installation, c *config.Config, f *Checkup) {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	self := service.Manager{Home: home, UID: os.Getuid()}
	if u, err := user.Current(); err == nil {
		self.UserName = u.Username
	}
	for _, system := range []bool{true, false} {
		self.System = system
		m, err := service.On(runtime.GOOS, self)
		if err == nil && m.Installed() {
			f.checkInstalledService(ctx, at, m)
			return
		}
	}
	if service.PackagedEnabled(home) {
		f.add(Check{
			Section: "Service",
			Name:    "after a reboot",
			OK:      true,
			Detail:  "mcpproxy starts at your login (" + service.PackagedFile + ")",
		})
		return
	}
	check := Check{
		Section: "Service",
		Name:    "after a reboot",
		Detail:  "nothing starts mcpproxy, and agents go on without it",
		Advice:  "run `mcpproxy service install`, or set autostart to true",
		Key:     "autostart",
	}
	switch _, err := service.On(runtime.GOOS, self); {
	case c.Autostart:
		check.OK = true
		check.Detail = "the first agent that needs mcpproxy starts it (autostart)"
		check.Advice, check.Key = "", ""
		f.add(check)
		return
	case err != nil || !managed():
		check.Advice = "have this system's own manager run `mcpproxy serve`, or set autostart to true"
	}
	f.advise(true, check)
}

// managed reports whether the service manager's program exists.
func managed() bool {
	_, systemd := exec.LookPath("systemctl")
	_, launchd := exec.LookPath("launchctl")
	return systemd == nil || launchd == nil
}

// checkInstalledService checks an installed service.
func (f *Checkup) checkInstalledService(ctx context.Context, at Installation, m *service.Manager) {
	check := Check{Section: "Service", Name: "after a reboot", OK: true}
	file, err := filepath.Abs(at.File)
	if err == nil && !m.Runs(file) {
		check.Detail = m.File() + " runs mcpproxy with another configuration than " + file
		check.Advice = "run `mcpproxy service install` to have it run with this one"
		f.advise(true, check)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, managerPatience)
	defer cancel()
	s, err := m.Status(ctx)
	if err != nil {
		check.Detail = fmt.Sprintf("%s is installed, and its manager does not answer: %v", m.File(), err)
		check.Advice = "look at it with `mcpproxy service status`"
		f.advise(true, check)
		return
	}
	check.Detail = fmt.Sprintf("mcpproxy starts with the machine (%s)", m.File())
	if !s.WithoutLogin {
		check.Detail = fmt.Sprintf("mcpproxy starts at your login (%s)", m.File())
	}
	if !s.Enabled {
		check.OK = false
		check.Detail = m.File() + " is installed and not enabled: mcpproxy does not come back"
		check.Advice = "run `mcpproxy service install`"
	}
	f.add(check)
	f.checkServicePrograms(m)
	f.checkServiceRuns(s)
}

// checkServicePrograms checks that the folders and the program in the service file still exist. A
// version manager may have moved them.
func (f *Checkup) checkServicePrograms(m *service.Manager) {
	if gone := m.Gone(); len(gone) > 0 {
		f.add(Check{
			Section: "Service",
			Name:    "programs",
			Detail:  "the service file contains paths that no longer exist: " + strings.Join(gone, ", "),
			Advice:  "run `mcpproxy service install` again",
		})
	}
}

// checkServiceRuns compares the service with the running daemon.
func (f *Checkup) checkServiceRuns(s service.Status) {
	switch {
	case s.Running:
	case f.running != nil:
		f.advise(true, Check{
			Section: "Service",
			Name:    "running",
			Detail:  "the running daemon was not started by the service",
			Advice:  "run `mcpproxy restart`, so that the service runs it",
		})
	default:
		f.add(Check{
			Section: "Service",
			Name:    "running",
			Detail:  "the service does not run: " + s.State,
			Advice:  "see why with `mcpproxy service logs`, then run `mcpproxy start`",
		})
	}
}
