package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// ReadsCredentials reports whether the call reads a file that holds credentials, judging by its name. The result does
// not matter, because it may contain the key in an unrecognisable form.
func (p *Inspection) ReadsCredentials() bool {
	if p.credentials {
		return true
	}
	if p.err != nil || p.class.Side == mcpproxy.External {
		return false
	}
	for i := range p.lines {
		if slices.ContainsFunc(p.lines[i].Reads, p.by.isCredentialFile) {
			return true
		}
	}
	return len(p.lines) == 0 && p.operation == mcpproxy.Read &&
		slices.ContainsFunc(p.args.Found, p.isPathOfCredentials)
}

// Reveals reports whether the command lines of a call print only variables with secrets, such as "echo $API_TOKEN |
// rev", or entries of a secret store, such as "vault kv get secret/db | jq .data". Their output is then secret in any
// form. Programs that list all variables, such as env, do not count, because they may print only names.
func (p *Inspection) Reveals() bool {
	prints := 0
	for i := range p.lines {
		for _, s := range p.lines[i].Prints {
			if !s.Secret || s.Kind == shell.File || s.Kind == shell.Output && s.Of == "" || s.Name == "*" {
				return false
			}
			prints++
		}
	}
	return prints > 0 || p.reveals
}

// isPathOfCredentials reports whether a finding in the arguments is the path of a file with credentials. A text that
// mentions one does not count.
func (p *Inspection) isPathOfCredentials(f detect.Finding) bool {
	part := p.args.Doc.Parts[f.Part()]
	return namesCredentials(&f) && part.Kind == text.Value && !strings.ContainsAny(part.Text, " \n\t")
}

// isCredentialFile reports whether a source of a command line is a file with credentials, judging by its path.
func (in *Inspector) isCredentialFile(s shell.Source) bool {
	return s.Kind == shell.File && slices.ContainsFunc(s.Paths(), func(path string) bool {
		found := in.read(text.Quote(path), "").Found
		return slices.ContainsFunc(found, func(f detect.Finding) bool { return namesCredentials(&f) })
	})
}

// namesCredentials reports whether a finding is the name of a file that holds credentials, not of its folder or of
// settings beside it.
func namesCredentials(f *detect.Finding) bool {
	return f.Rule.Category == "sensitive_file" && !f.Example &&
		(f.Severity == mcpproxy.SeverityHigh || f.Severity == mcpproxy.SeverityCritical)
}
