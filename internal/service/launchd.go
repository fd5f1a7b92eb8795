package service

import (
	"context"
	"encoding/xml"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

// launchd manages services on macOS (launchd.plist(5), launchctl(1)).
type launchd struct{}

func (launchd) file(m *Manager) string {
	if m.System {
		return "/Library/LaunchDaemons/" + Name + ".plist"
	}
	return filepath.Join(m.Home, "Library", "LaunchAgents", Name+".plist")
}

// plist is the template for a user's agent and for the system's daemon. launchd restarts a service
// that failed, but not one that was stopped.
var plist = template.Must(template.New("plist").Funcs(template.FuncMap{"xml": quoteXML}).Parse(
	`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by: mcpproxy service install. The next run of it replaces this file. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>mcpproxy</string>
  <key>ProgramArguments</key>
  <array>
    <string>{{xml .Program}}</string>
    <string>serve</string>
    <string>--config</string>
    <string>{{xml .Config}}</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>{{xml .PathLine}}</string>
  </dict>
{{- if .User}}
  <key>UserName</key>
  <string>{{xml .User}}</string>
{{- end}}
  <key>WorkingDirectory</key>
  <string>{{xml .Home}}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>StandardErrorPath</key>
  <string>{{xml .Log}}</string>
</dict>
</plist>
`))

func (launchd) text(s Spec) (string, error) {
	var b strings.Builder
	err := plist.Execute(&b, struct {
		Spec
		PathLine string
	}{s, strings.Join(s.Path, ":")})
	return b.String(), err
}

func (launchd) named(text string) (paths []string) {
	plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&")
	var words []string // the string elements of the file, in order
	for _, after := range strings.Split(text, "<string>")[1:] {
		word, _, _ := strings.Cut(after, "</string>")
		words = append(words, plain.Replace(word))
	}
	const program, path = 1, 5 // index after the label; index after the program's arguments
	if len(words) <= path {
		return nil
	}
	return append([]string{words[program]}, filepath.SplitList(words[path])...)
}

// quoteXML escapes the text of an element.
func quoteXML(s string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(s))
	return b.String(), err
}

// domain returns the launchd domain of the service.
func domain(m *Manager) string {
	if m.System {
		return "system"
	}
	return "gui/" + strconv.Itoa(m.UID)
}

func (l launchd) commands(m *Manager, v verb) [][]string {
	target, file := domain(m)+"/"+Name, l.file(m)
	load := []string{"launchctl", "bootstrap", domain(m), file}
	unload := []string{"launchctl", "bootout", target}
	switch v {
	case installed, started:
		return [][]string{load}
	case removing, stopped:
		return [][]string{unload}
	case restarted:
		return [][]string{{"launchctl", "kickstart", "-k", target}}
	}
	return nil
}

func (launchd) ask(ctx context.Context, m *Manager, s *Status) error {
	out, err := m.run(ctx, []string{"launchctl", "print", domain(m) + "/" + Name})
	if err != nil {
		s.State = "not loaded"
		return nil
	}
	s.Enabled = true // launchd loads files in this folder at the next login
	s.WithoutLogin = m.System
	for l := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), " = ")
		switch {
		case key == "state" && s.State == "":
			s.State, s.Running = value, value == "running"
		case key == "pid":
			s.PID, _ = strconv.Atoi(value)
		}
	}
	return nil
}

func (launchd) logs(*Manager, int, bool) []string { return nil }
