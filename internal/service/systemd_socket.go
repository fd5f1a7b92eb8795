package service

import (
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// socketUnitName is the name of the unit whose sockets systemd opens for the service.
const socketUnitName = Name + ".socket"

// socketUnit is the template of the unit of sockets (systemd.socket(5)). systemd opens the sockets
// before it starts the daemon and keeps them open while it restarts the daemon, so a connection
// waits in that time instead of being refused.
var socketUnit = template.Must(template.New("socket").Funcs(template.FuncMap{"specifiers": escapeSpecifiers}).Parse(
	`# Written by: mcpproxy service install --socket. The next run of it replaces this file.
[Unit]
Description=Address and socket of mcpproxy

[Socket]
{{- range .Sockets}}
ListenStream={{specifiers .}}
{{- end}}
SocketMode=0600
DirectoryMode=0700
RemoveOnStop=yes
{{- if .User}}
SocketUser={{.User}}
{{- end}}

[Install]
WantedBy=sockets.target
`))

// escapeSpecifiers doubles the % that begins a specifier (systemd.unit(5)). ListenStream needs no other quoting.
func escapeSpecifiers(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// socketText returns the text of the unit of sockets.
func socketText(s Spec) (string, error) {
	var b strings.Builder
	err := socketUnit.Execute(&b, s)
	return b.String(), err
}

// socketFile returns the path of the unit of sockets, which is in the same folder as the service's unit.
func socketFile(m *Manager) string {
	if _, unit := m.platform.(systemd); !unit {
		return ""
	}
	return filepath.Join(filepath.Dir(m.File()), socketUnitName)
}

// Activated reports whether the manager opens the sockets of the installed service.
func (m *Manager) Activated() bool {
	file := socketFile(m)
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}
