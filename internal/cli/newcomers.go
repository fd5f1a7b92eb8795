package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/trust"
)

// newcomers provides the servers whose definitions wait for approval; [intake.Intake] implements
// it.
type newcomers interface {
	Newcomers() <-chan string
	Waiting(server string) []trust.Item
	Approve(trust.Item) error
}

// askAboutNewcomers asks the person at the terminal about each new server whose definitions wait
// for approval after the first read, until ctx ends.
func askAboutNewcomers(ctx context.Context, w io.Writer, in io.Reader, d newcomers) {
	answers := bufio.NewReader(in)
	for {
		select {
		case <-ctx.Done():
			return
		case server := <-d.Newcomers():
			term.ForgetTyped(in, answers)
			if askAbout(w, answers, d, server) != nil {
				return // no person can answer
			}
		}
	}
}

// askAbout asks the question about a server and applies the answer. It approves only the form that
// was shown, not a later one.
func askAbout(w io.Writer, answers *bufio.Reader, d newcomers, server string) error {
	waiting := d.Waiting(server)
	if len(waiting) == 0 {
		return nil
	}
	p := term.Colors(w)
	fmt.Fprintf(w, "\n%s declares:\n", p.Bold(server))
	for _, i := range waiting {
		note := ""
		for _, f := range i.Findings {
			note = p.Red(fmt.Sprintf("  noticed, %s: %s", f.Severity, term.Plain(f.Signals[0].Detail)))
		}
		fmt.Fprintf(w, "  %s %s%s\n", i.Kind, term.Cut(term.Plain(trust.Visible(i.Name)), 60), note)
	}
	fmt.Fprintf(
		w,
		"Approve these %d for agents, in their present form? (`mcpproxy trust show` has the texts) [y/N] ",
		len(waiting),
	)
	line, err := answers.ReadString('\n')
	if err != nil {
		return err
	}
	if s := strings.ToLower(strings.TrimSpace(line)); s != "y" && s != "yes" {
		fmt.Fprintf(w, "They stay held. Later: mcpproxy trust baseline %s\n", trust.Quote(server))
		return nil
	}
	approved := 0
	for _, i := range waiting {
		switch err := d.Approve(i); {
		case err == nil:
			approved++
		case errors.Is(err, trust.ErrOther):
			fmt.Fprintf(w, "%s has changed since and stays held.\n", term.Plain(trust.Visible(i.Key.String())))
		default:
			fmt.Fprintf(w, "%s: %v\n", term.Plain(trust.Visible(i.Key.String())), err)
		}
	}
	fmt.Fprintf(w, "%d approved.\n", approved)
	return nil
}
