package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// windowsService is the service manager of Windows. It has no files: a [controlManager] calls it.
type windowsService struct{}

// servicesKey is the key of the registry in which Windows keeps its services.
const servicesKey = `SYSTEM\CurrentControlSet\Services\`

func (windowsService) file(*Manager) string { return `HKLM\` + servicesKey + Name }

// Windows starts a failed service again after restartDelay. It forgets failures after restartPeriod.
const (
	restartDelay  = 2 * time.Second
	restartPeriod = time.Minute
)

// text returns the registered settings, for people.
func (windowsService) text(s Spec) (string, error) {
	if err := checkAccount(s.User); err != nil {
		return "", err
	}
	return fmt.Sprintf("Service:     %s\nStart:       automatic, with the machine\nAccount:     %s\n"+
		"Command:     \"%s\" serve --config \"%s\"\nEnvironment: PATH=%s\n"+
		"Restart:     %v after a failure, twice at most within %v\nLog:         %s\n",
		Name, s.User, s.Program, s.Config, strings.Join(s.Path, ";"), restartDelay, restartPeriod, s.Log), nil
}

func (windowsService) named(string) []string { return nil }

func (windowsService) commands(*Manager, verb) [][]string { return nil }

func (windowsService) ask(context.Context, *Manager, *Status) error { return nil }

func (windowsService) logs(*Manager, int, bool) []string { return nil }

// systemAccounts are accounts that the service must not run as: MCP servers would have the same rights and could read
// the files of every user.
var systemAccounts = []string{"localsystem", `nt authority\system`, "system"}

// checkAccount refuses an account for the service of Windows.
func checkAccount(name string) error {
	if name == "" {
		return errors.New("name the user whom the service runs as with --run-as")
	}
	for _, system := range systemAccounts {
		if strings.EqualFold(strings.TrimPrefix(name, `.\`), system) {
			return fmt.Errorf("the service must not run as %s, since MCP servers would have the same rights: "+
				"name your own account with --run-as", name)
		}
	}
	return nil
}
