package cli

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/certs"
	"mcpproxy/internal/remote"
)

// errPlain is the error if the listener uses plain HTTP.
var errPlain = errors.New(`the listener speaks plain HTTP; for TLS set "tls": {"local": true} in the configuration, or cert and key files`)

func tlsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tls",
		Short: "Show the certificate of the listener",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `With "tls" in the configuration, the listener uses HTTPS. Its certificate comes from your
own files or, with "local": true, from an authority that mcpproxy makes. Certificates of
this authority are valid only for localhost. Agents and browsers must trust it:
"mcpproxy tls ca" prints its own certificate.`,
		Example: "  mcpproxy tls show\n  mcpproxy tls ca > mcpproxy-ca.pem",
	}
	cmd.AddCommand(tlsShow(g), tlsCA(g))
	return cmd
}

// shownCertificate is a certificate in the output of tls show.
type shownCertificate struct {
	Kind        string    `json:"kind"` // local, or file
	File        string    `json:"file"`
	Subject     string    `json:"subject"`
	Names       []string  `json:"names"`
	Expires     time.Time `json:"expires"`
	Fingerprint string    `json:"sha256"`
}

func tlsShow(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show where the certificate comes from, its names, its expiry and its fingerprint",
		Args:    noArguments,
		Example: "  mcpproxy tls show\n  mcpproxy tls show -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := certSource(g)
			if err != nil {
				return err
			}
			c, err := source.Certificate()
			if err != nil {
				return withStart(source, err)
			}
			shown := shownOf(source, c)
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), shown, nil)
			}
			shown.print(cmd.OutOrStdout())
			return nil
		},
	}
}

func (s *shownCertificate) print(w io.Writer) {
	fmt.Fprintf(
		w,
		"%s\nsubject    %s\nnames      %s\nexpires    %s\nsha256     %s\n",
		s.File,
		s.Subject,
		strings.Join(s.Names, ", "),
		s.Expires.Format(time.DateOnly),
		s.Fingerprint,
	)
}

func shownOf(source certs.Source, c *x509.Certificate) *shownCertificate {
	sum := sha256.Sum256(c.Raw)
	shown := &shownCertificate{
		Kind:        "file",
		File:        source.CertFile,
		Subject:     c.Subject.String(),
		Names:       append([]string{}, c.DNSNames...),
		Expires:     c.NotAfter.UTC(),
		Fingerprint: hex.EncodeToString(sum[:]),
	}
	for _, ip := range c.IPAddresses {
		shown.Names = append(shown.Names, ip.String())
	}
	if source.Local {
		shown.Kind, shown.File = "local", source.AuthorityPath()
		shown.Names = append(shown.Names, c.PermittedDNSDomains...)
	}
	return shown
}

func tlsCA(g *globals) *cobra.Command {
	var where bool
	cmd := &cobra.Command{
		Use:   "ca",
		Short: "Print the certificate that agents and browsers have to trust (PEM)",
		Args:  noArguments,
		Long: `Prints the certificate of mcpproxy's own authority. It is not a secret. It is valid for
localhost and this machine's own addresses only. Node programs trust it with
NODE_EXTRA_CA_CERTS=FILE, Python programs with SSL_CERT_FILE=FILE.`,
		Example: "  mcpproxy tls ca > mcpproxy-ca.pem\n  mcpproxy tls ca --path",
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := certSource(g)
			if err != nil {
				return err
			}
			if !source.Local {
				return fmt.Errorf("the certificate comes from %s: whoever issued it has the authority's certificate", source.CertFile)
			}
			c, err := source.Certificate()
			if err != nil {
				return withStart(source, err)
			}
			if where {
				fmt.Fprintln(cmd.OutOrStdout(), source.AuthorityPath())
				return nil
			}
			return pem.Encode(cmd.OutOrStdout(), &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
		},
	}
	cmd.Flags().BoolVar(&where, "path", false, "print the path of the file instead")
	return cmd
}

// certSource returns the source of the listener's certificate.
func certSource(g *globals) (certs.Source, error) {
	c, err := remote.Config(g.config)
	if err != nil {
		return certs.Source{}, err
	}
	if source := c.Certs(); source.On() {
		return source, nil
	}
	return certs.Source{}, errPlain
}

// withStart adds to an error the command that creates the local certificate authority.
func withStart(source certs.Source, err error) error {
	if source.Local {
		return fmt.Errorf("%w; it is made when the daemon starts: mcpproxy serve", err)
	}
	return err
}
