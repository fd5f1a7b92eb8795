package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/service"
)

func serviceCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Keep the proxy running: after a crash, a login and a reboot",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `Has the system's own manager run mcpproxy: systemd on Linux, launchd on macOS, the service
control manager on Windows. It starts mcpproxy at your login, or with --system and on
Windows at the start of the machine, and again when it ends with an error. systemd also
starts it again when it no longer answers.`,
		Example: `  mcpproxy service install --dry-run    show the file that would be written
  mcpproxy service install
  mcpproxy service status
  mcpproxy service logs --follow
  sudo mcpproxy service install --system --run-as alice`,
	}
	cmd.AddCommand(serviceInstall(g), serviceUninstall(g), serviceStatus(g), serviceLogs(g))
	return cmd
}

// serviceFlags are the flags that select a service.
type serviceFlags struct {
	system  bool
	runAs   string
	dryRun  bool
	sockets bool
}

func (f *serviceFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.system, "system", false, "the system service, which starts before anybody logs in; needs root")
}

// owner returns the user whom the service runs as: the caller, or for the system's service the
// named user or the user who called sudo.
func (f *serviceFlags) owner() (*user.User, error) {
	name := f.runAs
	if name == "" && f.system {
		name = os.Getenv("SUDO_USER")
	}
	if name == "" {
		u, err := user.Current()
		if err != nil {
			return f.unnamed(err)
		}
		if f.system && u.Uid == "0" {
			return nil, errors.New("name the user that the system service runs as with --run-as: mcpproxy does not need root")
		}
		if home := os.Getenv("HOME"); !f.system && home != "" {
			u.HomeDir = home
		}
		return u, nil
	}
	return user.Lookup(name)
}

// unnamed returns the owner of a service if the system has no entry for the caller, as in containers that run with any
// user id. The caller's own service needs the home folder only.
func (f *serviceFlags) unnamed(err error) (*user.User, error) {
	home := os.Getenv("HOME")
	switch {
	case f.system:
		return nil, errors.New("this machine has no name for your user: name the user that the system service runs as with --run-as")
	case runtime.GOOS == onWindows:
		return nil, err
	case home == "":
		return nil, errors.New("the home folder is unknown: set HOME")
	}
	return &user.User{Uid: strconv.Itoa(os.Getuid()), HomeDir: home}, nil
}

// manager returns the service manager that the flags select.
func (f *serviceFlags) manager(g *globals) (*service.Manager, error) {
	m := service.Manager{System: f.system, Log: logFile(g)}
	if u, err := user.Current(); err == nil {
		m.UserName = u.Username
	}
	m.UID = os.Getuid()
	var err error
	if m.Home, err = os.UserHomeDir(); err != nil {
		return nil, fmt.Errorf("the home folder is unknown: %w", err)
	}
	return service.On(runtime.GOOS, m)
}

// logFile returns the log file of a background daemon.
func logFile(g *globals) string {
	c, err := remote.Config(g.config)
	if err != nil {
		c = config.Default()
	}
	return filepath.Join(c.DataDir, service.LogFile)
}

func serviceInstall(g *globals) *cobra.Command {
	f := &serviceFlags{}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the service and start it, or renew it",
		Args:  noArguments,
		Long: `Writes the service's file and starts the service. The file records where npx, uvx, node,
docker and the programs of your configuration are found now: a service has a shorter PATH
than your shell. Run it again after you have moved or updated those. A daemon that runs is
stopped, and the service takes its place.

With --socket, systemd opens the address and the socket of the configuration itself, also
before mcpproxy runs: a connection then starts it, and one that is made while it restarts
waits instead of being refused. Run it again after you have changed listen or data_dir.

On Windows run it as administrator. The service runs as you, for which Windows demands your
password; it is read from the terminal, or from standard input.`,
		Example: `  mcpproxy service install
  mcpproxy service install --dry-run
  mcpproxy service install --socket
  sudo mcpproxy service install --system --run-as alice`,
		RunE: func(cmd *cobra.Command, _ []string) error { return installService(cmd, g, f) },
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.runAs, "run-as", "", "user that the system service runs as (default: the user who called sudo)")
	cmd.Flags().BoolVar(&f.sockets, "socket", false, "have systemd open the address and the socket, and start mcpproxy when they are used")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the file and change nothing")
	return cmd
}

func installService(cmd *cobra.Command, g *globals, f *serviceFlags) error {
	if f.runAs != "" && !f.system && runtime.GOOS != onWindows {
		return errors.New("--run-as is for the system service: add --system")
	}
	m, err := f.manager(g)
	if err != nil {
		return err
	}
	spec, where, err := f.spec(cmd, g)
	if err != nil {
		return err
	}
	if f.dryRun {
		return showFiles(cmd, m, spec)
	}
	if f.system && runtime.GOOS != onWindows && os.Getuid() != 0 {
		return exit.With(exit.Permission, errors.New("only root can install the system service: run this with sudo"))
	}
	c, err := remote.Config(spec.Config)
	if err != nil {
		return err
	}
	if runtime.GOOS == onWindows {
		if spec.Password, err = askPassword(cmd, spec.User); err != nil {
			return err
		}
	}
	if err := stopForeign(cmd, m, c); err != nil {
		return err
	}
	done := term.Progress(cmd.ErrOrStderr(), "starting the service")
	err = m.Install(cmd.Context(), spec)
	if done(); err != nil {
		return err
	}
	if err := daemon.MarkStopped(c, false); err != nil {
		return err
	}
	return printInstalled(cmd, g, m, spec, where)
}

// onWindows is the system whose services always belong to the machine and demand a password.
const onWindows = "windows"

// showFiles prints the files that the installation would write.
func showFiles(cmd *cobra.Command, m *service.Manager, s service.Spec) error {
	files, err := m.Texts(s)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(cmd.ErrOrStderr(), "This would be written to %s:\n", path)
		if _, err := io.WriteString(cmd.OutOrStdout(), files[path]); err != nil {
			return err
		}
	}
	return nil
}

// askPassword reads the password of a user from the terminal, which does not show it, or from
// standard input.
func askPassword(cmd *cobra.Command, name string) (string, error) {
	if f, is := cmd.InOrStdin().(*os.File); is && xterm.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Password of %s for Windows: ", name)
		raw, err := xterm.ReadPassword(int(f.Fd()))
		fmt.Fprintln(cmd.ErrOrStderr())
		return string(raw), err
	}
	line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", fmt.Errorf("the password of %s is missing: run this in a terminal, or give it on standard input", name)
	}
	return line, nil
}

// stopForeign stops a daemon that the service does not own, because it occupies the port and the
// data folder. If the manager opens the service's sockets, no other daemon can have them.
func stopForeign(cmd *cobra.Command, m *service.Manager, c *config.Config) error {
	if m.Activated() {
		return nil
	}
	pid, err := daemonPID(c)
	if errors.Is(err, remote.ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	if st, err := m.Status(cmd.Context()); err == nil && st.PID == pid {
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "The mcpproxy that runs (pid %d) is stopped; the service takes its place.\n", pid)
	return endDaemon(cmd.Context(), c, pid)
}

// spec returns what the service will run, and where the programs of servers were found.
func (f *serviceFlags) spec(cmd *cobra.Command, g *globals) (service.Spec, map[string]string, error) {
	owner, err := f.owner()
	if err != nil {
		return service.Spec{}, nil, err
	}
	file := g.config
	if f.system && !cmd.Flags().Changed("config") && os.Getenv("MCPPROXY_CONFIG") == "" {
		file = filepath.Join(owner.HomeDir, ".mcpproxy", "mcp_config.json")
	}
	if file, err = filepath.Abs(file); err != nil {
		return service.Spec{}, nil, err
	}
	program, err := daemon.Program()
	if err != nil {
		return service.Spec{}, nil, err
	}
	programs := slices.Clone(service.ServerPrograms)
	if c, err := remote.Config(file); err == nil {
		for _, s := range c.Servers {
			bare := s.Command != "" && !strings.ContainsRune(s.Command, filepath.Separator)
			if bare && !slices.Contains(programs, s.Command) {
				programs = append(programs, s.Command)
			}
		}
	}
	path, where := service.SearchPath(os.Getenv("PATH"), programs)
	spec := service.Spec{
		Program: program,
		Config:  file,
		Path:    path,
		Home:    owner.HomeDir,
		Log:     logFile(g),
	}
	if f.system || runtime.GOOS == onWindows {
		spec.User = owner.Username
	}
	if f.sockets {
		if spec.Sockets, err = socketsOf(file, f.system); err != nil {
			return service.Spec{}, nil, err
		}
	}
	return spec, where, nil
}

// socketsOf returns what the manager opens for the daemon of a configuration file: the address and
// the socket.
func socketsOf(file string, system bool) ([]string, error) {
	c, err := remote.Config(file)
	if err != nil {
		return nil, err
	}
	at, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return nil, exit.With(exit.Config, fmt.Errorf("the address to listen on: %w", err))
	}
	if at.Port == 0 {
		return nil, exit.With(exit.Config, fmt.Errorf("listen is %s: a port that is chosen at the start cannot be opened before; "+
			"name one", c.Listen))
	}
	sockets := []string{at.String()}
	if at.IP == nil {
		sockets[0] = strconv.Itoa(at.Port)
	}
	if !c.EnableSocket {
		return sockets, nil
	}
	if _, err := os.Stat(c.DataDir); system && err != nil { // systemd would make it for root alone
		return nil, fmt.Errorf("looking at the data folder: %w; run mcpproxy once as the user whom the service runs as, to have it made", err)
	}
	return append(sockets, c.SocketPath()), nil
}

// installedService is the machine-readable result of `service install`.
type installedService struct {
	File     string            `json:"file"`
	Program  string            `json:"program"`
	Config   string            `json:"config"`
	Path     []string          `json:"path"`
	Programs map[string]string `json:"programs"` // paths of the programs of servers
}

func printInstalled(
	cmd *cobra.Command, g *globals, m *service.Manager, s service.Spec, where map[string]string,
) error {
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), installedService{
			File:     m.File(),
			Program:  s.Program,
			Config:   s.Config,
			Path:     s.Path,
			Programs: where,
		}, nil)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "The service is installed and runs: %s\n", m.File())
	var found []string
	for name, dir := range where {
		found = append(found, name+" in "+dir)
	}
	slices.Sort(found)
	if len(found) > 0 {
		fmt.Fprintf(w, "Its PATH contains %s.\n", strings.Join(found, ", "))
	}
	fmt.Fprintln(w, "Look at it with: mcpproxy service status")
	if len(s.Sockets) > 0 {
		fmt.Fprintf(w, "systemd listens for it at %s.\n", strings.Join(s.Sockets, " and "))
	}
	if st, err := m.Status(cmd.Context()); err == nil && !st.WithoutLogin && !m.System {
		fmt.Fprintf(w, "It starts at your login. %s\n", lingerHint())
	}
	return nil
}

// lingerHint says how a user's service can start without a login.
func lingerHint() string {
	if runtime.GOOS == "linux" {
		return "To have it start with the machine: loginctl enable-linger"
	}
	return "To have it start with the machine, install it with --system."
}

func serviceUninstall(g *globals) *cobra.Command {
	f := &serviceFlags{}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service and remove it",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := f.manager(g)
			if err != nil {
				return err
			}
			if f.system && runtime.GOOS != onWindows && os.Getuid() != 0 {
				return exit.With(
					exit.Permission, errors.New("only root can remove the system service: run this with sudo"))
			}
			if err := m.Uninstall(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The service is stopped, and %s is removed.\n", m.File())
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

func serviceStatus(g *globals) *cobra.Command {
	f := &serviceFlags{}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the service is installed, runs, and comes back after a reboot",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := f.manager(g)
			if err != nil {
				return err
			}
			s, err := m.Status(cmd.Context())
			if err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), s, nil)
			}
			printService(cmd.OutOrStdout(), m, s)
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// printService prints the state of the service.
func printService(w io.Writer, m *service.Manager, s service.Status) {
	if !s.Installed {
		fmt.Fprintln(w, "The service is not installed. Install it with: mcpproxy service install")
		return
	}
	fmt.Fprintf(w, "Service:  %s\n", term.Plain(s.File))
	state := term.Plain(s.State)
	if s.PID > 0 {
		state += ", pid " + strconv.Itoa(s.PID)
	}
	if s.Restarts > 0 {
		state += ", started again " + term.Plural(s.Restarts, "time")
	}
	fmt.Fprintf(w, "State:    %s\n", state)
	if s.Activated {
		fmt.Fprintln(w, "Sockets:  systemd opens them, and starts mcpproxy when they are used.")
	}
	switch {
	case !s.Enabled:
		fmt.Fprintln(w, "Reboot:   it does not come back. Enable it with: mcpproxy service install")
	case s.WithoutLogin:
		fmt.Fprintln(w, "Reboot:   it comes back with the machine.")
	default:
		fmt.Fprintf(w, "Reboot:   it comes back at your login. %s\n", lingerHint())
	}
}

func serviceLogs(g *globals) *cobra.Command {
	f := &serviceFlags{}
	l := &logFlags{}
	cmd := &cobra.Command{
		Use:     "logs",
		Short:   "Show what the service wrote to its log",
		Args:    noArguments,
		Example: "  mcpproxy service logs\n  mcpproxy service logs --lines 500\n  mcpproxy service logs --follow",
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := f.manager(g)
			if err != nil {
				return err
			}
			if !m.Installed() {
				return service.ErrNotInstalled
			}
			return l.show(cmd, m)
		},
	}
	f.add(cmd)
	l.add(cmd)
	return cmd
}

// logFlags select the part of a log to print.
type logFlags struct {
	lines  int
	follow bool
}

func (l *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&l.lines, "lines", "n", 100, "lines from the end")
	cmd.Flags().BoolVarP(&l.follow, "follow", "f", false, "print new lines as they are written, until Ctrl-C")
}

// show prints the log of a service: that of its manager, or the file if the manager keeps none.
func (l *logFlags) show(cmd *cobra.Command, m *service.Manager) error {
	if line := m.Logs(l.lines, l.follow); line != nil {
		return show(cmd, line)
	}
	return service.Tail(cmd.Context(), cmd.OutOrStdout(), m.Log, l.lines, l.follow)
}

// show runs a program that prints a log.
func show(cmd *cobra.Command, line []string) error {
	run := exec.CommandContext(cmd.Context(), line[0], line[1:]...)
	run.Stdout = cmd.OutOrStdout()
	run.Stderr = cmd.ErrOrStderr()
	err := run.Run()
	if errors.Is(cmd.Context().Err(), context.Canceled) {
		return nil // Ctrl-C ends --follow
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(line, " "), err)
	}
	return nil
}
