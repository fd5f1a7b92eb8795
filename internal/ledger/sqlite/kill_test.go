package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// number of kills of one file; in each round, a few writers run for a moment
const rounds = 200

func TestMain(m *testing.M) {
	if path := os.Getenv("LEDGER_LOAD"); path != "" {
		load(path, os.Getenv("LEDGER_ROUND"))
		return
	}
	os.Exit(m.Run())
}

// load writes stops from several goroutines, and ordinary records in between. It prints the id of each stop after it
// is confirmed, until the process is killed.
func load(path, round string) {
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	log := ledger.NewLog(s)
	go func() { // far more often than they are usually written
		for {
			if err := s.Heads().Save(); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
		}
	}()
	fmt.Println("ready")
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				stop := ledgertest.Full()
				stop.ID = fmt.Sprintf("%s-%d-%d", round, w, i)
				if err := log.Append(context.Background(), stop); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				fmt.Println(stop.ID)
				log.Add(ledgertest.Record(stop.ID + "-call"))
			}
		}()
	}
	now := ledgertest.Full().Timestamp.Add(2 * time.Hour)
	for {
		_, err := s.Tidy(context.Background(), now, ledger.Rules{MaxRecords: 400, RedactAfter: time.Hour})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		time.Sleep(time.Millisecond)
	}
}

// A process that is killed at any moment loses no confirmed record, and the chain stays valid.
func TestNothingAnsweredIsLostWhenKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	answered := 0
	for round := range rounds {
		last := killed(t, path, fmt.Sprint(round))
		if t.Failed() {
			return
		}
		answered += len(last)
		if len(last) == 0 && round%20 != 0 {
			continue
		}
		s := open(t, path)
		unbroken(t, s)
		rep, err := s.Verify(t.Context())
		if err != nil || !rep.OK {
			t.Fatalf("round %d: %+v, %v", round, rep, err)
		}
		// Retention keeps at least 400 records, and the last confirmed ones must be among them.
		for _, id := range last[max(0, len(last)-100):] {
			if r, err := s.Get(t.Context(), id); err != nil || r.ID != id {
				t.Fatalf("round %d: %s was answered for, and is lost: %v", round, id, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if answered < rounds/4 {
		t.Errorf("only %d stops were answered in %d rounds: this tries nothing", answered, rounds)
	}
}

// If a process is killed while it creates its first log, no remaining file makes the log look removed.
func TestAFirstStartThatIsKilledIsNoBreak(t *testing.T) {
	complete := 0 // kills after all files existed
	made := []string{"activity.db", ledger.KeyFile, ledger.HeadsFile, ledger.PublicFile}
	for round := range 24 {
		dir := t.TempDir()
		path := filepath.Join(dir, "activity.db")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LEDGER_LOAD="+path, "LEDGER_ROUND=first")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaited := filepath.Join(dir, made[round%len(made)])
		for begun := time.Now(); time.Since(begun) < 20*time.Second; {
			if _, err := os.Stat(awaited); err == nil {
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(awaited); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, ledger.PublicFile)); err == nil {
			complete++
		}
		s := open(t, path)
		if unbroken(t, s); t.Failed() {
			t.Fatalf("round %d, killed when %s was there", round, filepath.Base(awaited))
		}
		s.Close()
	}
	if complete == 24 {
		t.Error("every kill came after the first start was over: this tries nothing")
	}
}

// unbroken fails the test if the log and its heads do not agree.
func unbroken(t *testing.T, s *sqlite.Store) {
	t.Helper()
	if breaks := s.Heads().Heads().Breaks; len(breaks) > 0 {
		t.Errorf("a break was found: %+v", breaks)
	}
}

// killed runs a load, kills it, and returns the ids of the confirmed records in order.
func killed(t *testing.T, path, round string) (ids []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LEDGER_LOAD="+path, "LEDGER_ROUND="+round)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	// Half of the rounds begin when the log is open, and half with the first confirmed record, which comes later on a
	// slow machine.
	begin := sync.OnceFunc(func() {
		time.AfterFunc(time.Duration(rand.IntN(40_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	})
	early := rand.IntN(2) == 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		if early || line != "ready" {
			begin()
		}
		switch {
		case line == "ready":
		case strings.HasPrefix(line, "error"):
			t.Errorf("round %s: %s", round, line)
			_ = cmd.Process.Kill()
		default:
			ids = append(ids, line)
		}
	}
	_ = cmd.Wait() // it was killed
	return ids
}
