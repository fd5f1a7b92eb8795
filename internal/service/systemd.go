package service

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

// systemd manages services on Linux (systemd.unit(5), systemctl(1)).
type systemd struct{}

// unitName is the name of the service's unit.
const unitName = Name + ".service"

// unitFolder is the folder for units that the system's owner has written.
const unitFolder = "/etc/systemd/system"

func (systemd) file(m *Manager) string {
	if m.System {
		return filepath.Join(unitFolder, unitName)
	}
	return filepath.Join(m.configFolder(), "systemd", "user", unitName)
}

// unit is the template of both units.
//
// A daemon that cannot use its configuration, its data folder or its files would fail again after a
// restart, so these exit codes (3, 4, 5) prevent restarts.
//
// KillMode=mixed lets the daemon end its servers in order; systemd kills the rest. With
// OOMPolicy=continue, a server that runs out of memory does not end the daemon.
//
// The user's unit contains only settings that need no mount namespace. A user manager creates a
// mount namespace inside a user namespace (PrivateUsers), in which the daemon could not identify
// the process at the other end of a connection. The system's unit has a mount namespace. Neither
// unit forbids memory that is both writable and executable, or namespaces: Node.js needs the former
// and browsers the latter.
var unit = template.Must(template.New("unit").Funcs(template.FuncMap{"quote": quoteUnit}).Parse(
	`# {{.Origin}}
[Unit]
Description=mcpproxy, a firewall for AI agents
{{- if .User}}
After=network.target
{{- end}}
{{- if .Sockets}}
Requires={{.SocketUnit}}
After={{.SocketUnit}}
{{- end}}
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={{quote .Program true}} serve{{if .Config}} --config {{quote .Config true}}{{else}} --find-programs{{end}}
ExecReload=/bin/kill -HUP $MAINPID
{{- if .Path}}
Environment={{quote .PathLine false}}
{{- end}}
UnsetEnvironment=LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT
WorkingDirectory={{if .User}}~{{else}}%h{{end}}
{{- if .User}}
User={{.User}}
{{- end}}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=3 4 5
WatchdogSec=60
TimeoutStartSec=90
TimeoutStopSec=30
KillMode=mixed
OOMPolicy=continue

NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
{{- if .User}}
CapabilityBoundingSet=
ProtectSystem=full
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
{{- end}}

[Install]
WantedBy={{if .User}}multi-user.target{{else}}default.target{{end}}
`))

func (systemd) text(s Spec) (string, error) {
	return s.unit("Written by: mcpproxy service install. The next run of it replaces this file.")
}

// unit returns the text of a unit with a comment about its origin.
func (s Spec) unit(origin string) (string, error) {
	var b strings.Builder
	err := unit.Execute(&b, struct {
		Spec
		PathLine   string
		Origin     string
		SocketUnit string
	}{s, "PATH=" + strings.Join(s.Path, ":"), origin, socketUnitName})
	return b.String(), err
}

// PackagedFile is the path at which a package installs the unit of [PackagedUnit].
const PackagedFile = "/usr/lib/systemd/user/" + unitName

// PackagedUnit returns the unit that a system package installs for all users. Each user enables it
// separately, and it runs the daemon with that user's configuration. It cannot record a PATH, so it
// sets none: the daemon gets that of the user's manager (environment.d(5)) and adds the folders of
// [HomePath]. A service of [Manager.Install], which records the PATH of the user's shell, takes
// precedence.
func PackagedUnit(program string) (string, error) {
	s := Spec{Program: program}
	return s.unit("Part of the package. Your own, with the folders of your programs: mcpproxy service install")
}

// PackagedEnabled reports whether the user with that home folder has enabled the unit of a package.
func PackagedEnabled(home string) bool {
	own := (&Manager{Home: home, platform: systemd{}}).File()
	link, err := os.Readlink(filepath.Join(filepath.Dir(own), "default.target.wants", unitName))
	return err == nil && (link == PackagedFile || link == "/lib/systemd/user/"+unitName)
}

// quoteUnit quotes a word of a unit file. % and, in a command line, $ are escaped by doubling
// (systemd.unit(5), systemd.service(5)).
func quoteUnit(s string, command bool) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s)
	if command {
		s = strings.ReplaceAll(s, `$`, `$$`)
	}
	return `"` + s + `"`
}

func (systemd) named(text string) (paths []string) {
	plain := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `%%`, `%`)
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "ExecStart":
			program, _, _ := strings.Cut(strings.TrimPrefix(value, `"`), `" serve `)
			paths = append(paths, strings.ReplaceAll(plain.Replace(program), "$$", "$"))
		case "Environment":
			list := strings.TrimPrefix(strings.Trim(value, `"`), "PATH=")
			paths = append(paths, filepath.SplitList(plain.Replace(list))...)
		}
	}
	return paths
}

// systemctl returns a command line for the manager of the user or of the system.
func systemctl(m *Manager, command string, args ...string) []string {
	if m.System {
		return append([]string{"systemctl", command}, args...)
	}
	return append([]string{"systemctl", "--user", command}, args...)
}

// commands returns the command lines of a verb. The unit of sockets stops first, because a connection
// to one of them would start the daemon again.
func (systemd) commands(m *Manager, v verb) [][]string {
	reload, units := systemctl(m, "daemon-reload"), []string{unitName}
	if m.Activated() {
		units = []string{socketUnitName, unitName}
	}
	switch v {
	case installed:
		return [][]string{reload, systemctl(m, "enable", units...), systemctl(m, "restart", unitName)}
	case removing:
		return [][]string{systemctl(m, "disable", append([]string{"--now"}, units...)...)}
	case removed:
		return [][]string{reload}
	case started:
		return [][]string{systemctl(m, "start", unitName)}
	case stopped:
		return [][]string{systemctl(m, "stop", units...)}
	case restarted:
		return [][]string{systemctl(m, "restart", unitName)}
	}
	return nil
}

// lingering is the folder that lists the users whose manager runs without a login.
const lingering = "/var/lib/systemd/linger"

func (systemd) ask(ctx context.Context, m *Manager, s *Status) error {
	line := systemctl(m, "show", unitName, "--property=ActiveState,SubState,UnitFileState,MainPID,NRestarts,Result")
	out, err := m.run(ctx, line)
	if err != nil {
		return err
	}
	says := map[string]string{}
	for l := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), "=")
		says[key] = value
	}
	s.Running = says["ActiveState"] == "active" || says["ActiveState"] == "reloading"
	s.Enabled = strings.HasPrefix(says["UnitFileState"], "enabled")
	s.PID, _ = strconv.Atoi(says["MainPID"])
	s.Restarts, _ = strconv.Atoi(says["NRestarts"])
	s.State = says["ActiveState"]
	if sub := says["SubState"]; sub != "" {
		s.State += " (" + sub + ")"
	}
	if r := says["Result"]; r != "" && r != "success" {
		s.State += ": " + r
	}
	_, err = os.Stat(filepath.Join(lingering, m.UserName))
	s.WithoutLogin = s.Enabled && (m.System || m.UserName != "" && err == nil)
	return nil
}

func (systemd) logs(m *Manager, lines int, follow bool) []string {
	out := []string{"journalctl", "--no-pager", "--output=short-iso", fmt.Sprintf("--lines=%d", lines)}
	if m.System {
		out = append(out, "--unit="+unitName)
	} else {
		out = append(out, "--user-unit="+unitName)
	}
	if follow {
		out = append(out, "--follow")
	}
	return out
}
