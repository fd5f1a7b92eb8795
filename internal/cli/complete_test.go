package cli

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// enumeration matches the help text of a flag that names all of its values, such as "json, jsonl or csv".
var enumeration = regexp.MustCompile(`(^|: )([a-z_]+, )*[a-z_]+ or [a-z_]+($|[^a-z_ ]| \()`)

func TestFlagsWhoseHelpNamesAllValuesCompleteThem(t *testing.T) {
	seen := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" || f.Hidden || !enumeration.MatchString(f.Usage) {
				return
			}
			seen++
			if _, ok := c.GetFlagCompletionFunc(f.Name); !ok {
				t.Errorf("%s --%s (%s) completes no value", c.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := rootCommand()
	walk(root)
	if seen < 10 {
		t.Errorf("only %d flags were looked at", seen)
	}
}
