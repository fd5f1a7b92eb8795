package main

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

// asker puts questions to the person in front of this program. Every one of them ends
// with its context: reading a terminal heeds no signal.
type asker struct {
	in  *bufio.Reader
	say io.Writer
}

func newAsker(cmd *cobra.Command) *asker {
	return &asker{in: bufio.NewReader(cmd.InOrStdin()), say: cmd.ErrOrStderr()}
}

// onTerminal reports whether a person sits in front of this program.
func onTerminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
}

// yes puts a question; anything but a yes is a no.
func (a *asker) yes(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(a.say, question, "[y/N] ")
	said, err := a.line(ctx)
	said = strings.ToLower(said)
	return err == nil && (said == "y" || said == "yes"), err
}

// line is what the user enters; an error when he ends the program instead.
func (a *asker) line(ctx context.Context) (string, error) {
	line, err := a.wait(ctx, func() (string, error) { return a.in.ReadString('\n') })
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(a.say)
		err = nil // whoever closes the window has said nothing
	}
	return strings.TrimSpace(line), err
}

// secrets are what the user enters unseen, one line for each question. The terminal
// shows again what is typed when they are had, or are not.
func (a *asker) secrets(ctx context.Context, questions ...string) ([]string, error) {
	in := int(os.Stdin.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = term.Restore(in, before) }()
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, a.say}, "")
	var all []string
	for _, question := range questions {
		said, err := a.wait(ctx, func() (string, error) { return screen.ReadPassword(question) })
		if err != nil {
			fmt.Fprint(a.say, "\r\n")
			if errors.Is(err, io.EOF) { // Ctrl-C and Ctrl-D are keys here, and no signals
				err = errInterrupted
			}
			return nil, err
		}
		all = append(all, said)
	}
	return all, nil
}

// wait is what read returns, unless ctx ends first.
func (a *asker) wait(ctx context.Context, read func() (string, error)) (string, error) {
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
