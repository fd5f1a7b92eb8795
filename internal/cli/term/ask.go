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

// ErrInterrupted is the error if the user ends a question with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Asker asks the person at the terminal. Every question ends with its context, because reading from
// a terminal does not react to signals.
type Asker struct {
	Say io.Writer

	from io.Reader
	in   *bufio.Reader // source of the answers
}

// NewAsker returns an asker that writes questions to say and reads answers from in.
func NewAsker(in io.Reader, say io.Writer) *Asker {
	return &Asker{Say: say, from: in, in: bufio.NewReader(in)}
}

// AskerOf returns the asker of a command. It writes questions to the command's standard error.
func AskerOf(cmd *cobra.Command) *Asker { return NewAsker(cmd.InOrStdin(), cmd.ErrOrStderr()) }

// ForgetTyped discards input that was typed before the question. It was not meant as an answer, and
// another program may have inserted it. Input that does not come from a terminal is kept.
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

// OnTerminal reports whether a person uses this program at a terminal.
func OnTerminal() bool {
	return IsTerminal(os.Stdin) && IsTerminal(os.Stderr)
}

// Yes asks a question. Any answer except yes means no.
func (a *Asker) Yes(ctx context.Context, question string) (bool, error) {
	ForgetTyped(a.from, a.in)
	fmt.Fprint(a.Say, question, "[y/N] ")
	said, err := a.Line(ctx)
	said = strings.ToLower(said)
	return err == nil && (said == "y" || said == "yes"), err
}

// Line returns a line that the user enters. It returns an error if the user ends the program
// instead.
func (a *Asker) Line(ctx context.Context) (string, error) {
	line, err := a.wait(ctx, func() (string, error) { return a.in.ReadString('\n') })
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(a.Say)
		err = nil // closing the window is no answer
	}
	return strings.TrimSpace(line), err
}

// Secrets returns lines that the user enters without echo, one for each question. It always
// restores the terminal's echo.
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
			if errors.Is(err, io.EOF) { // Ctrl-C and Ctrl-D arrive as keys here, not as signals
				err = ErrInterrupted
			}
			return nil, err
		}
		all = append(all, said)
	}
	return all, nil
}

// wait returns the result of read, unless ctx ends first.
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
