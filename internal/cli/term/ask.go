package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// ErrInterrupted is the error of a question that the user ended with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Asker puts questions to the person in front of this program. Every one of them ends
// with its context: reading a terminal heeds no signal.
type Asker struct {
	Say io.Writer

	from io.Reader
	in   *bufio.Reader // reads from
}

// NewAsker returns an asker that writes questions to say and reads answers from in.
func NewAsker(in io.Reader, say io.Writer) *Asker {
	return &Asker{Say: say, from: in, in: bufio.NewReader(in)}
}

// AskerOf returns the asker of a command: questions go to its standard error.
func AskerOf(cmd *cobra.Command) *Asker { return NewAsker(cmd.InOrStdin(), cmd.ErrOrStderr()) }

// ForgetTyped discards what is already typed when a question is asked. An answer that is older than its question was
// not meant for it, and another program may have put it there. Input that comes from no terminal stays.
func ForgetTyped(from io.Reader, in *bufio.Reader) {
	terminal, ok := from.(*os.File)
	if !ok || !IsTerminal(terminal) {
		return
	}
	dropInput(terminal)
	_, _ = in.Discard(in.Buffered())
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// OnTerminal reports whether a person sits in front of this program.
func OnTerminal() bool {
	return IsTerminal(os.Stdin) && IsTerminal(os.Stderr)
}

// Yes puts a question; anything but a yes is a no.
func (a *Asker) Yes(ctx context.Context, question string) (bool, error) {
	ForgetTyped(a.from, a.in)
	fmt.Fprint(a.Say, question, "[y/N] ")
	said, err := a.Line(ctx)
	said = strings.ToLower(said)
	return err == nil && (said == "y" || said == "yes"), err
}

// Line is what the user enters; an error when he ends the program instead.
func (a *Asker) Line(ctx context.Context) (string, error) {
	line, err := a.wait(ctx, func() (string, error) { return a.in.ReadString('\n') })
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(a.Say)
		err = nil // whoever closes the window has said nothing
	}
	return strings.TrimSpace(line), err
}

// Secrets are what the user enters unseen, one line for each question. The terminal
// shows again what is typed when they are had, or are not.
func (a *Asker) Secrets(ctx context.Context, questions ...string) ([]string, error) {
	in := int(os.Stdin.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = term.Restore(in, before) }()
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, a.Say}, "")
	var all []string
	for _, question := range questions {
		said, err := a.wait(ctx, func() (string, error) { return screen.ReadPassword(question) })
		if err != nil {
			fmt.Fprint(a.Say, "\r\n")
			if errors.Is(err, io.EOF) { // Ctrl-C and Ctrl-D are keys here, and no signals
				err = ErrInterrupted
			}
			return nil, err
		}
		all = append(all, said)
	}
	return all, nil
}

// wait is what read returns, unless ctx ends first.
func (a *Asker) wait(ctx context.Context, read func() (string, error)) (string, error) {
	type entered struct {
		text string
		err  error
	}
	said := make(chan entered, 1)
	go func() {
		text, err := read()
		said <- entered{text, err}
	}()
	select {
	case e := <-said:
		return e.text, e.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
