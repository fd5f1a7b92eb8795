package inspect

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/text"
)

func TestAListOfArgumentsIsReadLikeItsCommandLine(t *testing.T) {
	for args, want := range map[string]struct {
		text, path string
	}{
		`{"command":["bash","-lc","cd /srv && make"]}`:       {"cd /srv && make", "arguments.command[2]"},
		`{"command":["/bin/sh","-e","-c","make; ls","x"]}`:   {"/bin/sh -e -c 'make; ls' x", "arguments.command[0]"},
		`{"command":["bash","-euo","pipefail","-c","make"]}`: {"make", "arguments.command[4]"},
		`{"command":["git","commit","-m","it's \"done\""]}`:  {`git commit -m 'it'\''s "done"'`, "arguments.command[0]"},
		`{"command":["bash","run.sh","-c"]}`:                 {"bash run.sh -c", "arguments.command[0]"},
		`{"command":"bash -lc 'make test'"}`:                 {"bash -lc 'make test'", "arguments.command"},
		`{"command":"make","args":["-C","/srv"]}`:            {"make -C /srv", "arguments.command"},
	} {
		doc, err := text.Parse([]byte(args), "arguments")
		if err != nil {
			t.Fatal(err)
		}
		lines := commandLines(
			&mcpproxy.Call{Kind: mcpproxy.KindTool, Tool: "shell"},
			[]string{"shell"},
			doc,
			func(*mcpproxy.Call) shell.Folder { return shell.Folder{} },
		)
		if len(lines) == 0 {
			t.Errorf("%s: no line", args)
			continue
		}
		l := lines[len(lines)-1]
		if path := doc.Path(doc.Parts[l.part]); l.text != want.text || path != want.path {
			t.Errorf("%s: %q at %s, want %q at %s", args, l.text, path, want.text, want.path)
		}
	}
}
