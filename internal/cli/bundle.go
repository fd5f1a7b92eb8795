package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/bundle"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
)

func bundleCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Make, sign and check the bundle of a company's managed machines",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `A bundle is what a company decides for all of its machines: rules, keys of the configuration that users cannot weaken,
the servers that may be used, and approvals for everybody. It is signed with ed25519, has a version and an expiry, and is
fetched by every machine that has /etc/mcpproxy/managed.json.`,
		Example: `  mcpproxy bundle keygen acme.key
  mcpproxy bundle build acme.json
  mcpproxy bundle test acme.json --since 30d
  mcpproxy bundle sign acme.json --key acme.key --to bundle.json
  mcpproxy bundle verify bundle.json --public-key ed25519:…`,
	}
	cmd.AddCommand(bundleKeygen(g), bundleBuild(g), bundleSign(g), bundleVerify(g), bundleDiff(g), bundleTest(g))
	return cmd
}

// readBundleFile reads a file for a bundle command.
func readBundleFile(cmd *cobra.Command, path string) ([]byte, error) {
	limits := atomicfile.Limits{Bytes: bundle.MaxSize, Wait: 10 * time.Second, Pipes: true}
	return atomicfile.Read(cmd.Context(), path, limits)
}

// misread returns the error for an unusable bundle file.
func misread(path string, err error) error {
	return exit.With(exit.Config, fmt.Errorf("%s: %w", path, err))
}

// bundleOf reads a bundle for comparing and testing, without checking its signature.
func bundleOf(cmd *cobra.Command, path string) (*bundle.Bundle, error) {
	raw, err := readBundleFile(cmd, path)
	if err != nil {
		return nil, err
	}
	b, err := bundle.Unverified(raw)
	if err != nil {
		return nil, misread(path, err)
	}
	return b, checkContent(cmd.ErrOrStderr(), path, b)
}

// checkContent returns an error if the configuration in a bundle is invalid, and prints warnings.
func checkContent(w io.Writer, path string, b *bundle.Bundle) error {
	alone, err := config.BundleAlone(b)
	if err != nil {
		return misread(path, err)
	}
	_, found := daemon.CompanyRules(alone)
	for _, f := range found {
		if !f.Warning {
			return misread(path, errors.New(f.Message))
		}
		fmt.Fprintf(w, "%s: warning: %s\n", path, term.Plain(f.Message))
	}
	return nil
}

func bundleKeygen(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a key that signs bundles, and print its public key",
		Args:  cobra.ExactArgs(1),
		Long: `Writes a new ed25519 private key to FILE (PKCS #8, readable by you alone) and prints the public key, which belongs into
public_keys of /etc/mcpproxy/managed.json. An existing file is never replaced.`,
		Example: "  mcpproxy bundle keygen acme.key",
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := bundle.NewKey()
			if err != nil {
				return err
			}
			raw, err := key.PEM()
			if err != nil {
				return err
			}
			f, err := os.OpenFile(args[0], os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if errors.Is(err, os.ErrExist) {
				return fmt.Errorf("%s exists, and a key is never replaced: name another file", args[0])
			}
			if err != nil {
				return fmt.Errorf("writing the private key: %w", err)
			}
			_, err = f.Write(raw)
			if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
				return fmt.Errorf("writing the private key: %w", err)
			}
			public := key.Public()
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), map[string]string{"public_key": public.String(), "id": public.ID()}, nil)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), public)
			return err
		},
	}
}

// summary describes a bundle in the output of build, sign and verify.
type summary struct {
	Name      string    `json:"name"`
	Version   int       `json:"version"`
	Issued    time.Time `json:"issued,omitzero"`
	Expires   time.Time `json:"expires"`
	Expired   bool      `json:"expired"`
	Keys      []string  `json:"keys"`
	Rules     int       `json:"rules"`
	Servers   *int      `json:"servers,omitempty"` // number of allowed servers; absent if all are allowed
	Approvals int       `json:"approvals"`
	Gaps      []string  `json:"gaps"`
}

// printBundle prints the content of a bundle.
func printBundle(cmd *cobra.Command, g *globals, what string, b *bundle.Bundle) error {
	out := summary{
		Name:      b.Name,
		Version:   b.Version,
		Issued:    b.Issued,
		Expires:   b.Expires,
		Expired:   b.Expired(time.Now()),
		Keys:      append([]string{}, b.Said()...),
		Approvals: len(b.Approvals),
		Gaps:      append([]string{}, b.Gaps()...),
	}
	alone, err := config.BundleAlone(b)
	if err != nil {
		return err
	}
	out.Rules = len(alone.Security.Policies)
	servers := "all servers"
	if b.Servers != nil {
		n := len(*b.Servers)
		out.Servers = &n
		servers = fmt.Sprintf("%d servers", n)
	}
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), out, nil)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, until %s: %d keys, %d rules, %s, %d approvals.\n", what, b.Label(),
		b.Expires.UTC().Format(time.RFC3339), len(out.Keys), out.Rules, servers, out.Approvals)
	return err
}

func bundleBuild(g *globals) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "build FILE",
		Short: "Check the source of a bundle",
		Args:  cobra.ExactArgs(1),
		Long: `Checks the source of a bundle, which is JSON with comments: its keys, its rules, its servers and its approvals. Warns of what
the rules depend on and the bundle leaves to the user. With --to, writes the checked bundle without its comments, to be
signed elsewhere. A mistake ends with exit code 4.`,
		Example: `  mcpproxy bundle build acme.json
  mcpproxy bundle build acme.json --to unsigned.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := readBundleFile(cmd, args[0])
			if err != nil {
				return err
			}
			b, err := bundle.Build(raw)
			if err != nil {
				return misread(args[0], err)
			}
			if err := checkContent(cmd.ErrOrStderr(), args[0], b); err != nil {
				return err
			}
			if to != "" {
				raw, err := b.JSON()
				if err == nil {
					err = atomicfile.WriteBytes(to, 0o644, raw)
				}
				if err != nil {
					return fmt.Errorf("writing the bundle: %w", err)
				}
			}
			if g.output == "table" {
				for _, gap := range b.Gaps() {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s\n", args[0], gap)
				}
			}
			return printBundle(cmd, g, args[0]+" holds", b)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "write the checked bundle to this file")
	return cmd
}

func bundleSign(g *globals) *cobra.Command {
	var keys []string
	var to string
	var rollback int
	cmd := &cobra.Command{
		Use:   "sign FILE",
		Short: "Sign a bundle",
		Args:  cobra.ExactArgs(1),
		Long: `Checks the source of a bundle, signs it with one key or several, and writes the file that machines fetch. A machine refuses a
version below one that it has applied. --rollback-from 8 signs an older version for machines that have applied up to 8:
they go back to it, and to nothing else.`,
		Example: `  mcpproxy bundle sign acme.json --key acme.key --to bundle.json
  mcpproxy bundle sign acme-v7.json --key acme.key --rollback-from 8 --to bundle.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := bundleOf(cmd, args[0])
			if err != nil {
				return err
			}
			b.Issued = time.Time{}
			if rollback != 0 {
				b.RollbackTo, b.RollbackFrom = b.Version, rollback
			}
			if b.Expired(time.Now()) {
				return misread(args[0], fmt.Errorf("expires: %s is in the past", b.Expires.UTC().Format(time.RFC3339)))
			}
			var signers []bundle.PrivateKey
			for _, path := range keys {
				key, err := signingKey(cmd, path)
				if err != nil {
					return err
				}
				signers = append(signers, key)
			}
			raw, err := bundle.Sign(b, time.Now(), signers...)
			if err != nil {
				return misread(args[0], err)
			}
			if err := atomicfile.WriteBytes(to, 0o644, raw); err != nil {
				return fmt.Errorf("writing the signed bundle: %w", err)
			}
			return printBundle(cmd, g, to+" is signed", b)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "file of a private key; may be repeated")
	cmd.Flags().StringVar(&to, "to", "", "write the signed bundle to this file")
	cmd.Flags().IntVar(&rollback, "rollback-from", 0, "let machines that have applied up to this version go back to the bundle's")
	_ = cmd.MarkFlagRequired("key")
	_ = cmd.MarkFlagRequired("to")
	return cmd
}

// signingKey reads a private key. It refuses a file that other users can read.
func signingKey(cmd *cobra.Command, path string) (bundle.PrivateKey, error) {
	raw, err := readBundleFile(cmd, path)
	if err == nil {
		err = atomicfile.CheckReaders(path)
	}
	if err != nil {
		return bundle.PrivateKey{}, fmt.Errorf("reading the private key: %w", err)
	}
	key, err := bundle.ParsePrivateKey(raw)
	if err != nil {
		return bundle.PrivateKey{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func bundleVerify(g *globals) *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Verify the signature, the expiry and the content of a signed bundle",
		Args:  cobra.ExactArgs(1),
		Long: `Verifies a signed bundle with the public keys given, or else with those of this machine's /etc/mcpproxy/managed.json, and
checks its expiry and its content. If a check fails, the exit code is 4.`,
		Example: "  mcpproxy bundle verify bundle.json --public-key ed25519:…",
		RunE: func(cmd *cobra.Command, args []string) error {
			trusted, err := trustedKeys(cmd, keys)
			if err != nil {
				return err
			}
			raw, err := readBundleFile(cmd, args[0])
			if err != nil {
				return err
			}
			b, err := bundle.Open(raw, trusted, time.Now())
			if err != nil {
				return misread(args[0], err)
			}
			if err := checkContent(cmd.ErrOrStderr(), args[0], b); err != nil {
				return err
			}
			return printBundle(cmd, g, args[0]+" is valid", b)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "public-key", nil, "public key that may have signed; may be repeated")
	return cmd
}

// trustedKeys returns the given keys, or the keys in this machine's managed.json.
func trustedKeys(cmd *cobra.Command, given []string) ([]bundle.PublicKey, error) {
	var out []bundle.PublicKey
	for _, s := range given {
		k, err := bundle.ParsePublicKey(s)
		if err != nil {
			return nil, fmt.Errorf("--public-key: %w", err)
		}
		out = append(out, k)
	}
	if len(out) > 0 {
		return out, nil
	}
	m, err := bundle.ReadManaged(cmd.Context())
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("this machine is not managed, so it has no trusted keys: pass --public-key")
	}
	return m.Keys(), nil
}

func bundleDiff(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two bundles, and say whether the new one is stricter",
		Args:  cobra.ExactArgs(2),
		Long: `Compares two bundles, signed or not, key by key. Where the values of a key have an order, it says whether the new one is stricter or weaker.
It does not check signatures; "mcpproxy bundle verify" does.`,
		Example: "  mcpproxy bundle diff acme-v6.json acme-v7.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			old, err := bundleOf(cmd, args[0])
			if err != nil {
				return err
			}
			next, err := bundleOf(cmd, args[1])
			if err != nil {
				return err
			}
			list, err := bundle.Diff(old, next)
			if err != nil {
				return err
			}
			t := &term.Table{Header: []string{"KEY", "WAS", "IS", "WAY"}}
			for _, d := range list {
				t.Add(d.Key, term.Cut(d.Was, 40), term.Cut(d.Is, 40), d.Way)
			}
			return g.print(cmd.OutOrStdout(), list, t)
		},
	}
}

func bundleTest(g *globals) *cobra.Command {
	var sim simulation
	cmd := &cobra.Command{
		Use:   "test FILE",
		Short: "Test a bundle against the calls in the activity log",
		Args:  cobra.ExactArgs(1),
		Long: `Decides every call in the log again, with a bundle, signed or not, and this machine's configuration. Prints how many
decisions would differ, and which. It changes nothing, and does not check the signature.`,
		Example: "  mcpproxy bundle test acme.json --since 30d",
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := bundleOf(cmd, args[0])
			if err != nil {
				return err
			}
			source, err := b.JSON()
			if err != nil {
				return err
			}
			c, err := newClient(g)
			if err != nil {
				return err
			}
			return sim.run(cmd, g, c, args[0], "bundle", source)
		},
	}
	sim.flags(cmd)
	return cmd
}
