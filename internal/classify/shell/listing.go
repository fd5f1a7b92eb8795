package shell

import "strings"

// list executes ls. Its output contains the arguments, which are names of files; the rest of the output is not known.
func list(_ *machine, args []value, _ value) value {
	out := value{data: []Source{{Kind: Output, Name: "ls"}}}
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") && a.text != "" {
			out.text = strings.TrimSpace(out.text + "\n" + a.text)
			out.data = union(out.data, a.data)
		}
	}
	return out
}

// which prints the path at which the shell finds a program.
func which(_ *machine, args []value, _ value) value {
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") && a.text != "" {
			return value{text: Found + programName(a.text), known: true, data: a.data}
		}
	}
	return value{}
}
