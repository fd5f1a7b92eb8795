package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"mcpproxy/internal/version"
)

func versionCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), map[string]string{
					"version": version.String(),
					"go":      runtime.Version(),
					"os":      runtime.GOOS,
					"arch":    runtime.GOARCH,
				}, nil)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "mcpproxy "+versionLine())
			return err
		},
	}
}

// versionLine returns the version with the build's toolchain and platform.
func versionLine() string {
	return fmt.Sprintf("%s (%s %s/%s)", version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
