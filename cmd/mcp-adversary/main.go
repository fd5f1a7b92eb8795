// Command mcp-adversary is a hostile MCP server for testing defences. It plays the attacks of a catalogue, or their
// benign variants, over stdio or HTTP. It only answers requests and sends nothing anywhere else.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/adversary"
)

func main() { os.Exit(run()) }

// run returns main with an exit code; the tests call it.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mcp-adversary: "+err.Error())
		return 1
	}
	return 0
}

// flags hold the command line.
type flags struct {
	attacks      []string
	benign, list bool
	peer         bool
	http         string
	versions     string
	output       string
}

func rootCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "mcp-adversary",
		Args:  cobra.NoArgs,
		Short: "A hostile MCP server for testing defences",
		Long: `mcp-adversary plays attacks on AI agents as an MCP server, over stdio or HTTP, and
for each a benign variant that does no harm. It only answers requests and sends
nothing anywhere; its hosts are reserved for examples and its secrets are not real.`,
		Example: `  mcp-adversary --list                                     what there is, and who must notice it
  mcp-adversary --attack poisoning.description.tags         one attack, over stdio
  mcp-adversary --attack poisoning.description.tags --benign   its harmless variant
  mcp-adversary --attack exfiltration.webhook --peer        the honest server beside it
  mcp-adversary --http 127.0.0.1:9100                       every attack at /NAME, its benign variant at /benign/NAME,
                                                            its peer at /peer/NAME
  mcp-adversary --versions plan.yaml                        a rug pull of your own`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cmd.Flags().StringArrayVar(&f.attacks, "attack", nil, "attack to play; may be given several times")
	cmd.Flags().BoolVar(&f.benign, "benign", false, "play the benign variant instead")
	cmd.Flags().BoolVar(&f.peer, "peer", false, "play the honest server that the attack needs beside it")
	cmd.Flags().BoolVar(&f.list, "list", false, "list the attacks; all, or those of --attack")
	cmd.Flags().StringVar(&f.http, "http", "", "serve over HTTP at this address instead of stdio")
	cmd.Flags().StringVar(&f.versions, "versions", "", "play a rug pull from a file of versions and a trigger")
	cmd.Flags().StringVarP(&f.output, "output", "o", "table", "table or json, for --list")
	return cmd
}

func (f *flags) run(cmd *cobra.Command) error {
	if f.output != "table" && f.output != "json" {
		return fmt.Errorf("invalid --output %q: must be table or json", f.output)
	}
	if f.benign && f.peer {
		return errors.New("give either --benign or --peer: an attack and its benign variant have the same peer")
	}
	attacks, err := f.chosen()
	if err != nil {
		return err
	}
	switch {
	case f.list:
		return list(cmd.OutOrStdout(), attacks, f.output)
	case f.http != "":
		return serveHTTP(cmd, f.http, attacks)
	case len(f.attacks) == 0 && f.versions == "":
		return errors.New("name an attack with --attack (--list shows all), or serve all of them with --http ADDRESS")
	}
	acts, err := f.acts(attacks)
	if err != nil {
		return err
	}
	return adversary.NewServer(acts...).ServeStdio(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
}

// chosen returns the attacks that the flags name, or all attacks if they name none.
func (f *flags) chosen() ([]adversary.Attack, error) {
	var chosen []adversary.Attack
	for _, name := range f.attacks {
		a, err := adversary.Find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, a)
	}
	if f.versions != "" {
		raw, err := os.ReadFile(f.versions)
		if err != nil {
			return nil, err
		}
		a, err := adversary.ReadPlan(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.versions, err)
		}
		chosen = append(chosen, a)
	}
	if len(chosen) == 0 {
		return adversary.Catalogue(), nil
	}
	return chosen, nil
}

// acts returns the acts that the command plays over stdio.
func (f *flags) acts(attacks []adversary.Attack) ([]adversary.Act, error) {
	var acts []adversary.Act
	for _, a := range attacks {
		switch {
		case f.benign:
			acts = append(acts, a.Benign)
		case !f.peer:
			acts = append(acts, a.Harm)
		case a.Harm.Peer == nil:
			return nil, fmt.Errorf("the attack %s needs no peer", a.Name)
		default:
			acts = append(acts, *a.Harm.Peer)
		}
	}
	return acts, nil
}

func list(w io.Writer, attacks []adversary.Attack, output string) error {
	if output == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(attacks)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ATTACK\tMUST BE NOTICED BY\tSUMMARY")
	for _, a := range attacks {
		var by []string
		for _, n := range a.Expected {
			by = append(by, n.String())
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", a.Name, strings.Join(by, ", "), a.Summary)
	}
	return table.Flush()
}

func serveHTTP(cmd *cobra.Command, addr string, attacks []adversary.Attack) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: adversary.Handler(attacks), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(
		cmd.ErrOrStderr(),
		"%d attacks at http://%s/NAME, their benign variants at /benign/NAME, their peers at /peer/NAME\n",
		len(attacks),
		l.Addr(),
	)
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
