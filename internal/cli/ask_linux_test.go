package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"mcpproxy/internal/cli/term"
)

// questionSeen is a writer that reports when a question was shown.
type questionSeen chan struct{}

func (q questionSeen) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "[y/N]") {
		close(q)
	}
	return len(b), nil
}

func TestAnAnswerOlderThanItsQuestionIsForgotten(t *testing.T) {
	t.Parallel()
	master, name, err := pseudoTerminal()
	if err != nil {
		t.Skip("SKIPPED: this system gives no pseudo terminal: ", err)
	}
	defer master.Close()
	slave, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if _, err := master.WriteString("y\n"); err != nil { // a server could do this with TIOCSTI
		t.Fatal(err)
	}
	seen := make(questionSeen)
	a := term.NewAsker(slave, seen)
	go func() {
		<-seen
		_, _ = master.WriteString("n\n")
	}()
	agreed, err := a.Yes(t.Context(), "Approve? ")
	if err != nil || agreed {
		t.Errorf("agreed: %t, %v", agreed, err)
	}
}
