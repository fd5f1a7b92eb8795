package service

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"
)

const (
	controlPatience = 40 * time.Second // timeout for a service to reach a state
	controlLook     = 100 * time.Millisecond
)

// Access rights. Everybody may read; only administrators may change.
const (
	mayLook    = windows.SERVICE_QUERY_CONFIG | windows.SERVICE_QUERY_STATUS
	mayControl = mayLook | windows.SERVICE_START | windows.SERVICE_STOP
	mayChange  = windows.SERVICE_ALL_ACCESS
)

// scm calls the service control manager of Windows.
type scm struct{}

func newControlManager() controlManager { return scm{} }

// open opens the service with the given rights. It returns [ErrNotInstalled] if there is no service.
func open(rights uint32) (*mgr.Service, error) {
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return nil, forAdministrators(err)
	}
	defer func() { _ = windows.CloseServiceHandle(manager) }()
	name, err := windows.UTF16PtrFromString(Name)
	if err != nil {
		return nil, err
	}
	handle, err := windows.OpenService(manager, name, rights)
	switch {
	case errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST):
		return nil, ErrNotInstalled
	case err != nil:
		return nil, forAdministrators(err)
	}
	return &mgr.Service{Name: Name, Handle: handle}, nil
}

// forAdministrators explains an error if Windows denies access.
func forAdministrators(err error) error {
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return fmt.Errorf("the service is an administrator's to change: run this in a console that was opened "+
			"as administrator: %w", err)
	}
	return fmt.Errorf("asking the service control manager: %w", err)
}

// install registers the service and starts it.
func (c scm) install(_ *Manager, s Spec) error {
	if s.Password == "" {
		return fmt.Errorf("the password of %s is missing: Windows runs a service as a user only with it", s.User)
	}
	want := mgr.Config{
		ServiceType:      windows.SERVICE_WIN32_OWN_PROCESS,
		StartType:        mgr.StartAutomatic,
		DelayedAutoStart: true,
		ErrorControl:     mgr.ErrorNormal,
		DisplayName:      "mcpproxy",
		Description:      "A firewall for AI agents",
		ServiceStartName: s.User,
		Password:         s.Password,
	}
	args := []string{"serve", "--config", s.Config}
	service, err := open(mayChange)
	switch {
	case errors.Is(err, ErrNotInstalled):
		service, err = create(s.Program, want, args)
	case err == nil:
		want.BinaryPathName = windows.ComposeCommandLine(append([]string{s.Program}, args...))
		if err = stop(context.Background(), service); err == nil {
			err = service.UpdateConfig(want)
		}
	}
	if err != nil {
		return fmt.Errorf("installing the service: %w", err)
	}
	defer service.Close()
	if err := restartOnFailure(service); err != nil {
		return fmt.Errorf("having the service started again after a failure: %w", err)
	}
	if err := recordPath(s.Path); err != nil {
		return fmt.Errorf("recording the PATH of the service: %w", err)
	}
	return start(context.Background(), service)
}

func create(program string, config mgr.Config, args []string) (*mgr.Service, error) {
	manager, err := mgr.Connect()
	if err != nil {
		return nil, forAdministrators(err)
	}
	defer func() { _ = manager.Disconnect() }()
	return manager.CreateService(Name, program, config, args...)
}

// restartOnFailure configures the manager to restart the service after a failure, a limited number of times.
func restartOnFailure(service *mgr.Service) error {
	again := mgr.RecoveryAction{Type: mgr.ServiceRestart, Delay: restartDelay}
	actions := []mgr.RecoveryAction{again, again, {Type: mgr.NoAction}}
	if err := service.SetRecoveryActions(actions, uint32(restartPeriod/time.Second)); err != nil {
		return err
	}
	return service.SetRecoveryActionsOnNonCrashFailures(true) // an exit code other than 0 is a failure
}

// recordPath writes the PATH into the environment that the manager gives the service.
func recordPath(path []string) error {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, servicesKey+Name, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	return key.SetStringsValue("Environment", []string{"PATH=" + strings.Join(path, ";")})
}

func (scm) uninstall(ctx context.Context) error {
	service, err := open(mayChange)
	if err != nil {
		return err
	}
	defer service.Close()
	return errors.Join(stop(ctx, service), service.Delete())
}

func (scm) installed() bool {
	service, err := open(mayLook)
	if err != nil {
		return false
	}
	service.Close()
	return true
}

// line returns the service's command line.
func (scm) line() []string {
	service, err := open(mayLook)
	if err != nil {
		return nil
	}
	defer service.Close()
	config, err := service.Config()
	if err != nil {
		return nil
	}
	words, err := windows.DecomposeCommandLine(config.BinaryPathName)
	if err != nil {
		return nil
	}
	return words
}

func (c scm) runs(config string) bool {
	return slices.ContainsFunc(c.line(), func(word string) bool { return strings.EqualFold(word, config) })
}

func (c scm) named() (paths []string) {
	if words := c.line(); len(words) > 0 {
		paths = words[:1]
	}
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, servicesKey+Name, registry.QUERY_VALUE)
	if err != nil {
		return paths
	}
	defer key.Close()
	variables, _, err := key.GetStringsValue("Environment")
	if err != nil {
		return paths
	}
	for _, v := range variables {
		if list, is := strings.CutPrefix(v, "PATH="); is {
			paths = append(paths, filepath.SplitList(list)...)
		}
	}
	return paths
}

func (scm) control(ctx context.Context, v verb) error {
	service, err := open(mayControl)
	if err != nil {
		return err
	}
	defer service.Close()
	switch v {
	case started:
		return start(ctx, service)
	case stopped:
		return stop(ctx, service)
	case restarted:
		if err := stop(ctx, service); err != nil {
			return err
		}
		return start(ctx, service)
	}
	return nil
}

// start starts the service and waits until the service reports that it is ready.
func start(ctx context.Context, service *mgr.Service) error {
	err := service.Start()
	switch {
	case errors.Is(err, windows.ERROR_SERVICE_ALREADY_RUNNING):
	case errors.Is(err, windows.ERROR_SERVICE_LOGON_FAILED):
		return fmt.Errorf("the account cannot log on as a service: check the password, and give the account the right "+
			"\"Log on as a service\" in secpol.msc: %w", err)
	case err != nil:
		return fmt.Errorf("starting the service: %w", err)
	}
	return reach(ctx, service, svc.Running)
}

// stop stops the service and waits for its end.
func stop(ctx context.Context, service *mgr.Service) error {
	_, err := service.Control(svc.Stop)
	if err != nil && !errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) {
		return fmt.Errorf("stopping the service: %w", err)
	}
	return reach(ctx, service, svc.Stopped)
}

// reach waits until the service is in a state.
func reach(ctx context.Context, service *mgr.Service, state svc.State) error {
	ctx, cancel := context.WithTimeout(ctx, controlPatience)
	defer cancel()
	for {
		now, err := service.Query()
		switch {
		case err != nil:
			return err
		case now.State == state:
			return nil
		case now.State == svc.Stopped:
			return errors.New("the service ended at once; see why with: mcpproxy service logs")
		}
		select {
		case <-ctx.Done():
			return errors.New("the service does not react; see: mcpproxy service logs")
		case <-time.After(controlLook):
		}
	}
}

// states are the states of a service in words.
var states = map[svc.State]string{
	svc.Stopped:         "stopped",
	svc.StartPending:    "starting",
	svc.StopPending:     "stopping",
	svc.Running:         "running",
	svc.ContinuePending: "continuing",
	svc.PausePending:    "pausing",
	svc.Paused:          "paused",
}

func (scm) ask(s *Status) error {
	service, err := open(mayLook)
	if err != nil {
		return err
	}
	defer service.Close()
	now, err := service.Query()
	if err != nil {
		return err
	}
	config, err := service.Config()
	if err != nil {
		return err
	}
	s.State = states[now.State]
	if now.State == svc.Stopped && now.ServiceSpecificExitCode != 0 {
		s.State += fmt.Sprintf(": exit code %d", now.ServiceSpecificExitCode)
	}
	s.Running = now.State == svc.Running
	s.PID = int(now.ProcessId)
	s.Enabled = config.StartType == mgr.StartAutomatic
	s.WithoutLogin = s.Enabled
	return nil
}
