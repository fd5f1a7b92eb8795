package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpproxy/internal/trust"
)

// askAboutNewcomers asks the person at the terminal about each server whose
// definitions wait for approval when they are read for the first time, until ctx
// ends.
func askAboutNewcomers(ctx context.Context, w io.Writer, in io.Reader, d *daemon) {
	answers := bufio.NewReader(in)
	for {
		select {
		case <-ctx.Done():
			return
		case server := <-d.newcomers:
			if d.ask(w, answers, server) != nil {
				return // nobody is there to answer
			}
		}
	}
}

// ask puts the one question about a server, and does what the answer says. What
// is approved is what was shown: a form that comes in between is not.
func (d *daemon) ask(w io.Writer, answers *bufio.Reader, server string) error {
	var waiting []trust.Item
	for _, i := range d.trust.Items(server) {
		if i.Listed && i.State == trust.Quarantined && !i.Hard() {
			waiting = append(waiting, i)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	p := colours(w)
	fmt.Fprintf(w, "\n%s declares:\n", p.bold(server))
	for _, i := range waiting {
		note := ""
		for _, f := range i.Findings {
			note = p.red(fmt.Sprintf("  noticed, %s: %s", f.Severity, plain(f.Signals[0].Detail)))
		}
		fmt.Fprintf(w, "  %s %s%s\n", i.Kind, cut(plain(trust.Visible(i.Name)), 60), note)
	}
	fmt.Fprintf(w, "Approve these %d for agents, in the form they have? (`mcpproxy trust show` has the texts) [y/N] ", len(waiting))
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
		switch _, err := d.trust.Approve(i.Key, "user at the terminal", i.Fingerprint.CombinedHash); {
		case err == nil:
			approved++
		case errors.Is(err, trust.ErrOther):
			fmt.Fprintf(w, "%s has changed since and stays held.\n", plain(trust.Visible(i.Key.String())))
		default:
			fmt.Fprintf(w, "%s: %v\n", plain(trust.Visible(i.Key.String())), err)
		}
	}
	d.offer(server)
	fmt.Fprintf(w, "%d approved.\n", approved)
	return nil
}
