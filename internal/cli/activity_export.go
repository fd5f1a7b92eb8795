package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/cli/term"
)

func activityExport(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write records to a file or to standard output, oldest first",
		Args:  noArguments,
		Long: `Writes every record that matches, however many there are. A file appears when it is
complete, readable by you alone. With --encrypt it is in the age format: age -d, rage
and others decrypt it with the passphrase. The passphrase comes from the terminal,
from --passphrase-file or from MCPPROXY_PASSPHRASE.`,
		Example: `  mcpproxy activity export --format jsonl --file log.jsonl
  mcpproxy activity export --format csv --encrypt --file log.csv.age
  mcpproxy activity export --type hook_evaluation,flow_summary --include-flows > flows.json`,
	}
	filters := filterFlags(cmd.Flags(), "limit", "offset", "cursor")
	format := cmd.Flags().String("format", "json", "json, jsonl or csv")
	flows := cmd.Flags().Bool("include-flows", false, "include the data flows of each call")
	var to target
	cmd.Flags().StringVar(&to.file, "file", "", "write to this file instead of standard output")
	cmd.Flags().BoolVar(&to.encrypt, "encrypt", false, "encrypt with a passphrase, in the age format")
	cmd.Flags().
		StringVar(&to.passphraseFile, "passphrase-file", "", "read the passphrase from this file's first line; implies --encrypt")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		q, err := filters()
		if err != nil {
			return err
		}
		if err := setSession(cmd, g, q); err != nil {
			return err
		}
		q.Set("format", *format)
		if *flows {
			q.Set("include_flows", "true")
		}
		// Ask first, so that nothing is started if the passphrase is missing.
		seal, err := to.sealing(cmd.Context(), term.AskerOf(cmd))
		if err != nil {
			return err
		}
		if to.file != "" {
			defer term.Progress(cmd.ErrOrStderr(), "exporting the log")()
		}
		return to.write(cmd.OutOrStdout(), seal, func(w io.Writer) error { return runExport(cmd, g, q, w) })
	}
	return cmd
}

// runExport copies an export of the daemon to w.
func runExport(cmd *cobra.Command, g *globals, q url.Values, w io.Writer) error {
	c, err := newClient(g)
	if err != nil {
		return err
	}
	resp, err := c.Do(cmd.Context(), http.MethodGet, "/api/v1/activity/export", q, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var body struct{ Error string }
		_ = json.NewDecoder(resp.Body).Decode(&body)
		return errors.New(body.Error)
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("the export ended early: %w", err)
	}
	return nil
}

// target is the destination of an export.
type target struct {
	file           string
	encrypt        bool
	passphraseFile string
}

// sealing returns a function that encrypts the output. Without encryption the function passes the
// bytes through.
func (t target) sealing(ctx context.Context, person *term.Asker) (func(io.Writer) (io.WriteCloser, error), error) {
	if !t.encrypt && t.passphraseFile == "" {
		return func(w io.Writer) (io.WriteCloser, error) { return unsealed{w}, nil }, nil
	}
	if t.file == "" && term.IsTerminal(os.Stdout) {
		return nil, errors.New("an encrypted export cannot be printed to a terminal: name a file with --file")
	}
	passphrase, err := t.passphrase(ctx, person)
	if err != nil {
		return nil, err
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) (io.WriteCloser, error) { return age.Encrypt(w, recipient) }, nil
}

// unsealed is a writer whose Close does nothing.
type unsealed struct{ io.Writer }

func (unsealed) Close() error { return nil }

// passphrase gets the passphrase from a flag, a variable or the terminal.
func (t target) passphrase(ctx context.Context, person *term.Asker) (string, error) {
	if t.passphraseFile != "" {
		raw, err := os.ReadFile(t.passphraseFile)
		if err != nil {
			return "", fmt.Errorf("reading the passphrase: %w", err)
		}
		line, _, _ := bytes.Cut(raw, []byte("\n"))
		return notEmpty(string(bytes.TrimSuffix(line, []byte("\r"))))
	}
	if p := os.Getenv("MCPPROXY_PASSPHRASE"); p != "" {
		return p, nil
	}
	if !term.IsTerminal(os.Stdin) {
		return "", errors.New(
			"there is no terminal to ask for a passphrase: use --passphrase-file or MCPPROXY_PASSPHRASE",
		)
	}
	said, err := person.Secrets(ctx, "Passphrase: ", "Once more: ")
	if err != nil {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	if said[0] != said[1] {
		return "", errors.New("the passphrases differ")
	}
	return notEmpty(said[0])
}

func notEmpty(passphrase string) (string, error) {
	if passphrase == "" {
		return "", errors.New("the passphrase is empty")
	}
	return passphrase, nil
}

// write runs f with a writer to the target. The file appears only when it is complete.
func (t target) write(stdout io.Writer, seal func(io.Writer) (io.WriteCloser, error), f func(io.Writer) error) error {
	if t.file == "" {
		return throughSeal(stdout, seal, f)
	}
	err := atomicfile.Write(t.file, 0o600, func(w io.Writer) error { return throughSeal(w, seal, f) })
	if err != nil {
		return fmt.Errorf("writing the export: %w", err)
	}
	return nil
}

func throughSeal(w io.Writer, seal func(io.Writer) (io.WriteCloser, error), f func(io.Writer) error) error {
	out, err := seal(w)
	if err != nil {
		return err
	}
	if err := f(out); err != nil {
		return err
	}
	return out.Close()
}
