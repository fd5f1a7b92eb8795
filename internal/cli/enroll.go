package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/ship"
)

func enrollCommand(g *globals) *cobra.Command {
	var hub, token, name, ca string
	cmd := &cobra.Command{
		Use:   "enroll",
		Short: "Send the activity log of this machine to a hub, or say to which one it is sent",
		Args:  noArguments,
		Long: `Enrolls this machine at its company's hub with a one-time token, which ` + "`mcpproxy hub token create`" + ` makes there.
From then on the daemon sends the records of the activity log to the hub, beginning with those that exist already. The
machine signs what it sends with the key of its activity log. Without flags, prints to which hub the log is sent and
how far.`,
		Example: `  mcpproxy enroll --hub https://hub.example.com --token mcphub_…
  mcpproxy enroll`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := remote.Config(g.config)
			if err != nil {
				return err
			}
			if hub == "" && token == "" {
				return printEnrolled(cmd, g, c.DataDir)
			}
			if hub == "" || token == "" {
				return errors.New("--hub and --token belong together")
			}
			if err := c.ResolveLog(cmd.Context()); err != nil {
				return err
			}
			place := daemon.LogPlace(c)
			if place.Database != "" {
				return errors.New("activity.store of this machine is a database. Gateways that share a database write to the " +
					"database of the hub; they do not enroll")
			}
			if ca != "" {
				if ca, err = filepath.Abs(ca); err != nil {
					return err
				}
			}
			if name == "" {
				name, _ = os.Hostname() // without a name, the hub shows only the machine's id
			}
			done := term.Progress(cmd.ErrOrStderr(), "enrolling at the hub")
			e, err := enrollAt(cmd.Context(), place.Folder(), hub, ca, token, name)
			if done(); err != nil {
				return err
			}
			if err := e.Save(c.DataDir); err != nil {
				return err
			}
			return printEnrolled(cmd, g, c.DataDir)
		},
	}
	cmd.Flags().StringVar(&hub, "hub", "", "address of the hub: https, or http on this machine")
	cmd.Flags().StringVar(&token, "token", "", "one-time token from mcpproxy hub token create")
	cmd.Flags().StringVar(&name, "name", "", "name of this machine at the hub (default: its host name)")
	cmd.Flags().StringVar(&ca, "ca", "", "PEM file with the CA certificates for the hub (default: the system's)")
	return cmd
}

// enrollAt enrolls the machine with the key in a folder. It makes the key if there is none yet.
func enrollAt(ctx context.Context, folder, hub, ca, token, name string) (e ship.Enrolled, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return e, fmt.Errorf("making the data folder: %w", err)
	}
	signer, err := ledger.OpenSigner(folder)
	if err != nil {
		return e, err
	}
	return ship.Enroll(ctx, hub, ca, token, name, signer)
}

// enrolment is the output of mcpproxy enroll: the hub, and up to which record it has the log.
type enrolment struct {
	Hub     string    `json:"hub"`
	Machine string    `json:"machine"`
	At      time.Time `json:"at"`
	Sent    int64     `json:"sent"` // number of the last record that the hub has
	Last    time.Time `json:"last,omitzero"`
}

// printEnrolled prints to which hub the log in a data folder is sent.
func printEnrolled(cmd *cobra.Command, g *globals, folder string) error {
	e, err := ship.ReadEnrolled(cmd.Context(), folder)
	if err != nil {
		return err
	}
	c, err := ship.ReadCursor(cmd.Context(), folder, e)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if g.output != "table" {
		return g.print(w, enrolment{
			Hub:     e.Hub,
			Machine: e.Machine,
			At:      e.At,
			Sent:    c.Seq,
			Last:    c.Sent,
		}, nil)
	}
	_, err = fmt.Fprintf(w, "Machine %s is enrolled at %s, which has its records up to no. %d", e.Machine, term.Plain(e.Hub), c.Seq)
	if err == nil && !c.Sent.IsZero() {
		_, err = fmt.Fprintf(w, " (%s)", ledger.At(c.Sent))
	}
	if err == nil {
		_, err = fmt.Fprintln(w, ".")
	}
	return err
}
