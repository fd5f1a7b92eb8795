package term

import (
	"io"
	"slices"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// PrintDiff shows a change of an agent's file. The file may hold keys of other
// programs, which are nobody's in a terminal's history or a log: they are masked.
func PrintDiff(w io.Writer, diff string) error {
	doc, err := text.Parse(text.Quote(diff), "")
	if err != nil {
		return err
	}
	found, err := detect.New(detect.Rules()).Find(doc)
	if err != nil {
		return err // not all of it was read
	}
	secrets := slices.DeleteFunc(
		found,
		func(f detect.Finding) bool { return f.Rule.Personal() || !f.Signal().Sensitive() },
	)
	_, err = io.WriteString(w, detect.NewMasker(secrets).Text(diff))
	return err
}
