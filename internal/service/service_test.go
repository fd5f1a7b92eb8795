package service

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// example returns the Spec of the golden files.
func example(user string) Spec {
	return Spec{
		Program: "/usr/local/bin/mcpproxy",
		Config:  "/home/alice/.mcpproxy/mcp_config.json",
		Path:    []string{"/home/alice/.nvm/versions/node/v24.1.0/bin", "/home/alice/.local/bin", "/usr/bin", "/bin"},
		Home:    "/home/alice",
		User:    user,
		Log:     "/home/alice/.mcpproxy/daemon.log",
	}
}

// activated returns a service whose sockets systemd opens.
func activated(user string) Spec {
	s := example(user)
	s.Sockets = []string{"127.0.0.1:8080", "/home/alice/100%/mcpproxy.sock"}
	return s
}

// odd contains characters that have a special meaning in service files.
func odd() Spec {
	s := example("")
	s.Program = `/opt/100% "mine"/mcp$proxy`
	s.Config = `/home/al & <ice>/back\slash.json`
	return s
}

func TestTheFilesOfServices(t *testing.T) {
	for name, c := range map[string]struct {
		on     string
		system bool
		spec   Spec
	}{
		"user.service":   {"linux", false, example("")},
		"system.service": {"linux", true, example("alice")},
		"odd.service":    {"linux", false, odd()},
		"sock.service":   {"linux", false, activated("")},
		"agent.plist":    {"darwin", false, example("")},
		"daemon.plist":   {"darwin", true, example("alice")},
		"odd.plist":      {"darwin", false, odd()},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := On(c.on, Manager{System: c.system, Home: c.spec.Home})
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Text(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs (-want +got), write it anew with -update:\n%s", golden, diff)
			}
		})
	}
}

func TestTheUnitOfSocketsIsBesideThatOfTheService(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	for name, spec := range map[string]Spec{"user.socket": activated(""), "system.socket": activated("alice")} {
		m, err := On("linux", Manager{System: spec.User != "", Home: spec.Home})
		if err != nil {
			t.Fatal(err)
		}
		files, err := m.Texts(spec)
		if err != nil {
			t.Fatal(err)
		}
		got, there := files[filepath.Join(filepath.Dir(m.File()), "mcpproxy.socket")]
		if !there || len(files) != 2 {
			t.Errorf("the files are %q", slices.Sorted(maps.Keys(files)))
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s differs (-want +got), write it anew with -update:\n%s", golden, diff)
		}
	}
	for _, system := range []string{"darwin"} {
		m, err := On(system, Manager{Home: "/home/alice"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Texts(activated("")); !errors.Is(err, ErrNoSockets) {
			t.Errorf("on %s: %v", system, err)
		}
	}
}

func TestWindowsServiceIsDescribedAndNeverRunsAsTheSystem(t *testing.T) {
	s := example(`OFFICE\alice`)
	text, err := windowsService{}.text(s)
	for _, want := range []string{`Account:     OFFICE\alice`, `"/usr/local/bin/mcpproxy" serve --config "/home/alice/.mcpproxy/mcp_config.json"`} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%q is missing, %v:\n%s", want, err, text)
		}
	}
	for _, name := range []string{"", "LocalSystem", `NT AUTHORITY\System`, `.\LocalSystem`} {
		if _, err := (windowsService{}).text(example(name)); err == nil {
			t.Errorf("the service would run as %q", name)
		}
	}
}

// The unit of a package has the same settings as a user's unit, and uses the configuration of the user who enables it.
func TestTheUnitOfAPackageIsThatOfTheUser(t *testing.T) {
	packaged, err := PackagedUnit("/usr/bin/mcpproxy")
	if err != nil {
		t.Fatal(err)
	}
	own, err := systemd{}.text(Spec{Program: "/usr/bin/mcpproxy"})
	if err != nil {
		t.Fatal(err)
	}
	_, packagedBody, _ := strings.Cut(packaged, "\n")
	_, ownBody, _ := strings.Cut(own, "\n")
	if packagedBody != ownBody || strings.Contains(packaged, "PATH=") ||
		!strings.Contains(packaged, "\nExecStart=\"/usr/bin/mcpproxy\" serve --find-programs\n") {
		t.Errorf("the unit of the package is\n%s", packaged)
	}
}

func TestAnEnabledUnitOfAPackageIsKnown(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	home := t.TempDir()
	if PackagedEnabled(home) {
		t.Error("it is enabled before it was")
	}
	wants := filepath.Join(home, ".config/systemd/user/default.target.wants")
	if err := os.MkdirAll(wants, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(PackagedFile, filepath.Join(wants, unitName)); err != nil {
		t.Fatal(err)
	}
	if !PackagedEnabled(home) {
		t.Error("a unit that was enabled is not known")
	}
}

// If systemd is installed, it checks the units itself. It requires that the program exists, so the unit names one that
// does.
func TestSystemdAcceptsTheUnits(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("THE UNITS ARE NOT VERIFIED: there is no systemd-analyze here")
	}
	for _, user := range []string{"", "daemon"} {
		s := odd()
		s.Program, s.User = "/bin/true", user
		s.Sockets = []string{"127.0.0.1:8080", "8081", "/tmp/100%/mcpproxy.sock"}
		m, err := On("linux", Manager{System: user != ""})
		if err != nil {
			t.Fatal(err)
		}
		texts, err := m.Texts(s)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		var files []string
		for path, text := range texts {
			files = append(files, filepath.Join(dir, filepath.Base(path)))
			if err := os.WriteFile(files[len(files)-1], []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		// The system manager checks both units, because it knows every setting that a user manager knows.
		out, err := exec.Command(verify, append([]string{"verify", "--man=no"}, files...)...).CombinedOutput()
		if err != nil || strings.Contains(string(out), unitName+":") || strings.Contains(string(out), socketUnitName+":") {
			t.Errorf("the unit for user %q is not accepted (%v):\n%s", user, err, out)
		}
	}
}

func TestAPathWithALineBreakIsRefused(t *testing.T) {
	m, err := On("linux", Manager{})
	if err != nil {
		t.Fatal(err)
	}
	s := example("")
	s.Config = "/home/alice/x\nExecStartPre=/bin/evil"
	if text, err := m.Text(s); err == nil {
		t.Errorf("the unit is written:\n%s", text)
	}
}

func TestOtherSystemsAreRefused(t *testing.T) {
	for _, system := range []string{"plan9", "windows"} { // the manager of Windows only works on Windows
		if _, err := On(system, Manager{}); !errors.Is(err, ErrUnsupported) && system != runtime.GOOS {
			t.Errorf("on %s: %v", system, err)
		}
	}
}

func TestWhatAServiceNamesIsReadAgain(t *testing.T) {
	for _, s := range []Spec{example(""), odd()} {
		for _, p := range []platform{systemd{}, launchd{}} {
			text, err := p.text(s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]string{s.Program}, s.Path...), p.named(text)); diff != "" {
				t.Errorf("%T (-want +got):\n%s", p, diff)
			}
		}
	}
}

// scripted returns a manager whose commands are recorded and get prepared answers.
func scripted(t *testing.T, fails string) (*Manager, *[]string) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", "")
	m, err := On("linux", Manager{Home: t.TempDir(), UserName: "nobody-of-this-name"})
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	m.run = func(_ context.Context, line []string) (string, error) {
		ran = append(ran, strings.Join(line, " "))
		if fails != "" && strings.Contains(ran[len(ran)-1], fails) {
			return "", errors.New("no bus")
		}
		return "ActiveState=active\nSubState=running\nUnitFileState=enabled\nMainPID=4242\nNRestarts=3\nResult=success\n", nil
	}
	return m, &ran
}

func TestAServiceIsInstalledAskedAndRemoved(t *testing.T) {
	m, ran := scripted(t, "")
	if s, err := m.Status(t.Context()); err != nil || s.Installed || len(*ran) > 0 {
		t.Errorf("before it is installed: %+v, %v, %q", s, err, *ran)
	}
	if err := m.Uninstall(t.Context()); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("removing what is not there: %v", err)
	}
	spec := example("")
	if err := m.Install(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if !m.Runs(spec.Config) || m.Runs("/home/alice/.mcpproxy/mcp_config") || m.Runs("/home/bob/mcp_config.json") {
		t.Error("whose daemon it runs is not known")
	}
	got, err := m.Status(t.Context())
	want := Status{
		File:      m.File(),
		Installed: true,
		Enabled:   true,
		Running:   true,
		State:     "active (running)",
		PID:       4242,
		Restarts:  3,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("its status (-want +got), %v:\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{spec.Program, spec.Path[0], spec.Path[1]}, m.Gone()); diff != "" {
		t.Errorf("what is not there (-want +got):\n%s", diff)
	}
	if err := m.Uninstall(t.Context()); err != nil || m.Installed() {
		t.Errorf("it is still there, %v", err)
	}
	if diff := cmp.Diff([]string{
		"systemctl --user daemon-reload",
		"systemctl --user enable mcpproxy.service",
		"systemctl --user restart mcpproxy.service",
		"systemctl --user show mcpproxy.service --property=ActiveState,SubState,UnitFileState,MainPID,NRestarts,Result",
		"systemctl --user disable --now mcpproxy.service",
		"systemctl --user daemon-reload",
	}, *ran); diff != "" {
		t.Errorf("the commands (-want +got):\n%s", diff)
	}
}

func TestAServiceThatCannotBeInstalledLeavesNoFile(t *testing.T) {
	m, _ := scripted(t, "enable")
	if err := m.Install(t.Context(), example("")); err == nil || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("the error is %v", err)
	}
	if m.Installed() {
		t.Errorf("%s is left", m.File())
	}
}

func TestAnInstallationWithoutAManagerOfTheUserSaysWhatHelps(t *testing.T) {
	for system, helps := range map[bool]bool{false: true, true: false} {
		m, _ := scripted(t, "")
		m.System = system
		m.run = func(context.Context, []string) (string, error) {
			return "", errors.New("Failed to connect to bus: No medium found")
		}
		if err := m.helped(m.each(t.Context(), installed)); err == nil || strings.Contains(err.Error(), "mcpproxy start") != helps {
			t.Errorf("for the system %v: %v", system, err)
		}
	}
}

func TestLaunchdReportsTheStateOfItsService(t *testing.T) {
	m, err := On("darwin", Manager{Home: t.TempDir(), UID: 501})
	if err != nil {
		t.Fatal(err)
	}
	m.run = func(_ context.Context, line []string) (string, error) {
		if line[1] != "print" {
			return "", nil
		}
		return "gui/501/mcpproxy = {\n\tstate = running\n\tpid = 4242\n\tspawn type = daemon\n}\n", nil
	}
	if err := m.Install(t.Context(), example("")); err != nil {
		t.Fatal(err)
	}
	s, err := m.Status(t.Context())
	if err != nil || !s.Running || s.PID != 4242 || !s.Enabled || s.WithoutLogin || !m.Runs(example("").Config) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestTheSearchPathHoldsWhereProgramsAre(t *testing.T) {
	root := t.TempDir()
	put := func(path string) {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put("nvm/npx")
	put("nvm/node")
	put("local/uvx")
	put("other/npx") // a later one does not count
	put("games/doom")
	if err := os.WriteFile(filepath.Join(root, "games", "docker"), nil, 0o644); err != nil { // no program
		t.Fatal(err)
	}
	in := func(name string) string { return lasting(filepath.Join(root, name)) }
	list := strings.Join([]string{".", "bin", filepath.Join(root, "games"), filepath.Join(root, "nvm"),
		filepath.Join(root, "other"), filepath.Join(root, "local"), "/usr/bin"}, string(os.PathListSeparator))
	folders, where := SearchPath(list, []string{"npx", "uvx", "node", "docker"})
	want := slices.Concat([]string{in("nvm"), in("local")}, systemPath)
	got := slices.DeleteFunc(slices.Clone(folders), func(dir string) bool { return dir == where["docker"] && !slices.Contains(want, dir) })
	// On a machine with docker, its folder may be one of the system's.
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the folders (-want +got):\n%s", diff)
	}
	if where["npx"] != in("nvm") || where["node"] != in("nvm") || where["uvx"] != in("local") || where["docker"] == in("games") {
		t.Errorf("the programs are in %v", where)
	}
	if folders[0] != in("nvm") || folders[1] != in("local") {
		t.Errorf("the order is %q", folders)
	}
}

// The folder that a version manager creates for one login is a link, which disappears afterwards.
func TestTheLinkOfALoginIsResolved(t *testing.T) {
	real := t.TempDir()
	if !strings.HasPrefix(real, "/tmp/") {
		t.Skip("THE LINK IS NOT TRIED: temporary files are not in /tmp")
	}
	link := filepath.Join(t.TempDir(), "fnm_multishell")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if got, want := lasting(link), lasting(real); got != want {
		t.Errorf("%s is taken for %s, want %s", link, got, want)
	}
}
