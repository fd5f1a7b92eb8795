package term

import (
	"io"
	"slices"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// PrintDiff prints a change of an agent's file. It masks keys of other programs in the file,
// because terminal histories and logs keep the output.
func PrintDiff(w io.Writer, diff string) error {
	doc, err := text.Parse(text.Quote(diff), "")
	if err != nil {
		return err
	}
	found, err := detect.New(detect.Rules()).Find(doc)
	if err != nil {
		return err // it was not read completely
	}
	secrets := slices.DeleteFunc(
		found,
		func(f detect.Finding) bool { return f.Rule.Personal() || !f.Signal().Sensitive() },
	)
	_, err = io.WriteString(w, detect.NewMasker(secrets).Text(diff))
	return err
}
